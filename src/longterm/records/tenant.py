"""A tenant, and its own defaults."""

from dataclasses import dataclass
from datetime import datetime

from longterm.records.conversation import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """What a tenant decides for itself; None leaves it to the installation.

    With `memory` off, chat is stateless and nothing is learned or indexed.
    """

    conversation_retention: Retention | None = None
    session_retention: Retention | None = None
    model_calls_per_day: int | None = None
    model_tokens_per_day: int | None = None
    memory: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantEntry:
    """A tenant of the installation; 0 is the system."""

    tenant_id: int
    created_at: datetime
