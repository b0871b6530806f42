"""The tool `manage_user_memory` as JSON."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from longterm.api.wire.shapes import Id, In, Out, UserId, Whole, example
from longterm.memory.tool import ToolOperation


class ToolCall(In):
    """What an agent asks for, and in which conversation and message."""

    model_config = example(user_id="ada", operation="add_fact", content="The user is vegetarian.")

    user_id: UserId = None
    operation: ToolOperation
    content: str | None = None
    fact_id: str | None = None
    query: str | None = None
    place_id: str | None = None
    place_name: str | None = None
    notes: str | None = None
    conversation_id: Id | None = None
    message_id: Annotated[int | None, Field(ge=1, le=2**63 - 1), Whole] = None


class ToolAnswer(Out):
    """What came of it: `ok`, and what was asked for or an `error` for the agent."""

    model_config = ConfigDict(from_attributes=True, extra="allow")

    ok: bool
    operation: str
    error: str | None = None


ToolSchema = dict[str, Any]
