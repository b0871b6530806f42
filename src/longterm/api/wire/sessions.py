"""Sessions as JSON."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from longterm.api.wire.conversations import Metadata
from longterm.api.wire.shapes import In, Out, UserId, example

Words = Annotated[str, Field(min_length=1)]


class NewSession(In):
    """For whom to make a session."""

    model_config = example(user_id="ada")

    user_id: UserId = None


class SessionId(Out):
    """Which session it is."""

    session_id: str


class NewTurn(In):
    """A question with its answer."""

    model_config = example(user_id="ada", query="Where do I live?", response="In Lisbon.")

    user_id: UserId = None
    query: Words
    response: Words
    metadata: Metadata = None


class Turn(Out):
    """A question and its answer; either is empty when it never came."""

    id: str
    session_id: str
    user_id: str
    turn_number: int
    query_text: str
    response_text: str
    created_at: datetime
    metadata: dict[str, Any]


class ContextQuery(In):
    """What the context is for."""

    model_config = example(user_id="ada", query="And where do I work?")

    user_id: UserId = None
    query: Words


class SessionContext(Out):
    """The last turns of a session, also as text for a prompt."""

    session_id: str
    query: str
    resolved_query: str
    turns: list[Turn]
    text: str
