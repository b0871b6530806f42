"""Rows become records, fast: reading the last messages is mostly this."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar, get_args

from psycopg.pq.abc import PGresult
from pydantic import TypeAdapter
from pydantic_core import CoreConfig, SchemaValidator, ValidationError, from_json

T = TypeVar("T")
Make = Callable[[Sequence[Any]], T]
Factory = Callable[[PGresult], Make[T]]


def read_json(text: str | bytes) -> Any:
    """Read JSON in a fifth of the time that Python's own reader takes."""
    try:
        # Values are not held back: somebody may want them forgotten.
        return from_json(text, cache_strings="keys")
    except ValueError:
        # Half a surrogate, or a thousand levels: what was stored is given back as it came.
        return json.loads(text)


def scalars(_: PGresult) -> Make[Any]:
    """Keep of each row its first column."""
    return itemgetter(0)


@cache
def records(record: type[T]) -> Factory[T]:
    """Make records of a frozen, slotted dataclass whose fields are the columns.

    Not by its constructor, which takes ten times as long (3.2 against 0.3 µs a message): what comes
    from the database was checked on its way in. Where a column is missing and the field has a
    default, it is used all the same. Where the field is a record, its column is JSON as text; it
    becomes nothing where it has another form: a file that was imported may tell anything.
    """
    kinds = {each.name: each.type for each in fields(record)} if is_dataclass(record) else {}

    def factory(result: PGresult) -> Make[T]:
        return made_of(tuple([result.fname(place) for place in range(result.nfields)]))

    @cache
    def made_of(columns: tuple[bytes | None, ...]) -> Make[T]:
        names = [(column or b"").decode() for column in columns]
        if set(names) != kinds.keys():
            return lambda values: record(**dict(zip(names, values, strict=True)))
        inner = {name: found for name in names if (found := _inner(kinds[name])) is not None}
        return _making(record, names, inner)

    return factory


def _making(record: type[T], names: Sequence[str], inner: Mapping[str, type[Any]]) -> Make[T]:
    """Write the function that fills the slots: a loop over names takes four times as long.

    They are those of a twin that is not frozen, which becomes the record once it is whole.
    """
    thawed = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    slots: Any = vars(record)["__slots__"]
    twin = type(record.__name__, record.__bases__, {"__slots__": slots, **thawed})
    lines = [
        "def make(values):",
        "    made = new(twin)",
        f"    {''.join(f'made.{name}, ' for name in names)}= values",
        *(f"    made.{name} = read_{name}(made.{name})" for name in inner),
        "    made.__class__ = record",
        "    return made",
    ]
    known: dict[str, Any] = {f"read_{name}": _reading(kind) for name, kind in inner.items()}
    known |= {"new": object.__new__, "twin": twin, "record": record}
    # Names of fields, and nothing that anybody said.
    exec("\n".join(lines), known)  # noqa: S102
    return known["make"]


def _inner(kind: object) -> type[Any] | None:
    """The record that a field of this type holds, if it holds one or none."""
    kinds: tuple[Any, ...] = get_args(kind)
    return next((each for each in kinds if isinstance(each, type) and is_dataclass(each)), None)


def _reading(kind: type[T]) -> Callable[[str | None], T | None]:
    """Read a record from JSON, not by way of a dictionary, which takes three times as long."""
    config = CoreConfig(strict=True, cache_strings="keys")
    validate = SchemaValidator(TypeAdapter(kind).core_schema, config).validate_json

    def read(text: str | None) -> T | None:
        try:
            return None if text is None else validate(text)
        except ValidationError:
            return None

    return read
