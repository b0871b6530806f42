"""The document: all facts and places of a user in one JSON view, in the shape of schema 1.0."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFact:
    """A fact as an agent sees it."""

    id: str
    content: str
    added_at: str
    source_conversation_id: str | None
    source_message_id: str | None
    source_gone: bool
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """A place as an agent sees it; mentions by conversation, each a message id and its time."""

    place_id: str
    place_name: str
    notes: str | None
    mentioned_in: dict[str, list[tuple[str, str]]]
    added_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMetadata:
    """Counts over the document."""

    last_updated: str
    total_facts: int
    total_active_facts: int
    total_pois: int
    token_count: int
    schema_version: str = SCHEMA_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDocument:
    """A view over rows: it is made when it is asked for, so two writers lose nothing."""

    metadata: MemoryMetadata
    facts: list[MemoryFact] = field(default_factory=list[MemoryFact])
    placer_user_datapoints: list[MemoryPlace] = field(default_factory=list[MemoryPlace])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return asdict(self)


def moment(value: datetime) -> str:
    """A time as the document writes it."""
    return value.isoformat()
