"""A conversation: a thread of one user. A session is a conversation that `/chat` made."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from longterm.records.json import JsonObject

Kind = Literal["conversation", "session"]
TitleOrigin = Literal["person", "model", "rule"]

Retention: TypeAlias = Literal["keep"] | timedelta
"""How long a conversation lives after its last turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """A conversation that is checked and not stored yet."""

    id: str
    user_id: str
    kind: Kind = "conversation"
    title: str | None = None
    retention_hours: float | None = None
    metadata: JsonObject = field(default_factory=dict[str, "None"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A stored conversation; without `expires_at` it is kept for good."""

    id: str
    tenant_id: int | None
    user_id: str
    kind: Kind
    title: str | None
    title_by: TitleOrigin | None
    archived: bool
    pinned: bool
    retention_hours: float | None
    expires_at: datetime | None
    turn_count: int
    metadata: JsonObject
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundConversation(Conversation):
    """A conversation of a list; after a search, with the text around what was found."""

    snippet: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is searched for: a pattern, and the stems of its words."""

    pattern: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page of a list ended."""

    pinned: bool
    updated_at: datetime
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanges:
    """What to change about a conversation; None leaves it as it is."""

    title: str | None = None
    archived: bool | None = None
    pinned: bool | None = None
    set_retention: bool = False
    retention_hours: float | None = None
    metadata: JsonObject | None = None
