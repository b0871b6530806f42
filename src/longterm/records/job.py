"""A job: a task that has something to do for a key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

DIGEST = "digest"
"""Derive what follows from the new messages of a conversation, whose id is the key."""

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
