"""docs/reference/library.md."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, cast

from docs.generate import records
from docs.generate.markdown import MADE, block, code, join, line, table, told

from longterm import AsyncTenant, Longterm, errors
from longterm.library import AsyncLongterm

ABOUT = """
`Longterm` waits, `AsyncLongterm` is awaited; their methods are the same, and so are those of
`Longterm().tenant(…)` and `AsyncLongterm().tenant(…)`. What is told here of the async methods holds for
the blocking ones: leave out `await`, and read `Iterator` for `AsyncGenerator`.
"""
_WIDTH = 96


def page() -> str:
    """The classes, their methods, and what these give."""
    operations = {**_methods(AsyncLongterm), **_methods(AsyncTenant)}
    return join(
        "# Library",
        MADE,
        ABOUT,
        "## Longterm, AsyncLongterm",
        told(Longterm.__doc__),
        block(_signature("Longterm", AsyncLongterm.__init__)),
        *_described(_methods(AsyncLongterm)),
        "## Tenant, AsyncTenant",
        told(AsyncTenant.__doc__),
        *_described(_methods(AsyncTenant)),
        "## Records",
        "Frozen, in `longterm.records`.",
        *records.described(_signature(name, method) for name, method in operations.items()),
        "## Values",
        table(("name", "of", "is"), records.values()),
        "## Errors",
        "In `longterm.errors`, and most of them in `longterm`.",
        table(("error", "is a", "says"), _errors()),
    )


def _methods(kind: type) -> dict[str, Callable[..., Any]]:
    found = {name: getattr(kind, name) for name in sorted(dir(kind)) if not name.startswith("_")}
    return {name: method for name, method in found.items() if inspect.isfunction(method)}


def _described(methods: dict[str, Callable[..., Any]]) -> Iterator[str]:
    for name, method in methods.items():
        yield f"### {name}"
        yield block(_signature(name, method))
        yield told(method.__doc__)


def _signature(name: str, method: Callable[..., Any]) -> str:
    """A signature in the words of the source, on one line or on one for each argument."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(method)))
    found = cast("ast.FunctionDef | ast.AsyncFunctionDef", ast.parse(source).body[0])
    gives = f" -> {ast.unparse(found.returns)}" if found.returns and name != "Longterm" else ""
    given = list(_arguments(found.args))
    whole = f"{name}({', '.join(given)}){gives}"
    if len(whole) > _WIDTH:
        whole = "\n".join((f"{name}(", *(f"    {each}," for each in given), f"){gives}"))
    return whole.replace("'", '"')


def _arguments(given: ast.arguments) -> Iterator[str]:
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    # Without `self`.
    yield from map(_argument, given.args[1:], defaults[1:])
    if given.kwonlyargs:
        yield "*"
    yield from map(_argument, given.kwonlyargs, given.kw_defaults)
    if given.kwarg is not None:
        yield f"**{ast.unparse(given.kwarg)}"


def _argument(given: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(given) + ("" if default is None else f" = {ast.unparse(default)}")


def _errors() -> Iterator[tuple[str, str, str]]:
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.LongtermError):
            yield code(name), code(kind.__mro__[1].__name__), line(kind.__doc__)
