"""Rows become records, fast: reading the last messages is mostly this."""

import json
from collections.abc import Callable, Sequence
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

    The slots are filled directly: the constructor of a frozen dataclass takes three times as
    long (3.2 against 1.1 µs a message), and what comes from the database was checked on its way
    in. Where a column is missing and the field has a default, the constructor is used. Where the
    field is a record, its column is JSON as text; it becomes nothing where it has another form: a
    file that was imported may tell anything.
    """
    inner = (
        {each.name: _inner(each.type) for each in fields(record)} if is_dataclass(record) else {}
    )

    def factory(result: PGresult) -> Make[T]:
        return made_of(tuple([result.fname(place) for place in range(result.nfields)]))

    @cache
    def made_of(columns: tuple[bytes | None, ...]) -> Make[T]:
        names = [(column or b"").decode() for column in columns]
        if set(names) != inner.keys():
            return lambda values: record(**dict(zip(names, values, strict=True)))
        return _making(record, [_filling(record, name, inner[name]) for name in names])

    return factory


def _making(record: type[T], fill: Sequence[Callable[[Any, Any], None]]) -> Make[T]:
    new = object.__new__

    def make(values: Sequence[Any]) -> T:
        made = new(record)
        # There are as many: the columns were compared. To compare again takes a fifth of it all.
        for put, value in zip(fill, values):  # noqa: B905
            put(made, value)
        return made

    return make


def _inner(kind: object) -> type[Any] | None:
    """The record that a field of this type holds, if it holds one or none."""
    kinds: tuple[Any, ...] = get_args(kind)
    return next((each for each in kinds if isinstance(each, type) and is_dataclass(each)), None)


def _filling(record: type[Any], column: str, inner: type[Any] | None) -> Callable[[Any, Any], None]:
    put: Callable[[Any, Any], None] = getattr(record, column).__set__
    if inner is None:
        return put
    # Not by way of a dictionary, which takes three times as long.
    read = SchemaValidator(
        TypeAdapter(inner).core_schema, CoreConfig(strict=True, cache_strings="keys")
    ).validate_json

    def put_inner(made: Any, text: str | None) -> None:
        if text is None:
            put(made, None)
            return
        try:
            put(made, read(text))
        except ValidationError:
            put(made, None)

    return put_inner
