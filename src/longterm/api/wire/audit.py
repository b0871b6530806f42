"""The audit trail."""

from datetime import datetime
from typing import Any

from longterm.api.wire.shapes import Out
from longterm.records.audit import Actor


class AuditEntry(Out):
    """One change to memory: by whom, when, from which message, before and after."""

    id: int
    at: datetime
    user_id: str
    actor: Actor
    action: str
    subject: str
    source_message_id: int | None
    before: Any
    after: Any
