"""A key of the HTTP API, and whom a request that carries it comes from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

KeyScope = Literal["admin", "app", "user"]
"""What a key is good for: administration too, any user of its tenant, or one user."""

KEY_SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is stored: what it is good for, and not the key itself."""

    id: str
    tenant_id: int | None
    prefix: str
    name: str
    scope: KeyScope
    user_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A new key with its secret, which is shown this once."""

    key: ApiKey
    secret: str

    def __repr__(self) -> str:
        """Leave the secret out: what is printed ends up in logs."""
        return f"IssuedKey({self.key!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHolder:
    """Whom a key belongs to; `user_id` for the scope `user` only."""

    id: str
    tenant_id: int
    scope: KeyScope
    user_id: str | None
    last_used_at: datetime | None
