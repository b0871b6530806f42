"""A candidate: a passage that a search found, with what both searches say of it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage that one of the searches found; a fact or an episode has no speaker and place.

    `similarity` is the cosine of its best vector, None while it has none; `words` its BM25 score,
    0 when no word matches. `place` counts the messages of a conversation.
    """

    passage_id: int
    conversation_id: str | None
    place: int | None
    speaker: str | None
    role: str | None
    said_at: datetime
    text: str
    similarity: float | None
    words: float
