"""How memory is doing, in numbers by day."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDay:
    """How many messages were said on a day."""

    day: date
    user: int
    assistant: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDay:
    """What became of facts on a day, and how many held at its end."""

    day: date
    added: int
    replaced: int
    deleted: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How long a stage of recall took in the last answers."""

    stage: str
    p50_ms: float
    p95_ms: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A job that failed, and will be tried again or not."""

    task: str
    error: str
    attempts: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The background work by its state, and how late the oldest of it is."""

    queued: int
    running: int
    dead: int
    lag_s: float
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay:
    """What a model was asked on a day, and what that costs in US dollars if it has a price."""

    day: date
    model: str
    purpose: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """How the memory of a user or of a tenant is doing."""

    messages_per_day: tuple[MessageDay, ...]
    memory_per_day: tuple[MemoryDay, ...]
    stages: tuple[Stage, ...]
    queue: Queue
    usage: tuple[UsageDay, ...]
    hygiene: Mapping[str, int] = field(default_factory=dict[str, int])
