"""Conversations that come from elsewhere, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from longterm.records.json import JsonObject
from longterm.records.message import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """A message as it is told to us; without `created_at` it counts as said now."""

    role: str
    content: str
    created_at: datetime | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """A conversation as it is told to us, its messages in the order they were said."""

    messages: Sequence[ImportedMessage]
    title: str | None = None
    metadata: JsonObject = field(default_factory=dict[str, "None"])


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedMessage:
    """A message of an import that is checked, has its turn, and is not stored yet."""

    conversation_id: str
    turn: int
    role: Role
    content: str
    name: str | None
    said_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedConversation:
    """A conversation of an import that is checked, has its turns, and is not stored yet."""

    id: str
    title: str | None
    metadata: JsonObject
    turn_count: int
    turn_open: bool
    messages: Sequence[NumberedMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What an import stored."""

    conversations: int = 0
    messages: int = 0
    turns: int = 0
    conversation_ids: tuple[str, ...] = ()

    def __add__(self, other: "ImportResult") -> "ImportResult":
        return ImportResult(
            conversations=self.conversations + other.conversations,
            messages=self.messages + other.messages,
            turns=self.turns + other.turns,
            conversation_ids=self.conversation_ids + other.conversation_ids,
        )
