"""Memories: facts as JSON, and the document over all of them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from longterm.api.wire.shapes import Id, In, Out, UserId, Whole, example
from longterm.records.fact import Closed, FactType, Origin

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Who = Annotated[
    Literal["user", "agent", "api"],
    Field(description="Who says so, for the audit trail: a person is trusted most."),
]
Name = Annotated[str, Field(min_length=1, max_length=255)]
Content = Annotated[
    str, Field(min_length=1, max_length=500, examples=["Ada prefers trains to planes."])
]


class NewMemory(In):
    """A fact to remember.

    With a category and a key it takes the place of what is known beneath them.
    """

    model_config = example(
        user_id="ada", content="Ada prefers trains to planes.", type="preference"
    )

    user_id: UserId = None
    content: Content
    type: FactType = "fact"
    category: Name | None = None
    key: Name | None = None
    confidence: Share = 1.0
    importance: Share = 0.8
    source_conversation_id: Id | None = None
    source_message_id: Annotated[int | None, Field(ge=1, le=2**63 - 1), Whole] = None
    actor: Who = "api"


class MemoryChanges(In):
    """What to change about a fact; new words make a new version."""

    model_config = example(user_id="ada", content="Ada prefers night trains.", pinned=True)

    user_id: UserId = None
    content: Content | None = None
    pinned: bool | None = None
    archived: bool | None = None
    importance: Share | None = None
    confidence: Share | None = None
    source_conversation_id: Id | None = None
    source_message_id: Annotated[int | None, Field(ge=1, le=2**63 - 1), Whole] = None
    actor: Who = "user"


class Extraction(In):
    """Which conversation to learn from."""

    model_config = example(user_id="ada", conversation_id="01933b3c-7e8a-7000-8000-000000000001")

    user_id: UserId = None
    conversation_id: Id


class Memory(Out):
    """One version of a fact, with the time it holds and where it comes from."""

    id: str
    version: int
    tenant_id: int | None
    user_id: str
    type: FactType
    category: str | None
    key: str | None
    content: str
    confidence: float
    importance: float
    pinned: bool
    archived: bool
    is_active: bool
    origin: Origin
    said_at: datetime
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    closed: Closed | None
    said_count: int
    source_conversation_id: str | None
    source_message_id: int | None
    source_gone: bool
    span_start: int | None
    span_end: int | None
    extractor: str | None
    tokens: int
    access_count: int
    last_accessed_at: datetime | None


class DocumentFact(Out):
    """A fact as an agent sees it."""

    id: str
    content: str
    added_at: str
    source_conversation_id: str | None
    source_message_id: str | None
    source_gone: bool
    is_active: bool


class DocumentPlace(Out):
    """A place as an agent sees it; mentions by conversation, each a message id and its time."""

    place_id: str
    place_name: str
    notes: str | None
    mentioned_in: dict[str, list[tuple[str, str]]]
    added_at: str


class DocumentMetadata(Out):
    """Counts over the document."""

    last_updated: str
    total_facts: int
    total_active_facts: int
    total_pois: int
    token_count: int
    schema_version: str


class Document(Out):
    """All facts and places of a user, in schema 1.0."""

    facts: list[DocumentFact]
    placer_user_datapoints: list[DocumentPlace]
    metadata: DocumentMetadata
