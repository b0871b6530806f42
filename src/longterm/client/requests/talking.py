"""Recall, and chat: whole, or as it comes."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from longterm.client.events import event
from longterm.client.pieces import Events
from longterm.client.reading import record, true
from longterm.client.request import Request, given, message_step, path
from longterm.records.chat import ChatEvent, ChatReply
from longterm.records.passage import KINDS, Kind
from longterm.records.recall import Recall
from longterm.records.used import UsedMemories


def recall(
    user_id: str,
    query: str,
    *,
    conversation_id: str | UUID | None = None,
    limit: int = 10,
    budget_tokens: int = 2000,
    kinds: Sequence[Kind] = KINDS,
    as_of: datetime | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    min_turn: int | None = None,
) -> Request[Recall]:
    """Find what bears on a query, and make a text for the prompt of it, within a token budget."""
    return Request(
        method="POST",
        path="/api/recall",
        user_id=user_id,
        body=given(
            query=query,
            conversation_id=conversation_id,
            limit=limit,
            budget_tokens=budget_tokens,
            kinds=list(kinds),
            as_of=as_of,
            after=after,
            before=before,
            min_turn=min_turn,
        ),
        read=record(Recall),
    )


def chat(
    user_id: str,
    message: str,
    *,
    conversation_id: str | UUID | None = None,
    memory: bool = True,
    temporary: bool = False,
) -> Request[ChatReply]:
    """Answer a message; both are kept, and learned from in the background."""
    return Request(
        method="POST",
        path="/api/chat",
        user_id=user_id,
        body=given(
            message=message, conversation_id=conversation_id, memory=memory, temporary=temporary
        ),
        read=record(ChatReply),
    )


def stream(
    user_id: str,
    message: str,
    *,
    conversation_id: str | UUID | None = None,
    memory: bool = True,
    temporary: bool = False,
) -> Request[ChatEvent]:
    """Answer a message as it comes; who goes away can come back with `follow`."""
    return Request(
        method="POST",
        path="/api/chat/stream",
        user_id=user_id,
        body=given(
            message=message, conversation_id=conversation_id, memory=memory, temporary=temporary
        ),
        pieces=Events,
        read=event,
        repeatable=False,
    )


def follow(user_id: str, message_id: int | str, *, after: int = 0) -> Request[ChatEvent]:
    """Follow the answer to a message from the character `after` on."""
    return Request(
        method="GET",
        path=path("api", "chat", "stream", message_step(message_id)),
        user_id=user_id,
        query={"after": after},
        pieces=Events,
        read=event,
    )


def stop_answer(user_id: str, message_id: int | str) -> Request[bool]:
    """Stop an answer that is being made; tells whether one was. What has come of it is kept."""
    return Request(
        method="POST",
        path=path("api", "chat", "stream", message_step(message_id), "stop"),
        user_id=user_id,
        read=true,
        absent=lambda: False,
    )


def get_memories_used(user_id: str, message_id: int | str) -> Request[UsedMemories]:
    """Return the memories that an answer was made from, as they read now."""
    return Request(
        method="GET",
        path=path("api", "messages", message_step(message_id), "memories"),
        user_id=user_id,
        read=record(UsedMemories),
    )
