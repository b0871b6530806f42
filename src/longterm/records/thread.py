"""A thread: the history that a client holds itself and sends with every request."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal

from longterm.records.json import Json

ThreadRole = Literal["user", "assistant", "tool"]

_SIZE = 16
_RECENT = 4
START = bytes(_SIZE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message of a client's history; `own` is a hash of what it says.

    A result of a tool has the id of the call that it belongs to. What is blank is not stored.
    """

    role: ThreadRole
    own: bytes
    content: str = ""
    name: str | None = None
    tool_calls: Json = None
    call_id: str | None = None
    partial: bool = False
    model: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Knot:
    """A message of a thread that is noted already."""

    conversation_id: str
    chain: bytes
    parent: bytes | None
    recent: bytes
    role: ThreadRole
    message_id: int | None
    partial: bool
    age_s: float
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Where a request stands in its conversation, and the message that it asks with."""

    conversation_id: str
    chain: bytes
    message_id: int | None
    stored: int


def own_hash(role: ThreadRole, text: str, *more: str) -> bytes:
    """A hash of what a message says; blanks around it don't count, for clients strip them."""
    hashed = sha256()
    for part in (role, text.replace("\r\n", "\n").strip(), *more):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big"))
        hashed.update(encoded)
    return hashed.digest()[:_SIZE]


def link(chain: bytes | None, own: bytes) -> bytes:
    """The chain that ends with one more message."""
    return sha256((chain or START) + own).digest()[:_SIZE]


def chains(entries: Sequence[Entry]) -> list[bytes]:
    """The chain up to each message of a history that is whole."""
    found: list[bytes] = []
    for entry in entries:
        found.append(link(found[-1] if found else None, entry.own))
    return found


def recents(entries: Sequence[Entry]) -> list[bytes | None]:
    """The last four messages up to each one; None where there are fewer."""
    owns = [entry.own for entry in entries]
    return [
        b"".join(owns[end - _RECENT : end]) if end >= _RECENT else None
        for end in range(1, len(owns) + 1)
    ]


def with_recent(recent: bytes, own: bytes) -> bytes:
    """The last four messages, with one more."""
    return (recent + own)[-_RECENT * _SIZE :]
