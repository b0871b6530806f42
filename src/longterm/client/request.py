"""A request before it is sent: what is asked, and how its answer reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote
from uuid import UUID

from longterm.client.pieces import Pieces
from longterm.errors import InvalidInputError
from longterm.records.conversation import Retention

T = TypeVar("T")

Method = Literal["GET", "POST", "PUT", "DELETE"]

_MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """What to send, and what its answer becomes; of a stream, what each of its `pieces` becomes.

    `user_id` is the user that it names. `absent` is the answer when what was named is not there;
    without it that is an error. What is not `repeatable` is sent once more only when it surely
    was not done. A `file` is sent instead of a body. `write_id` is the caller's Idempotency-Key.
    """

    method: Method
    path: str
    read: Callable[[Any], T]
    user_id: str | None = None
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    file: str | Path | None = None
    pieces: type[Pieces] | None = None
    absent: Callable[[], T] | None = None
    repeatable: bool = True
    write_id: str | None = None


def path(*steps: str) -> str:
    """Make a path; a step may hold anything."""
    return "/" + "/".join(_step(step) for step in steps)


def of_user(user_id: str, *steps: str) -> str:
    """Make a path beneath a user; the query names them too, in case that a proxy changes it."""
    return path("api", "users", user_id, *steps)


def uuid_step(value: str | UUID, what: str) -> str:
    """Return a UUID as a step of a path; anything else might be the name of another thing."""
    try:
        return str(UUID(str(value)))
    except ValueError:
        raise InvalidInputError(f"{what} must be a UUID.") from None


def message_step(value: object, what: str = "message_id") -> str:
    """Return the id of a message as a step of a path."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MAX_INTEGER:
        raise InvalidInputError(f"{what} must be the id of a message, a positive integer.")
    return str(value)


def write_id_of(write_id: str | UUID | None) -> str | None:
    """Return the id of a write; anything but a UUID is refused, as in the library."""
    return None if write_id is None else uuid_step(write_id, "write_id")


def given(**members: Any) -> dict[str, Any]:
    """Leave out what is None: the server has the same defaults."""
    return {name: value for name, value in members.items() if value is not None}


def hours(kept: Retention | float | None) -> float | Literal["keep"] | None:
    """Return for how many hours something is kept."""
    return kept / timedelta(hours=1) if isinstance(kept, timedelta) else kept


def plain(value: Any) -> str:
    """Write a value as a part of a query."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _step(step: str) -> str:
    if not step:
        raise InvalidInputError("An id, a key or a name must not be empty.")
    if "\n" in step:
        # The server's pattern for the rest of a path does not match it.
        raise InvalidInputError("Over HTTP, an id, a key or a name must not hold a line end.")
    # Else `..` would be taken for the folder above, and another thing be meant.
    return quote(step, safe="").replace(".", "%2E") if step in (".", "..") else quote(step, safe="")
