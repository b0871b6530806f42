"""What callers give, checked before anything is written: one sentence for each refusal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar, cast
from uuid import UUID

from longterm.errors import InvalidInputError, InvalidRoleError
from longterm.records.conversation import Retention
from longterm.records.json import Json, JsonObject, check_json, text
from longterm.records.message import ROLES, Payloads, Role
from longterm.records.passage import KINDS, Kind
from longterm.text import prompt_data
from longterm.text.secrets import gate

T = TypeVar("T", bound=str)

MAX_ID_LENGTH = 255
MAX_TITLE_LENGTH = 255
MAX_FACT_LENGTH = 500
MAX_PAGE = 1000
MAX_OFFSET = 2**31 - 1
MAX_INTEGER = 2**63 - 1
MAX_RETENTION = timedelta(days=100 * 365)
PAYLOADS = ("tool_calls", "suggested_values", "suggested_actions", "custom_payload")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is accepted at a time."""

    message_bytes: int = 1_000_000
    json_bytes: int = 1_000_000


def name(value: object, what: str, *, longest: int = MAX_ID_LENGTH) -> str:
    """A short text that is not blank."""
    value = text(value, what)
    if not value.strip():
        raise InvalidInputError(f"{what} must not be blank.")
    if len(value) > longest:
        raise InvalidInputError(
            f"{what} must have at most {longest} characters; it has {len(value)}."
        )
    return value


def user_id(value: object) -> str:
    """Return the id of a user: any text of 1 to 255 characters that is not blank."""
    return name(value, "user_id")


def tenant_id(value: object) -> int:
    """Return the number of a tenant; None is the system tenant, 0."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError("tenant_id must be an integer, or None for the system tenant.")
    if not 0 <= value <= MAX_INTEGER:
        raise InvalidInputError(f"tenant_id must be from 0 to {MAX_INTEGER}.")
    return value


def role(value: object) -> Role:
    """`user` or `assistant`."""
    if not isinstance(value, str):
        raise InvalidRoleError
    if value not in ROLES:
        raise InvalidRoleError(f"A message has the role `user` or `assistant`, not {value[:40]!r}.")
    return value


def content(value: object, what: str, *, limits: Limits) -> str:
    """Return the words of a message: not blank, not too large."""
    value = text(value, what)
    if not value.strip():
        raise InvalidInputError(f"{what} must not be blank.")
    return _not_too_large(value, what, limits.message_bytes)


def _not_too_large(value: str, what: str, limit: int) -> str:
    size = len(value.encode())
    if size > limit:
        raise InvalidInputError(f"{what} must have at most {limit:,} bytes; it has {size:,}.")
    return value


def uuid(value: object, what: str) -> str:
    """A UUID as its canonical text."""
    if isinstance(value, UUID):
        return str(value)
    try:
        return str(UUID(text(value, what)))
    except ValueError:
        raise InvalidInputError(f"{what} must be a UUID.") from None


def message_id(value: object, what: str = "message_id") -> int:
    """Return the id of a message: a positive integer."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_INTEGER:
        raise InvalidInputError(f"{what} must be the id of a message, a positive integer.")
    return value


def reference(value: object, what: str) -> str:
    """Return the id of something that may be kept elsewhere: a UUID, a number or a short text."""
    if isinstance(value, UUID) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    return name(value, what)


def number(value: object, what: str, *, least: int, most: int) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(f"{what} must be a whole number.")
    if not least <= value <= most:
        raise InvalidInputError(f"{what} must be from {least} to {most}.")
    return value


def limit(value: object, what: str = "limit", *, most: int = MAX_PAGE) -> int:
    """How many items are wanted."""
    return number(value, what, least=1, most=most)


def budget(value: object, what: str) -> int | None:
    """How much of something may be spent; None leaves it open."""
    return None if value is None else number(value, what, least=0, most=MAX_INTEGER)


def offset(value: object) -> int:
    """How many items to pass over."""
    return number(value, "offset", least=0, most=MAX_OFFSET)


def moment(value: object, what: str) -> datetime:
    """A time that says its zone, as UTC."""
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{what} must be a datetime.")
    if value.utcoffset() is None:
        raise InvalidInputError(f"{what} must say its time zone: a naive datetime is ambiguous.")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(f"{what} is out of range.") from None


def retention_hours(value: object, what: str = "retention") -> float | None:
    """`keep` as None; a timedelta, or a number of hours, as hours."""
    if value == "keep":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        most = MAX_RETENTION / timedelta(hours=1) + 1
        value = timedelta(hours=max(-1, min(value, most)))
    if not isinstance(value, timedelta) or not timedelta(0) < value <= MAX_RETENTION:
        raise InvalidInputError(
            f"{what} must be 'keep', or a positive time of at most 100 years (hours or timedelta)."
        )
    return value / timedelta(hours=1)


def retention(value: object, what: str) -> Retention | None:
    """How long something is kept; None leaves it to the default."""
    if value is None:
        return None
    hours = retention_hours(value, what)
    return "keep" if hours is None else timedelta(hours=hours)


def json_object(value: object, what: str, *, limits: Limits) -> JsonObject:
    """A JSON object, and nothing that JSON or PostgreSQL would change."""
    if not isinstance(value, dict):
        raise InvalidInputError(f"{what} must be a JSON object, not {type(value).__name__}.")
    json_value(cast("object", value), what, limits=limits)
    return cast("JsonObject", value)


def metadata(value: object, *, limits: Limits) -> JsonObject:
    """A JSON object of the application's own; none is an empty one."""
    return {} if value is None else json_object(value, "metadata", limits=limits)


def json_value(value: object, what: str, *, limits: Limits) -> Json:
    """Any JSON value within the limits."""
    check_json(value, what)
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > limits.json_bytes:
        raise InvalidInputError(
            f"{what} must have at most {limits.json_bytes:,} bytes as JSON; it has {size:,}."
        )
    return cast("Json", value)


def payloads(values: Mapping[str, object], *, limits: Limits) -> Payloads:
    """What an application attaches to a message."""
    unknown = sorted(set(values) - set(PAYLOADS))
    if unknown:
        raise InvalidInputError(
            f"A message has no {unknown[0]!r:.60}; it can carry {', '.join(PAYLOADS)}."
        )
    return Payloads(**{key: json_value(value, key, limits=limits) for key, value in values.items()})


def variables(value: object) -> dict[str, object]:
    """What a template is filled in with."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInputError("variables must be a mapping of names to values.")
    pairs = cast("Mapping[object, object]", value).items()
    return {text(key, "The name of a variable"): inner for key, inner in pairs}


def kinds(value: object) -> tuple[Kind, ...]:
    """Which kinds of memory are wanted, at least one of them."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise InvalidInputError(f"kinds must be a list of {', '.join(KINDS)}.")
    chosen = [choice(kind, "kinds", KINDS) for kind in cast("Sequence[object]", value)]
    return tuple(kind for kind in KINDS if kind in chosen)


def flag(value: object, what: str) -> bool:
    """True or False, and nothing that only counts as one of them."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{what} must be True or False.")
    return value


def fact_content(value: object) -> str:
    """Return the words of a fact: 1 to 500 characters on one line."""
    return sentence(value, "content", longest=MAX_FACT_LENGTH)


def sentence(value: object, what: str, *, longest: int = MAX_ID_LENGTH) -> str:
    """Words that people and models read: on one line, without characters that nobody sees.

    They may hold a secret: `gate` checks them together with what they stand beneath.
    """
    return name(prompt_data.one_line(text(value, what)), what, longest=longest)


def open_name(value: object, what: str) -> str:
    """A name by which things are found again, so it is refused and not changed."""
    words = name(value, what)
    if prompt_data.has_unwanted(words):
        raise InvalidInputError(
            f"{what} must not have control characters or characters that change its direction."
        )
    return gate.check_text(words, what)


def share(value: object, what: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInputError(f"{what} must be a number from 0 to 1.")
    return float(value)


def choice(value: object, what: str, allowed: Sequence[T]) -> T:
    """One of the words that are allowed."""
    for word in allowed:
        if isinstance(value, str) and value == word:
            return word
    raise InvalidInputError(f"{what} must be one of {', '.join(allowed)}.")


def pattern(value: object, what: str) -> str:
    """Words to look for, taken literally, as a pattern of SQL."""
    words = name(value, what)
    for special in "\\%_":
        words = words.replace(special, "\\" + special)
    return f"%{words}%"
