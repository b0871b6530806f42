"""Chat: an exchange, whole or as it comes."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import StreamingResponse

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.wire.chat import ChatMessage, ChatReply, SessionAnswer, SessionQuery, event
from longterm.records.chat import ChatEvent

router = APIRouter(tags=["chat"])

# No proxy on the way may collect it before it passes it on.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["start", "delta", "tool", "done", "error"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"type": "object"},
        },
    },
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `start` with the ids, `delta` with words, `tool`, and "
        "last `done` or `error` with the whole reply.",
        # OpenAPI 3.1 has no word for it; by convention this is the shape of each event.
        "content": {"text/event-stream": {"schema": _EVENT}},
    }
}


@router.post("/chat")
async def chat_in_session(query: SessionQuery, asked: Anybody) -> SessionAnswer:
    """Answer a query in a session, which is made when there is none.

    A session that is unknown, expired, malformed or somebody else's is no error: a new one begins.
    """
    user = asked.of(query.user_id)
    reply = await user.memory.chat_in_session(user.id, query.query, query.session_id)
    return SessionAnswer.to(query, reply)


@router.post("/api/chat")
async def chat(message: ChatMessage, asked: Anybody) -> ChatReply:
    """Answer a message; both are kept, and learned from in the background."""
    user = asked.of(message.user_id)
    reply = await user.memory.chat(
        user.id,
        message.text,
        conversation_id=message.conversation_id,
        memory=message.memory,
        temporary=message.temporary,
    )
    return ChatReply.to(reply)


@router.post("/api/chat/stream", responses=_EVENTS, response_class=StreamingResponse)
async def stream(message: ChatMessage, asked: Anybody) -> StreamingResponse:
    """Answer a message as it comes; who goes away can come back for the rest."""
    user = asked.of(message.user_id)
    events = user.memory.stream(
        user.id,
        message.text,
        conversation_id=message.conversation_id,
        memory=message.memory,
        temporary=message.temporary,
    )
    return await _streamed(events)


@router.get("/api/chat/stream/{message_id}", responses=_EVENTS, response_class=StreamingResponse)
async def follow(
    user: UserOfQuery,
    message_id: Annotated[int, Path(ge=1, le=2**63 - 1, description="The question's message.")],
    after: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="How many characters are known already.")
    ] = 0,
) -> StreamingResponse:
    """Follow the answer to a message from where it was, also through another server."""
    return await _streamed(user.memory.follow(user.id, message_id, after=after))


async def _streamed(events: AsyncGenerator[ChatEvent]) -> StreamingResponse:
    # The first event before the answer begins: what is refused has a status of its own.
    first = await anext(events)
    return StreamingResponse(
        _encoded(first, events), media_type="text/event-stream", headers=_HEADERS
    )


async def _encoded(first: ChatEvent, events: AsyncGenerator[ChatEvent]) -> AsyncIterator[bytes]:
    async with aclosing(events):
        yield event(first)
        async for one in events:
            yield event(one)
