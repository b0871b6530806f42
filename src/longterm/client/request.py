"""A request before it is sent: what is asked, and how its answer reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote
from uuid import UUID

from longterm.errors import InvalidInputError
from longterm.records.conversation import Retention

T = TypeVar("T")

Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """What to send, and what its answer becomes; of a stream, what each event becomes.

    `user_id` is the user that it names. `absent` is the answer when what was named is not there;
    without it that is an error. What is not `repeatable` is sent once more only when it surely
    was not done.
    """

    method: Method
    path: str
    read: Callable[[Any], T]
    user_id: str | None = None
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    absent: Callable[[], T] | None = None
    repeatable: bool = True


def path(*steps: object) -> str:
    """Make a path; a step may hold anything."""
    return "/" + "/".join(_step(str(step)) for step in steps)


def of_user(user_id: str, *steps: object) -> str:
    """Make a path beneath a user."""
    if "/" in checked_user(user_id):
        raise InvalidInputError("Over HTTP, this cannot be asked for a user_id with a `/` in it.")
    return path("api", "users", user_id, *steps)


def checked_user(user_id: object) -> str:
    """Return the id of a user; a number would be sent as if it were text."""
    if not isinstance(user_id, str):
        raise InvalidInputError(f"user_id must be text, not {type(user_id).__name__}.")
    return user_id


def given(**members: Any) -> dict[str, Any]:
    """Leave out what is None: the server has the same defaults."""
    return {name: value for name, value in members.items() if value is not None}


def hours(kept: Retention | float | None) -> float | Literal["keep"] | None:
    """Return for how many hours something is kept."""
    return kept / timedelta(hours=1) if isinstance(kept, timedelta) else kept


def plain(value: object) -> str:
    """Write what JSON and a query have no form of their own for."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str | int | float | UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _step(step: str) -> str:
    if not step:
        raise InvalidInputError("An id, a key or a name must not be empty.")
    # Else `..` would be taken for the folder above, and another thing be meant.
    return quote(step, safe="").replace(".", "%2E") if step in (".", "..") else quote(step, safe="")
