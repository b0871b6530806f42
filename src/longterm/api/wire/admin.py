"""Tenants, keys, cleanup and statistics as JSON."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from longterm.api.wire.shapes import In, Out, Whole, example
from longterm.records.key import IssuedKey, KeyScope


class NewTenant(In):
    """A tenant to make; without a number it gets the smallest that is free."""

    model_config = example(tenant_id=7)

    tenant_id: Annotated[int | None, Field(ge=1, le=2**63 - 1, strict=True), Whole] = None


class Tenant(Out):
    """A tenant; 0 is the system."""

    tenant_id: int
    created_at: datetime


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


def with_secret(issued: IssuedKey) -> KeyWithSecret:
    """Translate a new key, the one time that its secret is known."""
    return KeyWithSecret(**Key.of(issued.key).model_dump(), secret=issued.secret)
