"""A prompt template of a tenant, or of the system as the default beneath."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The newest version of a template."""

    tenant_id: int | None
    name: str
    version: int
    body: str
    updated_at: datetime
