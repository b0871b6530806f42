"""Conversations of a user."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.wire import messages
from longterm.api.wire.conversations import (
    ARCHIVED,
    Archived,
    Conversation,
    ConversationChanges,
    ConversationWithMessages,
    Episode,
    ListedConversation,
    NewConversation,
)
from longterm.api.wire.ownership import Receipt
from longterm.api.wire.shapes import Items, there

router = APIRouter(prefix="/api/conversations", tags=["conversations"])

Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
Cursor = Annotated[str | None, Query(description="The `next_cursor` of the page before.")]


@router.get("")
async def list_conversations(
    user: UserOfQuery,
    limit: Limit = 50,
    cursor: Cursor = None,
    archived: Archived = "false",
    search: Annotated[
        str | None,
        Query(min_length=1, max_length=255, description="Words in the title or in a message."),
    ] = None,
) -> Items[ListedConversation]:
    """List the conversations of a user, pinned ones first, then the one used last."""
    page = await user.memory.list_conversations(
        user.id, limit, cursor, archived=ARCHIVED[archived], search=search
    )
    return Items[ListedConversation].of(page)


@router.post("", status_code=201)
async def create_conversation(new: NewConversation, asked: Anybody) -> Conversation:
    """Make a conversation, which becomes the user's current one.

    Under an id that the application chose, the conversation that is there is returned; one of
    somebody else is not there.
    """
    user = asked.of(new.user_id)
    made = await user.memory.create_conversation(
        user.id,
        new.title,
        retention=new.retention,
        metadata=new.metadata,
        conversation_id=new.conversation_id,
    )
    return Conversation.of(made)


@router.get("/current")
async def current_conversation(user: UserOfQuery) -> Conversation:
    """Return the conversation that messages without one go to; made when there is none."""
    return Conversation.of(await user.memory.current_conversation(user.id))


@router.get("/{conversation_id}")
async def get_conversation(
    conversation_id: UUID, user: UserOfQuery, limit: Limit = 50
) -> ConversationWithMessages:
    """Return a conversation with its newest messages, in the order they were said."""
    found = await user.memory.get_conversation(user.id, conversation_id)
    page = await user.memory.get_messages(conversation_id, limit)
    answering = await user.memory.list_answering(user.id, conversation_id)
    return ConversationWithMessages(
        **Conversation.of(found).model_dump(),
        messages=messages.paged(page, {}),
        answering=answering[-1] if answering else None,
    )


@router.put("/{conversation_id}")
async def update_conversation(
    conversation_id: UUID, changes: ConversationChanges, asked: Anybody
) -> Conversation:
    """Change the title, the retention, the metadata, whether it is pinned or archived."""
    user = asked.of(changes.user_id)
    updated = await user.memory.update_conversation(
        user.id,
        conversation_id,
        title=changes.title,
        archived=changes.archived,
        pinned=changes.pinned,
        retention=changes.retention,
        metadata=changes.metadata,
    )
    return Conversation.of(updated)


@router.delete(
    "/{conversation_id}",
    status_code=204,
    response_model=None,
    responses={200: {"model": Receipt, "description": "It was forgotten."}},
)
async def delete_conversation(
    conversation_id: UUID,
    user: UserOfQuery,
    response: Response,
    forget: Annotated[
        bool, Query(description="Forget what was learned from it too, with a receipt.")
    ] = False,
) -> Receipt | None:
    """Delete a conversation with its messages; facts that rest on it alone end.

    With `forget=true` these go with all their versions, and the answer is a receipt.
    """
    if not forget:
        there(await user.memory.delete_conversation(user.id, conversation_id))
        return None
    response.status_code = 200
    return Receipt.of(await user.memory.forget_conversation(user.id, conversation_id))


@router.get("/{conversation_id}/episodes")
async def list_episodes(conversation_id: UUID, asked: Anybody) -> Items[Episode]:
    """List the summaries of what left the window, in the order of their turns."""
    memory = asked.memory()
    # Refuses a conversation that is not there, also where no user is named.
    await memory.get_messages(conversation_id, 1)
    return Items[Episode].all(await memory.list_episodes(conversation_id))
