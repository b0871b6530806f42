"""Tenants, keys, cleanup and statistics as JSON."""

from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from longterm.api.wire.conversations import Retention
from longterm.api.wire.shapes import In, Out, Whole, example
from longterm.records import tenant as records
from longterm.records.key import IssuedKey, KeyScope


class NewTenant(In):
    """A tenant to make; without a number it gets the smallest that is free."""

    model_config = example(tenant_id=7)

    tenant_id: Annotated[int | None, Field(ge=1, le=2**63 - 1), Whole] = None


class Tenant(Out):
    """A tenant; 0 is the system."""

    tenant_id: int
    created_at: datetime


class Settings(In):
    """What a tenant decides for itself; what is left out or null is left to the installation."""

    model_config = example(session_retention=48, memory=False)

    conversation_retention: Retention = None
    session_retention: Retention = None
    model_calls_per_day: Annotated[int | None, Field(ge=0, le=2**63 - 1), Whole] = None
    model_tokens_per_day: Annotated[int | None, Field(ge=0, le=2**63 - 1), Whole] = None
    memory: Annotated[
        bool | None,
        Field(description="With false, chat is stateless and nothing is learned."),
    ] = None


class TenantSettings(Out):
    """What the tenant decided for itself; null is left to the installation."""

    conversation_retention: Retention
    session_retention: Retention
    model_calls_per_day: int | None
    model_tokens_per_day: int | None
    memory: bool | None

    @classmethod
    def to(cls, settings: records.TenantSettings) -> "TenantSettings":
        """Translate settings; times become hours."""
        return cls(
            conversation_retention=_hours(settings.conversation_retention),
            session_retention=_hours(settings.session_retention),
            model_calls_per_day=settings.model_calls_per_day,
            model_tokens_per_day=settings.model_tokens_per_day,
            memory=settings.memory,
        )


class NewKey(In):
    """A key to make: `admin`, `app` for any user of the tenant, or `user` for one."""

    model_config = example(name="shop", scope="app")

    name: Annotated[str, Field(min_length=1, max_length=255, description="What it is for.")]
    scope: KeyScope = "app"
    user_id: Annotated[
        str | None, Field(min_length=1, max_length=255, description="For the scope `user` only.")
    ] = None


class Key(Out):
    """A key as it is stored; of the key itself only the beginning is known."""

    id: str
    tenant_id: int | None
    prefix: str
    name: str
    scope: KeyScope
    user_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class KeyWithSecret(Key):
    """A new key with its secret, which is shown this once."""

    secret: Annotated[str, Field(examples=["lt_…"])]


class Cleanup(Out):
    """What a cleanup deleted, in how many seconds, and what went wrong on the way."""

    sessions_deleted: int
    turns_deleted: int
    execution_time: float
    errors: list[str]


class Counts(Out):
    """How many there are of each; facts are those that hold now."""

    users: int
    conversations: int
    messages: int
    facts: int
    episodes: int


class Spending(Out):
    """The calls of one day for one purpose to one model."""

    day: date
    purpose: str
    model: str
    calls: int
    failed: int
    prompt_tokens: int
    answer_tokens: int


class Stats(Out):
    """What the tenant has, its jobs by state, and its models of the last 30 days."""

    counts: Counts
    jobs: dict[str, int]
    usage: list[Spending]


def _hours(kept: timedelta | Literal["keep"] | None) -> float | Literal["keep"] | None:
    return kept / timedelta(hours=1) if isinstance(kept, timedelta) else kept


def with_secret(issued: IssuedKey) -> KeyWithSecret:
    """Translate a new key, the one time that its secret is known."""
    return KeyWithSecret(**Key.of(issued.key).model_dump(), secret=issued.secret)
