"""Arguments, checked by the types that a method names: what is written down as text has none."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, Union, get_args, get_origin
from uuid import UUID

from longterm.client.request import Request
from longterm.errors import InvalidInputError
from longterm.records.json import text

P = ParamSpec("P")
T = TypeVar("T")

# A type, or a word that is allowed.
_Allowed: TypeAlias = tuple[Any, ...]

# Of any number that a server takes; Python does not even write very large ones down.
_MOST_BITS = 64

_WORDS: dict[Any, str] = {
    str: "text",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    UUID: "a UUID",
    datetime: "a datetime",
    timedelta: "a timedelta",
    Path: "a Path",
    Mapping: "a mapping",
    Sequence: "a list",
}


def request_of(function: Callable[P, Request[T]], *args: P.args, **kwargs: P.kwargs) -> Request[T]:
    """Make the request of a method; refuse what is of another type than it names."""
    names, allowed = _taken(function)
    # Too many or unknown ones are Python's own to refuse, in the call below.
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        if name in allowed:
            _check(name, value, allowed[name])
    return function(*args, **kwargs)


def _check(name: str, value: object, allowed: _Allowed) -> None:
    if not any(_is(value, one) for one in allowed):
        words = [_WORDS.get(one) or repr(one) for one in allowed if one is not NoneType]
        raise InvalidInputError(f"{name} must be {' or '.join(words)}.")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InvalidInputError(f"{name} is out of range.")
    # The names of files are of another making.
    if isinstance(value, str) and Path not in allowed:
        text(value, name)


def _is(value: object, allowed: object) -> bool:
    if not isinstance(allowed, type):
        return isinstance(value, str) and value == allowed
    if allowed in (int, float):
        numbers = (int,) if allowed is int else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, allowed) and not (
        allowed is Sequence and isinstance(value, str | bytes)
    )


@cache
def _taken(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, _Allowed]]:
    """The names of all arguments in their order, and what is allowed for those that are checked."""
    parameters = inspect.signature(function).parameters
    allowed = {name: _flat(one.annotation) for name, one in parameters.items()}
    return tuple(parameters), {name: kinds for name, kinds in allowed.items() if Any not in kinds}


def _flat(hint: Any) -> _Allowed:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return tuple(one for part in get_args(hint) for one in _flat(part))
    if origin is Literal:
        return get_args(hint)
    return (origin or hint,)
