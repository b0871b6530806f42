"""Conversations and episodes as JSON."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from longterm.api.wire.messages import MessagePage
from longterm.api.wire.shapes import Id, In, Out, UserId, example
from longterm.records.conversation import Kind, TitleOrigin

Title = Annotated[str | None, Field(min_length=1, max_length=255, examples=["Lisbon in May"])]
Retention = Annotated[
    Literal["keep"] | Annotated[float, Field(gt=0, le=876_000)] | None,
    Field(description="`keep`, or for how many hours after its last turn it is kept."),
]
Metadata = Annotated[
    dict[str, Any] | None, Field(description="A JSON object of the application's own.")
]
Archived = Annotated[
    Literal["true", "false", "any"], Field(description="Archived ones, the others, or both.")
]
ARCHIVED: dict[str, bool | None] = {"true": True, "false": False, "any": None}


class NewConversation(In):
    """A conversation to make; it becomes the user's current one."""

    model_config = example(user_id="ada", title="Lisbon in May", retention="keep")

    user_id: UserId = None
    title: Title = None
    retention: Retention = None
    metadata: Metadata = None
    conversation_id: Annotated[
        Id | None, Field(description="An id of the application's own; else one is made.")
    ] = None


class ConversationChanges(In):
    """What to change; what is left out stays."""

    model_config = example(user_id="ada", title="Porto in May", archived=False)

    user_id: UserId = None
    title: Title = None
    archived: bool | None = None
    pinned: bool | None = None
    retention: Retention = None
    metadata: Metadata = None


class DemoWanted(In):
    """For whom to load the demo; the query may say so, too."""

    model_config = example(user_id="ada")

    user_id: UserId = None


class Conversation(Out):
    """A thread of one user; without `expires_at` it is kept for good."""

    id: str
    tenant_id: int | None
    user_id: str
    kind: Kind
    title: str | None
    title_by: Annotated[
        TitleOrigin | None, Field(description="Who made the title; a person's is never replaced.")
    ]
    archived: bool
    pinned: bool
    retention_hours: float | None
    expires_at: datetime | None
    turn_count: int
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class ListedConversation(Conversation):
    """A conversation of a list."""

    snippet: Annotated[
        str | None, Field(description="After a search, the text around what was found.")
    ] = None


class ConversationWithMessages(Conversation):
    """A conversation with its newest messages."""

    messages: MessagePage
    answering: Annotated[
        int | None, Field(description="The message whose answer is being made, if one is.")
    ]


class Episode(Out):
    """A summary of the turns from `turn_start` to `turn_end`; `rolling` sums up all until then."""

    id: str
    tenant_id: int | None
    conversation_id: str
    user_id: str
    turn_start: int
    turn_end: int
    summary: str
    rolling: str
    made_by: str
    said_from: datetime
    said_to: datetime
    created_at: datetime
