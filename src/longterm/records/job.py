"""A job: a task that has something to do for a key."""

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

DIGEST = "digest"
"""Derive what follows from the new messages of a conversation, whose id is the key."""

LEARN = "learn"
"""Learn from the new messages of a conversation, whose id is the key: facts, episodes, title."""

EMBED = "embed"
"""Make the vectors that a user's passages lack; the key is the user."""

REEMBED = "reembed"
"""Fill in the vectors of another embedder, for a whole tenant."""

SETTLE = "settle"
"""Mark an answer as interrupted whose maker died; the key is the question's message."""

CLEANUP = "cleanup"
"""Delete what expired, for all tenants."""

JobState = Literal["queued", "running", "dead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """Asks that `task` looks at `key`; asking twice before it ran is asking once."""

    task: str
    key: str
    user_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it stands in the queue; it is gone once it succeeded."""

    tenant_id: int
    task: str
    key: str
    user_id: str | None
    state: JobState
    requested: int
    attempts: int
    due_at: datetime
    last_error: str | None
    traceparent: str | None


_LONGEST_DELAY_S = 3600.0


def back_off_s(attempts: int) -> float:
    """How long to wait before the next attempt: twice as long each time, and not sharp."""
    return min(2.0 ** min(attempts, 20), _LONGEST_DELAY_S) * random.uniform(0.8, 1.2)  # noqa: S311
