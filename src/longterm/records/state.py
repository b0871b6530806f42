"""The state of a user: one mode, such as `active` or `halted`."""

from dataclasses import dataclass
from datetime import datetime

ACTIVE = "active"
HALTED = "halted"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A mode that was set; a user without one counts as active."""

    tenant_id: int | None
    user_id: str
    mode: str
    updated_at: datetime
