"""How clean a memory is, and what a rebuild would change."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from longterm.records.fact import Fact, NewFact, Origin

Flaw = Literal["duplicate", "echo", "ungrounded", "stale", "secret", "unused"]
"""What can be wrong with a fact.

duplicate: another one says the same. echo: it was learned from what an assistant said.
ungrounded: the words that it rests on are not there. stale: its dates are over, or nobody said or
used it for a year. secret: it looks like a secret. unused: never used in the month since it was
said.
"""

FLAWS: tuple[Flaw, ...] = get_args(Flaw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """An open fact with the message it came from, where that is still there."""

    id: str
    content: str
    key: str | None
    origin: Origin
    fingerprint: str
    said_at: datetime
    access_count: int
    last_accessed_at: datetime | None
    said_count: int
    span_start: int | None
    span_end: int | None
    has_source: bool
    source_role: str | None
    source_content: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAudit:
    """The facts that hold now of a user or a tenant, and the ids of those with a flaw."""

    facts: int
    flaws: Mapping[Flaw, tuple[str, ...]]

    def rate(self, flaw: Flaw) -> float:
        """The share of facts that have it."""
        return len(self.flaws[flaw]) / self.facts if self.facts else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """What today's extractor makes of a user's log, against what is stored.

    `failed` counts messages that the model gave no usable answer to.
    """

    user_id: str
    added: tuple[NewFact, ...] = ()
    changed: tuple[tuple[Fact, NewFact], ...] = ()
    removed: tuple[Fact, ...] = ()
    unchanged: int = 0
    failed: int = 0
