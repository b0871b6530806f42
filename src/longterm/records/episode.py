"""An episode: a summary of a range of turns of one conversation."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """An episode that is made and not stored yet."""

    conversation_id: str
    user_id: str
    turn_start: int
    turn_end: int
    summary: str
    rolling: str
    made_by: str
    said_from: datetime
    said_to: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What was said from `turn_start` to `turn_end`; `rolling` sums up all until then.

    `made_by` names the model and its prompt, or the way in which sentences were chosen.
    """

    id: str
    tenant_id: int | None
    conversation_id: str
    user_id: str
    turn_start: int
    turn_end: int
    summary: str
    rolling: str
    made_by: str
    said_from: datetime
    said_to: datetime
    created_at: datetime
