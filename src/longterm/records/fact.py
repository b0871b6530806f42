"""A fact: something known about a user, in versions with the time each of them held."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

FactType = Literal[
    "fact",
    "preference",
    "entity",
    "project",
    "decision",
    "identity",
    "constraint",
    "instruction",
]
FACT_TYPES: tuple[FactType, ...] = get_args(FactType)

Origin = Literal["person", "agent", "api", "import", "model", "rules"]
"""Who says so; a person is trusted most, a rule least."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)

Closed = Literal["replaced", "ended", "deactivated", "deleted", "evicted", "rebuilt"]
"""Why a version does not hold any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact that is checked and not stored yet."""

    user_id: str
    type: FactType
    category: str | None
    key: str | None
    content: str
    confidence: float
    importance: float
    origin: Origin
    said_at: datetime
    tokens: int
    source_conversation_id: str | None = None
    source_message_id: int | None = None
    span_start: int | None = None
    span_end: int | None = None
    extractor: str | None = None
    correction: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One version of a fact.

    Three times are kept apart: `said_at`, when it was said; `recorded_at`, when it was stored;
    `valid_from` and `valid_to`, from when to when it holds. `source_gone` tells that the message or
    conversation that it comes from is not there any more.
    """

    id: str
    version: int
    tenant_id: int | None
    user_id: str
    type: FactType
    category: str | None
    key: str | None
    content: str
    confidence: float
    importance: float
    pinned: bool
    archived: bool
    origin: Origin
    said_at: datetime
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    closed: Closed | None
    said_count: int
    source_conversation_id: str | None
    source_message_id: int | None
    source_gone: bool = False
    span_start: int | None
    span_end: int | None
    extractor: str | None
    tokens: int
    access_count: int
    last_accessed_at: datetime | None

    @property
    def is_active(self) -> bool:
        """Whether it holds now, as far as is known."""
        return self.valid_to is None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMarks:
    """What to change about a fact without changing what it says; None leaves it as it is."""

    pinned: bool | None = None
    archived: bool | None = None
    importance: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """Which facts are wanted; None means any. Without `as_of`, those that hold now."""

    type: FactType | None = None
    category: str | None = None
    key: str | None = None
    pinned: bool | None = None
    archived: bool | None = None
    pattern: str | None = None
    as_of: datetime | None = None
