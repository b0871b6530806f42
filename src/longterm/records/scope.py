"""Who may see what: the tenant, and the one user where a user is fixed."""

from dataclasses import dataclass

SYSTEM_TENANT = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller is confined to; the database enforces it."""

    tenant_id: int
    user_id: str | None = None
