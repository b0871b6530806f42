"""What the methods of the library take and give: records, and names of types."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from importlib import import_module

from docs.generate.markdown import code, table, told

from longterm import records


def described(signatures: Iterable[str]) -> Iterator[str]:
    """Every record that is in a signature, or in one of those."""
    classes = {
        each.name: each
        for _, module in _sources()
        for each in module.body
        if isinstance(each, ast.ClassDef)
    }
    for name in sorted(_reached(classes, signatures)):
        yield f"### {name}"
        yield told(ast.get_docstring(classes[name]))
        fields = _fields(classes[name])
        yield table(("field", "type"), [(code(field), code(kind)) for field, kind in fields])


def values() -> Iterator[tuple[str, str, str]]:
    """Names of types, mostly of one of a few words."""
    for home, module in _sources():
        for each in module.body:
            match each:
                case ast.Assign(
                    [ast.Name(name)], ast.Subscript(ast.Name("Literal")) as value
                ) | ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias"), ast.expr() as value):
                    yield code(name), code(home), code(_unparsed(value))
                case _:
                    pass


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for name in sorted(each.name for each in pkgutil.iter_modules(records.__path__)):
        home = f"longterm.records.{name}"
        yield home, ast.parse(inspect.getsource(import_module(home)))


def _reached(classes: dict[str, ast.ClassDef], signatures: Iterable[str]) -> set[str]:
    found: set[str] = set()
    new = _words(signatures) & set(classes)
    while new:
        found |= new
        inside = (kind for name in new for _, kind in _fields(classes[name]))
        new = (_words(inside) & set(classes)) - found
    return found


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"\w+", text)}


def _fields(kind: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (ast.unparse(each.target), _unparsed(each.annotation))
        for each in kind.body
        if isinstance(each, ast.AnnAssign)
    ]


def _unparsed(part: ast.expr) -> str:
    return ast.unparse(part).replace("'", '"')
