"""What an answer was made from, as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from longterm.api.wire.shapes import Out
from longterm.records.passage import Kind


class MemoryUsed(Out):
    """A memory that an answer was made from, as it reads now."""

    kind: Kind
    id: str
    text: str | None
    score: float
    why: list[str]
    tokens: int
    conversation_id: str | None
    message_ids: list[int]
    said_at: datetime | None
    gone: Annotated[bool, Field(description="Whether it was forgotten since.")]


class MemoriesUsed(Out):
    """All memories that an answer was made from, and how the question was understood."""

    resolved_query: str
    tokens: int
    timings_ms: dict[str, float]
    items: list[MemoryUsed]
