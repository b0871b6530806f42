"""Places as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from longterm.api.wire.memories import Who
from longterm.api.wire.shapes import In, Out, UserId, Whole, example

Name = Annotated[str, Field(min_length=1, max_length=255)]
Reference = Annotated[
    Annotated[int, Field(ge=-(2**63), le=2**63 - 1), Whole] | Name,
    Field(description="The id of a conversation or message, here or elsewhere."),
]


class NewPlace(In):
    """A place to remember; with a conversation and a message, its first mention too."""

    model_config = example(
        user_id="ada", place_id="home", place_name="Rua Augusta 1", notes="Where Ada lives."
    )

    user_id: UserId = None
    place_id: Name
    place_name: Name
    notes: Annotated[
        str | None,
        Field(max_length=500, description="Left out, they stay; an empty text takes them away."),
    ] = None
    conversation_id: Name | None = None
    message_id: Reference | None = None
    actor: Who = "api"


class NewMention(In):
    """Where a place was spoken of."""

    model_config = example(
        user_id="ada", conversation_id="01933b3c-7e8a-7000-8000-000000000001", message_id=42
    )

    user_id: UserId = None
    conversation_id: Name
    message_id: Reference


class PlaceId(Out):
    """Which place it is."""

    place_id: str


class Mention(Out):
    """Where a place was spoken of, and when."""

    conversation_id: str
    message_id: str
    mentioned_at: datetime


class Place(Out):
    """A place with its mentions, oldest first, and in how many conversations these were."""

    place_id: str
    place_name: str
    notes: str | None
    added_at: datetime
    mentions: list[Mention]
    conversations: int
