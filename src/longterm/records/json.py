"""What JSON can hold, and what of it can be stored as it is."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from longterm.errors import InvalidInputError

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, Json]

MAX_DEPTH = 64
# Python refuses to read integers of more than 4,300 digits from text.
MAX_INTEGER_BITS = 10_000


def text(value: object, what: str) -> str:
    """Text that PostgreSQL can hold: no NUL characters, no half of a character pair."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{what} must be text, not {type(value).__name__}.")
    if "\x00" in value:
        raise InvalidInputError(f"{what} must not contain NUL characters.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInputError(
            f"{what} must be valid Unicode; it contains a lone surrogate."
        ) from None
    return value


def check_json(root: object, what: str) -> None:
    """Refuse what JSON or PostgreSQL would change."""
    # A loop and not a recursion: the depth is the caller's.
    waiting = [(root, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise InvalidInputError(f"{what} must not be nested deeper than {MAX_DEPTH} levels.")
        if isinstance(value, dict):
            for key, inner in cast("dict[object, object]", value).items():
                text(key, f"A key in {what}")
                waiting.append((inner, depth + 1))
        elif isinstance(value, list | tuple):
            waiting += [(inner, depth + 1) for inner in cast("Sequence[object]", value)]
        else:
            _check_leaf(value, what)


def _check_leaf(value: object, what: str) -> None:
    if isinstance(value, str):
        text(value, f"Text in {what}")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInputError(f"{what} must not contain NaN or infinite numbers.")
    elif isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise InvalidInputError(f"{what} must not contain integers of more than 3,000 digits.")
    elif not (value is None or isinstance(value, bool | int)):
        raise InvalidInputError(
            f"{what} must hold JSON only: {type(value).__name__} is not a JSON type."
        )
