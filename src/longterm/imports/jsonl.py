"""Plain JSON Lines: a conversation in each line, or a message in each line."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from longterm.imports.values import mapping, moment, sequence, text, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

_TIMES = ("created_at", "timestamp", "time", "create_time", "date")


def is_one(item: object) -> bool:
    """Whether this is a message, or a conversation with messages."""
    told = mapping(item)
    return isinstance(told.get("messages"), list) or ("role" in told and "content" in told)


def read(item: object, where: str) -> Iterator[Foreign]:
    """A conversation; a line that is a message is gathered by `Gathered`."""
    told = mapping(item)
    given = [mapping(one) for one in sequence(told.get("messages"))]
    found = [message(one, place) for place, one in enumerate(given)]
    shown = [one for one in found if one is not None]
    external_id = text(told.get("id")) or text(told.get("conversation_id")) or _hash(shown)
    if not shown:
        yield Unread(where=where, reason="There is no message of a user or an assistant.")
        return
    yield ForeignConversation(
        external_id=external_id,
        title=title(told.get("title")),
        messages=shown,
        left_out=len(found) - len(shown),
    )


def message(told: Mapping[str, Any], place: int) -> ForeignMessage | None:
    """A message; None for one of another role, or without words."""
    role, words = told.get("role"), text(told.get("content"))
    if role not in ("user", "assistant") or not words.strip():
        return None
    said = (moment(told.get(name)) for name in _TIMES)
    return ForeignMessage(
        external_id=text(told.get("id")) or f"{place}",
        role="user" if role == "user" else "assistant",
        content=words,
        said_at=next((at for at in said if at is not None), None),
        name=title(told.get("name")),
    )


def _hash(shown: list[ForeignMessage]) -> str:
    """What stays the same when messages are added at the end."""
    first = shown[0] if shown else None
    return "" if first is None else sha256(f"{first.role}\0{first.content}".encode()).hexdigest()
