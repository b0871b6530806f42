"""What an answer was made from: which memories, why, and what it took."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from longterm.records.passage import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What went into an answer, in numbers; `milliseconds` is what recall took."""

    count: int
    tokens: int
    milliseconds: float
    model: str
    prompt_tokens: int
    answer_tokens: int
    degraded: bool
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedMemory:
    """A memory that an answer was made from, as it reads now; one that is gone has no text."""

    kind: Kind
    id: str
    text: str | None
    score: float
    why: tuple[str, ...]
    tokens: int
    conversation_id: str | None
    message_ids: tuple[int, ...]
    said_at: datetime | None
    gone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedMemories:
    """All memories that an answer was made from, and how the question was understood."""

    resolved_query: str
    tokens: int = 0
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
    items: tuple[UsedMemory, ...] = ()
