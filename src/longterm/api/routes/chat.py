"""Chat: an exchange, whole or as it comes."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import StreamingResponse

from longterm.api.people import ME, Anybody, UserOfQuery
from longterm.api.streams import Render, streamed
from longterm.api.wire.chat import (
    ChatMessage,
    ChatReply,
    SessionAnswer,
    SessionQuery,
    leaves_something,
)
from longterm.api.wire.shapes import there

router = APIRouter(tags=["chat"])

Rendered = Annotated[
    Render | None,
    Query(description="`html`: instead of `delta` there are `blocks`, rendered markdown."),
]
Question = Annotated[int, Path(ge=1, le=2**63 - 1, description="The question's message.")]
_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["start", "delta", "blocks", "tool", "done", "error"]},
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
        "last `done` or `error` with the whole reply. With `render=html` there are `blocks` in the "
        "place of `delta`: the blocks of the text from `from` on are now `html`.",
        # OpenAPI 3.1 has no word for it; by convention this is the shape of each event.
        "content": {"text/event-stream": {"schema": _EVENT}},
    }
}


@router.post("/chat")
async def chat_in_session(query: SessionQuery, asked: Anybody) -> SessionAnswer:
    """Answer a query in a session, which is made when there is none.

    A session that is unknown, expired, malformed or somebody else's is no error: a new one begins.
    On this machine, while no key was ever made, `user_id` may be left out: it is `me` then.
    """
    alone = ME if asked.caller.keyless else None
    user = asked.of(asked.id(query.user_id) or alone)
    reply = await user.memory.chat_in_session(user.id, query.query, query.session_id)
    asked.keep_answer(leaves_something(reply))
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
    asked.keep_answer(message.is_to_be_kept and leaves_something(reply))
    return ChatReply.to(reply)


@router.post("/api/chat/stream", responses=_EVENTS, response_class=StreamingResponse)
async def stream(
    message: ChatMessage, asked: Anybody, render: Rendered = None
) -> StreamingResponse:
    """Answer a message as it comes; who goes away can come back for the rest."""
    user = asked.of(message.user_id)
    events = user.memory.stream(
        user.id,
        message.text,
        conversation_id=message.conversation_id,
        memory=message.memory,
        temporary=message.temporary,
    )
    return await streamed(events, render)


@router.get("/api/chat/stream/{message_id}", responses=_EVENTS, response_class=StreamingResponse)
async def follow(
    user: UserOfQuery,
    message_id: Question,
    after: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="How many characters are known already.")
    ] = 0,
    render: Rendered = None,
) -> StreamingResponse:
    """Follow the answer to a message from where it was, also through another server.

    With `render=html` it begins with everything that has come.
    """
    known = after if render is None else 0
    return await streamed(user.memory.follow(user.id, message_id, after=known), render)


@router.post("/api/chat/stream/{message_id}/stop", status_code=204)
async def stop(user: UserOfQuery, message_id: Question) -> None:
    """Stop an answer that is being made, within about a second; what has come of it is kept."""
    there(await user.memory.stop_answer(user.id, message_id))
