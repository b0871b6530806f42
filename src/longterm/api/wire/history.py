"""The history of a user as JSON."""

from typing import Annotated

from pydantic import Field

from longterm.api.wire.messages import NewMessage
from longterm.api.wire.shapes import Id, In, Out, Time, UserId, Whole, example


class HistoryMessage(NewMessage):
    """A message to append to a conversation, or to the user's current one."""

    model_config = example(user_id="ada", role="user", content="My name is Ada.")

    conversation_id: Annotated[
        Id | None, Field(description="Without one it is the user's current conversation.")
    ] = None


class MessageId(Out):
    """Which message it is."""

    id: int


class Count(Out):
    """How many there are."""

    count: int


class Trimming(In):
    """What of a history stays; with both bounds, a message stays only if both keep it."""

    model_config = example(user_id="ada", keep_last=100)

    user_id: UserId = None
    keep_last: Annotated[
        int | None, Field(ge=0, le=2**31 - 1, description="How many of the newest stay."), Whole
    ] = None
    older_than: Annotated[Time, Field(description="What was said before this time goes.")] = None
    archive: Annotated[bool, Field(description="Archive what goes; else it is deleted.")] = True


class Trimmed(Out):
    """How many messages went."""

    trimmed: int
