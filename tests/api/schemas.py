"""JSON schemas of the description: what does not fit them, and what does."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

Schema = dict[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([0, -1, 2**31, 2**63, 2**64, 10**400, -(10**4000), 1e308, 1e-320]),
        st.floats(),
        st.text(max_size=20),
        st.text(st.sampled_from("\x00\ud800\udfff \n%_\\'\"{}0٣é😀"), max_size=5),
        st.just("x" * 300),
        st.uuids().map(str),
        st.datetimes().map(str),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def resolved(schema: Schema, root: Schema) -> Schema:
    """Follow a reference to what it stands for."""
    while "$ref" in schema:
        found: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    return schema


def flaws(value: Any, schema: Schema, root: Schema, where: str = "") -> Iterator[str]:
    """Every way in which a value does not fit a schema."""
    schema = resolved(schema, root)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        if all(any(flaws(value, one, root)) for one in choices):
            yield f"{where}: {value!r:.60} fits nothing of {choices}"
        return
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield f"{where}: {value!r:.60} is not allowed"
    wanted = schema.get("type")
    if wanted is not None and not _is(value, wanted):
        yield f"{where}: {value!r:.60} is no {wanted}"
    elif wanted == "object":
        yield from _object_flaws(value, schema, root, where)
    elif wanted == "array":
        for number, item in enumerate(value):
            yield from flaws(item, schema.get("items", {}), root, f"{where}[{number}]")
    elif not _is_formed(value, schema.get("format")):
        yield f"{where}: {value!r:.60} is no {schema['format']}"


def _is_formed(value: Any, form: str | None) -> bool:
    try:
        if form == "date-time":
            return datetime.fromisoformat(value).utcoffset() is not None
        return form != "uuid" or str(UUID(value)) == value
    except ValueError:
        return False


def _is(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, _TYPES[wanted])


def _object_flaws(value: Any, schema: Schema, root: Schema, where: str) -> Iterator[str]:
    known: Schema = schema.get("properties", {})
    yield from (f"{where}: no {name}" for name in schema.get("required", ()) if name not in value)
    others: Any = schema.get("additionalProperties", not known)
    for name, inner in value.items():
        if name in known:
            yield from flaws(inner, known[name], root, f"{where}.{name}")
        elif others is False:
            yield f"{where}: {name} is not described"
        elif others is not True:
            yield from flaws(inner, others, root, f"{where}.{name}")


def fitting(schema: Schema, root: Schema) -> st.SearchStrategy[Any]:
    """Values that fit a schema."""
    schema = resolved(schema, root)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return st.one_of([fitting(one, root) for one in choices])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    if kind == "object":
        return _objects(schema, root)
    if kind == "array":
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)
        return st.lists(fitting(schema.get("items", {}), root), min_size=least, max_size=most)
    return _leaves(kind, schema)


def _leaves(kind: str | None, schema: Schema) -> st.SearchStrategy[Any]:
    if kind == "string":
        return _texts(schema)
    if kind == "integer":
        return st.integers(schema.get("minimum", -5), schema.get("maximum", 2**40))
    if kind == "number":
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        return st.floats(
            least, schema.get("maximum", 1e6), exclude_min="exclusiveMinimum" in schema
        )
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    return st.one_of(st.none(), st.text(max_size=5), st.lists(st.integers(), max_size=2))


def _texts(schema: Schema) -> st.SearchStrategy[str]:
    if schema.get("format") == "uuid":
        return st.uuids().map(str)
    if schema.get("format") == "date-time":
        return st.datetimes().map(lambda moment: moment.isoformat() + "Z")
    least, most = schema.get("minLength", 0), min(schema.get("maxLength", 20), 20)
    return st.text(min_size=least, max_size=most)


@st.composite
def _objects(draw: st.DrawFn, schema: Schema, root: Schema) -> Schema:
    known: Schema = schema.get("properties", {})
    needed = set(schema.get("required", ()))
    if not known:
        return draw(st.dictionaries(st.text(max_size=5), st.integers(), max_size=2))
    chosen = needed | draw(st.sets(st.sampled_from(sorted(known)), max_size=4))
    return {name: draw(fitting(known[name], root)) for name in sorted(chosen)}
