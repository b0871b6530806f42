"""The audit trail: who changed what, when, from which message, before and after."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from longterm.records.json import Json

Actor = Literal["user", "agent", "extractor", "api"]
ACTORS: tuple[Actor, ...] = ("user", "agent", "extractor", "api")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change to memory."""

    id: int
    at: datetime
    user_id: str
    actor: Actor
    action: str
    subject: str
    source_message_id: int | None
    before: Json
    after: Json
