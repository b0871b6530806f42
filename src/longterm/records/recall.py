"""What recall finds, and what of it goes into the prompt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from longterm.records.passage import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallItem:
    """A fact, an episode or a turn, with its score and the reasons why it is here."""

    kind: Kind
    id: str
    text: str
    score: float
    why: tuple[str, ...]
    conversation_id: str | None
    message_ids: tuple[int, ...]
    turn_start: int | None
    turn_end: int | None
    said_at: datetime
    tokens: int
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What was close, and why it is not in the context."""

    kind: Kind
    id: str
    score: float
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What memory has to say to a query, within a budget of tokens.

    `items` are the hits, best first. `facts` are those that are always there, and those that were
    found. `stable_prefix` is the same, byte for byte, until a fact or a place changes;
    `turn_tail` is for this query. `degraded`: found by words alone, as the embedder is away.
    `stale`: the turn that was waited for is not searchable yet.
    """

    query: str
    resolved_query: str
    items: tuple[RecallItem, ...]
    facts: tuple[RecallItem, ...]
    episodes: tuple[RecallItem, ...]
    turns: tuple[RecallItem, ...]
    window: tuple[RecallItem, ...] = ()
    stable_prefix: str = ""
    turn_tail: str = ""
    tokens: int = 0
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
    left_out: tuple[LeftOut, ...] = ()
    degraded: bool = False
    stale: bool = False

    @property
    def text(self) -> str:
        """Both texts for the prompt, together."""
        return "\n\n".join(part for part in (self.stable_prefix, self.turn_tail) if part)
