"""Plain JSON Lines: a conversation in each line, or a message in each line."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from longterm.imports.values import identifier, mapping, moment, sequence, spoken, title
from longterm.records.importing import Foreign, ForeignConversation, ForeignMessage, Unread

_TIMES = ("created_at", "timestamp", "time", "create_time", "date")


def is_one(item: object) -> bool:
    """Whether this is a message, or a conversation with messages."""
    told = mapping(item)
    return isinstance(told.get("messages"), list) or ("role" in told and "content" in told)


class Names:
    """Names for conversations that have none: the same in every run, another for each.

    By how one begins, up to the first answer: so it keeps its name when messages are added.
    """

    def __init__(self) -> None:
        self._seen: dict[bytes, dict[bytes, int]] = {}

    def of(self, messages: Sequence[ForeignMessage]) -> str:
        """The name of a conversation; one that only begins like another has its own."""
        answered = [place for place, one in enumerate(messages, 1) if one.role == "assistant"]
        begun = _hash(messages[: answered[0]] if answered else messages)
        alike = self._seen.setdefault(begun, {})
        number = alike.setdefault(_hash(messages), len(alike))
        return f"{begun.hex()}-{number}" if number else begun.hex()


def read(item: object, where: str, names: Names) -> Iterator[Foreign]:
    """A conversation; a line that is a message is gathered by who reads the file."""
    told = mapping(item)
    given = [mapping(one) for one in sequence(told.get("messages"))]
    found = [message(one, place) for place, one in enumerate(given)]
    shown = [one for one in found if one is not None]
    if not shown:
        yield Unread(where=where, reason="There is no message of a user or an assistant.")
        return
    yield ForeignConversation(
        external_id=identifier(told.get("id"))
        or identifier(told.get("conversation_id"))
        or names.of(shown),
        title=title(told.get("title")),
        messages=shown,
        left_out=len(found) - len(shown),
    )


def message(told: Mapping[str, Any], place: int) -> ForeignMessage | None:
    """A message; None for one of another role, or without words."""
    role, words = told.get("role"), spoken(told.get("content"))
    if role not in ("user", "assistant") or not words.strip():
        return None
    said = (moment(told.get(name)) for name in _TIMES)
    return ForeignMessage(
        # With its words: another file may begin alike, and go on with others.
        external_id=identifier(told.get("id")) or f"{place} {_digest(role, words).hex()}",
        role="user" if role == "user" else "assistant",
        content=words,
        said_at=next((at for at in said if at is not None), None),
        name=title(told.get("name")),
    )


def _hash(messages: Sequence[ForeignMessage]) -> bytes:
    return sha256(b"".join(_digest(one.role, one.content) for one in messages)).digest()


def _digest(role: str, words: str) -> bytes:
    return sha256(f"{role}\0{words}".encode()).digest()
