"""Recall as JSON: the arguments and the fields of the library's."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, Strict

from longterm.api.wire.shapes import Id, In, Out, Time, UserId, Whole, example
from longterm.records.passage import KINDS, Kind


class RecallQuery(In):
    """What to look for, and within which bounds."""

    model_config = example(user_id="ada", query="Where does Ada live?", limit=5)

    user_id: UserId = None
    query: Annotated[str, Field(min_length=1, examples=["Where does Ada live?"])]
    conversation_id: Annotated[
        Id | None,
        Field(description="Only this conversation, and references are resolved against it."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=1000), Whole] = 10
    budget_tokens: Annotated[int, Field(ge=0, le=1_000_000), Whole] = 2000
    kinds: Annotated[tuple[Kind, ...], Strict(False), Field(min_length=1, max_length=10)] = KINDS
    as_of: Annotated[Time, Field(description="What was known then.")] = None
    after: Time = None
    before: Time = None
    min_turn: Annotated[
        int | None,
        Field(ge=1, le=2**31 - 1, description="Wait until this turn can be found."),
        Whole,
    ] = None


class RecallItem(Out):
    """A fact, an episode or a turn, with its score and the reasons why it is here."""

    kind: Kind
    id: str
    text: str
    score: float
    why: list[str]
    conversation_id: str | None
    message_ids: list[int]
    turn_start: int | None
    turn_end: int | None
    said_at: datetime
    tokens: int
    speaker: str | None


class LeftOut(Out):
    """What was close, and why it is not there."""

    kind: Kind
    id: str
    score: float
    because: str


class Recall(Out):
    """What memory has to say to a query; `text` is `stable_prefix` and `turn_tail` together."""

    query: str
    resolved_query: str
    items: list[RecallItem]
    facts: list[RecallItem]
    episodes: list[RecallItem]
    turns: list[RecallItem]
    window: list[RecallItem]
    stable_prefix: str
    turn_tail: str
    text: str
    tokens: int
    timings_ms: dict[str, float]
    left_out: list[LeftOut]
    degraded: bool
    stale: bool
