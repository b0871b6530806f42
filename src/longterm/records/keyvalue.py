"""Key-value memory: what the application itself keeps about a user."""

from dataclasses import dataclass
from datetime import datetime

from longterm.records.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMemory:
    """One key of a user and the JSON object beneath it."""

    id: int
    tenant_id: int | None
    user_id: str
    key: str
    value: JsonObject
    updated_at: datetime
