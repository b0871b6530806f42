"""Makes the records of the library from JSON, by the types of their fields."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from longterm.records.page import Page

T = TypeVar("T")
Read = Callable[[Any], Any]


def record(kind: type[T]) -> Callable[[Any], T]:
    """Read a record; members that it does not have are passed over."""
    return reader(kind)


def items(kind: type[T]) -> Callable[[Any], list[T]]:
    """Read a list of records."""
    read = reader(kind)
    return lambda data: [read(item) for item in data["items"]]


def page(kind: type[T]) -> Callable[[Any], Page[T]]:
    """Read one page of records."""
    read = items(kind)
    return lambda data: Page(tuple(read(data)), data["next_cursor"])


def member(name: str, kind: type[T]) -> Callable[[Any], T]:
    """Read one member of an object."""
    read = reader(kind)
    return lambda data: read(data[name])


def nothing(_: Any) -> None:
    """Read an answer that has nothing to tell."""


def true(_: Any) -> bool:
    """Read an answer that came at all: it was there."""
    return True


@cache
def reader(kind: Any) -> Read:
    """Return what reads a value of this type."""
    if is_dataclass(kind):
        return _dataclass_reader(kind)
    origin = get_origin(kind)
    if origin in _GENERIC:
        return _GENERIC[origin](get_args(kind))
    return _PLAIN.get(kind, as_it_is)


def _dataclass_reader(kind: Any) -> Read:
    members = tuple((one.name, reader(one.type)) for one in fields(kind))
    return lambda data: kind(**{name: read(data[name]) for name, read in members if name in data})


def _optional(args: tuple[Any, ...]) -> Read:
    inner = [arg for arg in args if arg is not NoneType]
    # Several forms are those of JSON itself.
    read = reader(inner[0]) if len(inner) == 1 else as_it_is
    return lambda value: None if value is None else read(value)


def _tuple(args: tuple[Any, ...]) -> Read:
    if args[-1] is Ellipsis:
        read = reader(args[0])
        return lambda values: tuple(read(value) for value in values)
    readers = tuple(reader(arg) for arg in args)
    return lambda values: tuple(read(value) for read, value in zip(readers, values, strict=True))


def _list(args: tuple[Any, ...]) -> Read:
    read = reader(args[0])
    return lambda values: [read(value) for value in values]


def _mapping(args: tuple[Any, ...]) -> Read:
    read = reader(args[1])
    return lambda values: {name: read(value) for name, value in values.items()}


def as_it_is(value: Any) -> Any:
    """Read what JSON itself has a form for."""
    return value


_PLAIN: dict[Any, Read] = {
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    Decimal: Decimal,
    float: float,
}
_GENERIC: dict[Any, Callable[[tuple[Any, ...]], Read]] = {
    Union: _optional,
    UnionType: _optional,
    tuple: _tuple,
    list: _list,
    dict: _mapping,
    Mapping: _mapping,
}
