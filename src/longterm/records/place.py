"""A place that matters to a user, with every mention of it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a place was spoken of."""

    conversation_id: str
    message_id: str
    mentioned_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place with its mentions, oldest first."""

    place_id: str
    place_name: str
    notes: str | None
    added_at: datetime
    mentions: tuple[Mention, ...] = ()

    @property
    def conversations(self) -> int:
        """In how many conversations it was spoken of."""
        return len({mention.conversation_id for mention in self.mentions})
