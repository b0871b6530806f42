"""Who asks, and what this installation can do for them, as JSON."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from longterm import __version__
from longterm.api.auth import Caller
from longterm.api.wire.shapes import Out
from longterm.chat import offline
from longterm.memory.operations import Parts
from longterm.providers.guard import Rests
from longterm.records.key import KeyScope
from longterm.records.tenant import TenantSettings

ProviderState = Annotated[
    Literal["off", "ready", "resting"],
    Field(description="`resting`: it failed repeatedly and is left alone for a while."),
]


class Provider(Out):
    """A model, and whether it is to be had."""

    name: str
    state: ProviderState


class Me(Out):
    """Who asks, and what this installation can do for them."""

    tenant_id: int
    scope: KeyScope
    user_id: Annotated[str | None, Field(description="Of a key of the scope `user`, else null.")]
    keyless: Annotated[bool, Field(description="Whether no key was asked for.")]
    version: str
    model: Provider
    embedder: Provider
    degraded: Annotated[bool, Field(description="Whether the database is away.")]
    memory_tokens_limit: int
    memory: Annotated[bool, Field(description="Whether the tenant remembers at all.")]
    retention_hours_default: Annotated[
        float | None, Field(description="How long a new conversation is kept; null is for good.")
    ]

    @classmethod
    def asking(cls, caller: Caller, parts: Parts, settings: TenantSettings) -> "Me":
        """Tell about who asks."""
        model, kept = parts.model, settings.conversation_retention
        return cls(
            tenant_id=caller.tenant_id,
            scope=caller.scope,
            user_id=caller.user_id,
            keyless=caller.keyless,
            version=__version__,
            model=Provider(name=offline.MODEL, state="off")
            if model is None
            else _provider(model.name, model),
            embedder=_provider(parts.embedders.current.name, parts.embedders.current),
            degraded=parts.outage.is_on,
            memory_tokens_limit=parts.rules.memory_tokens,
            memory=settings.memory is not False,
            retention_hours_default=kept / timedelta(hours=1)
            if isinstance(kept, timedelta)
            else None,
        )


class Person(Out):
    """A user with how much there is of them, and when they were seen last."""

    id: str
    conversations: int
    facts: int
    seen_at: datetime | None


def _provider(name: str, provider: object) -> Provider:
    resting = isinstance(provider, Rests) and provider.is_resting
    return Provider(name=name, state="resting" if resting else "ready")
