"""How memory is doing, as JSON."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated

from pydantic import Field, PlainSerializer

from longterm.api.auth import Caller
from longterm.api.wire.shapes import Out
from longterm.records.insight import Insight as Record

# As text, for a float is not exact, and without an exponent: 3E-7 is hard to read.
Dollars = Annotated[Decimal, PlainSerializer(lambda cost: f"{cost:f}", return_type=str)]


class MessageDay(Out):
    """How many messages were said on a day."""

    day: date
    user: int
    assistant: int


class MemoryDay(Out):
    """What became of facts on a day, and how many held at its end."""

    day: date
    added: int
    replaced: int
    deleted: int
    total: int


class Stage(Out):
    """How long a stage of recall took in the last answers."""

    stage: str
    p50_ms: float
    p95_ms: float
    n: int


class RecallTimes(Out):
    """How long recall took, by its stages."""

    stages: list[Stage]


class Failure(Out):
    """A job that failed, and will be tried again or not."""

    task: str
    error: str
    attempts: int
    at: datetime


class Queue(Out):
    """The background work; what failed is told to keys of the scope `app` and `admin`."""

    queued: int
    running: int
    dead: int
    lag_s: float
    failures: list[Failure]


class UsageDay(Out):
    """What a model was asked on a day, and what that costs."""

    day: date
    model: str
    purpose: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: Annotated[
        Dollars | None,
        Field(description="In US dollars, exactly; null where the model has no price."),
    ]


class Insight(Out):
    """How the memory of a user or of a tenant is doing; days without anything are left out."""

    messages_per_day: list[MessageDay]
    memory_per_day: list[MemoryDay]
    recall: RecallTimes
    queue: Queue
    usage: list[UsageDay]
    hygiene: dict[str, int]

    @classmethod
    def to(cls, caller: Caller, found: Record) -> "Insight":
        """Translate what was found for whoever asks."""
        queue = Queue.of(found.queue)
        if caller.scope == "user":
            # The text of an error is for those who run the service.
            queue.failures = []
        return cls(
            messages_per_day=[MessageDay.of(each) for each in found.messages_per_day],
            memory_per_day=[MemoryDay.of(each) for each in found.memory_per_day],
            recall=RecallTimes(stages=[Stage.of(each) for each in found.stages]),
            queue=queue,
            usage=[UsageDay.of(each) for each in found.usage],
            hygiene=dict(found.hygiene),
        )
