"""What the tools take and give; their JSON schemas are made of it."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from longterm.memory.inputs import MAX_FACT_LENGTH, MAX_ID_LENGTH
from longterm.records.fact import Fact, FactType
from longterm.records.passage import Kind
from longterm.records.recall import Recall, RecallItem
from longterm.text import prompt_data

LONGEST_QUERY = 4000
LONGEST_EXCERPT = 500


class In(BaseModel):
    """What a tool takes: nothing but what it names."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Out(BaseModel):
    """What a tool gives."""

    model_config = ConfigDict(frozen=True)


Content = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_FACT_LENGTH,
        description='One short sentence about the user, such as "The user is vegetarian".',
    ),
]
FactId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        description="The id of a fact, as recall or list_memories gave it.",
    ),
]
Type = Annotated[FactType | None, Field(description="Only facts of this type.")]


class NewMemory(In):
    """A fact to remember."""

    content: Content
    type: Annotated[FactType, Field(description="What kind of fact it is.")] = "fact"
    category: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID_LENGTH,
            description="A group of facts, such as identity; the type where a key comes without.",
        ),
    ] = None
    key: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID_LENGTH,
            description=(
                "What the fact is the value of, such as home_town. There is one value for each "
                "category and key: a new one takes the place of the old one."
            ),
        ),
    ] = None


class Query(In):
    """What to look for."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_QUERY,
            description="The question itself, in plain words; names and dates help.",
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=50, description="How many hits at most.")] = 10
    budget_tokens: Annotated[
        int, Field(ge=0, le=20_000, description="How many tokens the text may have.")
    ] = 2000


class Correction(In):
    """What a fact should say."""

    fact_id: FactId
    content: Content


class Which(In):
    """One fact."""

    fact_id: FactId


class Filter(In):
    """Which facts to list."""

    text: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_ID_LENGTH, description="Only facts that contain this."),
    ] = None
    type: Type = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many facts at most.")] = 50


class Memory(Out):
    """A fact as it is known now."""

    fact_id: str
    version: int
    content: str
    type: FactType
    category: str | None
    key: str | None
    pinned: bool
    since: datetime
    source_gone: bool

    @classmethod
    def of(cls, fact: Fact) -> "Memory":
        """The fact for an agent."""
        return cls(
            fact_id=fact.id,
            version=fact.version,
            content=prompt_data.item(fact.content),
            type=fact.type,
            category=prompt_data.items_in(fact.category),
            key=prompt_data.items_in(fact.key),
            pinned=fact.pinned,
            since=fact.valid_from,
            source_gone=fact.source_gone,
        )


class Memories(Out):
    """Facts, the newest first; `total` tells how many there are."""

    memories: list[Memory]
    total: int


class Deactivated(Out):
    """Whether there was such a fact, and it held."""

    deactivated: bool


class Found(Out):
    """A hit; `id` is the id of a fact where `kind` is fact."""

    kind: Kind
    id: str
    text: str
    score: float
    why: list[str]
    said_at: datetime
    conversation_id: str | None

    @classmethod
    def of(cls, item: RecallItem) -> "Found":
        """The hit for an agent: a message may be of any length, and this is not."""
        return cls(
            kind=item.kind,
            id=item.id,
            text=prompt_data.item(cut(item.text, LONGEST_EXCERPT)),
            score=round(item.score, 4),
            why=[prompt_data.item(reason) for reason in item.why],
            said_at=item.said_at,
            conversation_id=item.conversation_id,
        )


class Recalled(Out):
    """The text for a prompt, and what it was made of: hits, best first, then standing facts."""

    text: str
    items: list[Found]
    tokens: int
    degraded: bool

    @classmethod
    def of(cls, found: Recall) -> "Recalled":
        """The recall for an agent; the window belongs to conversations that it does not hold."""
        hits = {item.id for item in found.items}
        standing = [item for item in found.facts if item.id not in hits]
        return cls(
            text=found.text,
            items=[Found.of(item) for item in (*found.items, *standing)],
            tokens=found.tokens,
            degraded=found.degraded,
        )


def cut(text: str, longest: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
