"""Messages of a conversation."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query, Response

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.routes.history import FORGOTTEN, AndLater, Forget, WhichMessage, delete
from longterm.api.wire.messages import (
    Appended,
    MessagePage,
    MessageQuery,
    StoredMessage,
    place,
    said,
    shown,
    speaker,
    stored,
)
from longterm.api.wire.ownership import Receipt
from longterm.api.wire.shapes import Items
from longterm.api.wire.used import MemoriesUsed

router = APIRouter(tags=["messages"])


@router.get("/api/conversations/{conversation_id}/messages")
async def list_messages(
    conversation_id: UUID, wanted: Annotated[MessageQuery, Query()], asked: Anybody
) -> MessagePage:
    """List messages in the order they were said: the newest, or those beside a message.

    `next_cursor` leads to older messages, or to newer ones where `after` was given;
    `previous_cursor` leads the other way. With `around` that message is in the middle.
    """
    begun = place(wanted)
    page = await asked.memory().get_messages(conversation_id, wanted.limit, **begun)
    return await shown(page, begun, wanted.render)


@router.post("/api/conversations/{conversation_id}/messages", status_code=201)
async def add_messages(
    conversation_id: UUID,
    new: Annotated[
        Appended,
        Body(
            openapi_examples={
                "one": {"value": {"user_id": "ada", "role": "user", "content": "I am Ada."}},
                "several": {
                    "value": [
                        {"role": "user", "content": "I am Ada."},
                        {"role": "assistant", "content": "Hello Ada."},
                    ]
                },
            }
        ),
    ],
    asked: Anybody,
) -> Items[StoredMessage]:
    """Append one message or several, from an application that talks to a model itself.

    Several are stored in their order, all of them or none; a bare list takes the user from the
    query.
    """
    user = asked.of(speaker(new))
    ids = await user.memory.add_messages(user.id, conversation_id, said(new))
    return stored(ids, conversation_id)


@router.delete(
    "/api/conversations/{conversation_id}/messages/{message_id}",
    status_code=204,
    response_model=None,
    responses=FORGOTTEN,
)
async def delete_message_of_conversation(
    conversation_id: UUID,
    message_id: WhichMessage,
    asked: Anybody,
    response: Response,
    forget: Forget = False,
    and_later: AndLater = False,
) -> Receipt | None:
    """Delete one message of a conversation, as `DELETE /api/messages/{message_id}` does."""
    return await delete(asked, response, message_id, conversation_id, forget, and_later)


@router.get("/api/messages/{message_id}/memories")
async def list_memories_used(
    message_id: Annotated[int, Path(ge=1, le=2**63 - 1, description="The answer's message.")],
    user: UserOfQuery,
) -> MemoriesUsed:
    """List the memories that an answer was made from, as they read now.

    Of what was forgotten since, only its id and its score are known.
    """
    return MemoriesUsed.of(await user.memory.get_memories_used(user.id, message_id))
