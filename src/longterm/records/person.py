"""A user, as a tenant sees them in a list."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user with how much there is of them, and when they were seen last."""

    id: str
    conversations: int
    facts: int
    seen_at: datetime | None
