"""Chat as JSON: seed b's shapes, and our own."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from longterm.api.wire.recall import Recall
from longterm.api.wire.shapes import Id, In, Out, UserId, example
from longterm.records import chat as records

_MOST_DATA = 20


class SessionQuery(In):
    """A query of a user, in a session that may be there or not."""

    model_config = example(query="Where did I go hiking?", user_id="ada")

    query: Annotated[str, Field(min_length=1, examples=["Where did I go hiking?"])]
    user_id: UserId = None
    role: Annotated[str | None, Field(max_length=255, description="What the user is.")] = None
    session_id: Annotated[
        str | None, Field(description="Without one, or with one that is not there, one is made.")
    ] = None


class SessionAnswer(Out):
    """An answer in a session."""

    query: str
    message: str
    data: Annotated[list[dict[str, Any]], Field(description="The memories that were used.")]
    intent: Annotated[str, Field(description="answer, clarification or error")]
    confidence: Annotated[float, Field(ge=0, le=1)]
    session_id: str | None
    metadata: dict[str, Any]
    error: str | None

    @classmethod
    def to(cls, asked: SessionQuery, reply: records.ChatReply) -> "SessionAnswer":
        """Translate a reply."""
        memories = reply.memories
        items = memories.items[:_MOST_DATA] if memories else ()
        data = [
            {"kind": item.kind, "text": item.text, "score": item.score, "why": list(item.why)}
            for item in items
        ]
        intent = "clarification" if reply.options else "error" if reply.error else "answer"
        return cls(
            query=asked.query,
            message=reply.answer,
            data=data,
            intent=intent,
            confidence=0.0 if reply.error else max((item.score for item in items), default=0.5),
            session_id=reply.conversation_id,
            metadata={
                "degraded": reply.degraded,
                "model": reply.model,
                "role": asked.role,
                "resolved_query": memories.resolved_query if memories else asked.query,
                "options": list(reply.options),
                "tokens": memories.tokens if memories else 0,
                "timings_ms": dict(memories.timings_ms) if memories else {},
            },
            error=reply.error,
        )


class ChatMessage(In):
    """A message to be answered."""

    model_config = example(user_id="ada", message="Where did I go hiking?")

    user_id: UserId = None
    message: Annotated[str, Field(min_length=1, examples=["Where did I go hiking?"])]
    conversation_id: Annotated[
        Id | None, Field(description="Without one it is the user's current conversation.")
    ] = None
    context: Annotated[
        dict[str, Any] | None,
        Field(description="What the application wants to be known for this message."),
    ] = None
    memory: Annotated[bool, Field(description="Whether to remember, and to keep this.")] = True
    temporary: Annotated[bool, Field(description="Held in RAM, and nowhere else.")] = False

    @property
    def is_to_be_kept(self) -> bool:
        """Whether anything may remain of it."""
        return self.memory and not self.temporary

    @property
    def text(self) -> str:
        """The message, with what the application adds to it."""
        if not self.context:
            return self.message
        return f"{self.message}\n\nContext: {json.dumps(self.context, ensure_ascii=False)}"


class ToolUse(Out):
    """A tool that the model used, with what came of it."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any]


class ChatReply(Out):
    """What was answered, and from what."""

    answer: str
    model: str
    conversation_id: str | None
    message_id: int | None
    answer_id: int | None
    memories: Recall | None
    tools: list[ToolUse]
    options: list[str]
    error: str | None
    degraded: bool
    prompt_tokens: int
    answer_tokens: int

    @classmethod
    def to(cls, reply: records.ChatReply) -> "ChatReply":
        """Translate a reply."""
        told: dict[str, Any] = {name: getattr(reply, name) for name in cls.model_fields}
        told["memories"] = None if reply.memories is None else Recall.of(reply.memories)
        told["tools"] = [_tool(use) for use in reply.tools]
        return cls.model_validate(told)


def leaves_something(reply: records.ChatReply) -> bool:
    """Whether the message was stored, or waits on disk for the database."""
    return reply.message_id is not None or reply.degraded


def event(one: records.ChatEvent) -> bytes:
    """One event of a stream, as a browser reads it."""
    told: Mapping[str, Any]
    if one.reply is not None:
        told = ChatReply.to(one.reply).model_dump(mode="json")
    elif one.tool is not None:
        told = _tool(one.tool)
    else:
        told = {"text": one.text} if one.kind == "delta" else dict(one.ids)
    return f"event: {one.kind}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


def _tool(use: records.ToolUse) -> dict[str, Any]:
    return asdict(use)
