"""What other programs have kept, as it is told to us, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

Format = Literal["longterm", "chatgpt", "claude", "openwebui", "librechat", "mem0", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMessage:
    """A message of another program; `extra` is what is kept beside its words."""

    external_id: str
    role: Literal["user", "assistant"]
    content: str
    said_at: datetime | None
    name: str | None = None
    turn: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignConversation:
    """A conversation of another program; `left_out` counts what nobody was shown."""

    external_id: str
    title: str | None
    messages: Sequence[ForeignMessage]
    left_out: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRecord:
    """Something that is no conversation; `weight` is how many characters are held of it."""

    kind: Literal["fact", "place", "memory", "user", "statement", "checkpoint"]
    data: Mapping[str, Any]
    weight: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Something that could not be taken in, where it stands, and why."""

    where: str
    reason: str


Foreign = ForeignConversation | ForeignRecord | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import stored, what was there already, and what could not be read."""

    format: Format
    conversations: int = 0
    messages: int = 0
    facts: int = 0
    places: int = 0
    memories: int = 0
    checkpoints: int = 0
    known: int = 0
    left_out: int = 0
    unread_count: int = 0
    unread: tuple[Unread, ...] = ()


MOST_TOLD = 100
