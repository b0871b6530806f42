"""A passage: a turn, an episode or a fact, as the search sees it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Kind = Literal["fact", "episode", "turn"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPassage:
    """A passage that is read and not stored yet; `terms` has the words it is found by."""

    user_id: str
    kind: Kind
    said_at: datetime
    terms: tuple[str, ...]
    conversation_id: str | None = None
    message_id: int | None = None
    episode_id: str | None = None
    fact_id: str | None = None
    fact_version: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Vectors of one embedder; one generation serves, and one may be filled beside it."""

    id: int
    model: str
    dimensions: int
    state: Literal["serving", "filling", "retired"]
    filled_through: int
