"""The history of a user, over all conversations."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from longterm.api.people import Anybody, Asked, UserOfQuery
from longterm.api.routes.conversations import Limit
from longterm.api.wire.history import Count, HistoryMessage, MessageId, Trimmed, Trimming
from longterm.api.wire.messages import Message
from longterm.api.wire.ownership import Receipt
from longterm.api.wire.shapes import Items
from longterm.api.wire.users import Deleted

router = APIRouter(prefix="/api/messages", tags=["messages"])

WhichMessage = Annotated[int, Path(ge=1, le=2**63 - 1)]
Forget = Annotated[bool, Query(description="Forget what was made of it too, with a receipt.")]
AndLater = Annotated[
    bool, Query(description="Forget it and all after it; the conversation goes on from there.")
]
FORGOTTEN: dict[int | str, dict[str, Any]] = {
    200: {"model": Receipt, "description": "It was forgotten."}
}


@router.get("")
async def list_history(
    user: UserOfQuery,
    limit: Limit = 50,
    offset: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="How many of the newest to pass over.")
    ] = 0,
) -> Items[Message]:
    """List the messages of a user over all conversations, newest first."""
    return Items[Message].all(await user.memory.get_conversation_history(user.id, limit, offset))


@router.post("", status_code=201)
async def add_message(new: HistoryMessage, asked: Anybody) -> MessageId:
    """Append a message to the conversation given, or to the user's current one."""
    user = asked.of(new.user_id)
    said = new.model_dump(exclude={"user_id"}, exclude_unset=True)
    return MessageId(id=await user.memory.add_message(user.id, **said))


@router.delete("")
async def clear_history(user: UserOfQuery) -> Deleted:
    """Delete every conversation of a user; facts that rest on them alone end.

    The answer tells how many messages that were.
    """
    return Deleted(deleted=await user.memory.clear_conversation_history(user.id))


@router.get("/count")
async def count_messages(user: UserOfQuery) -> Count:
    """Tell how many messages the history of a user has."""
    return Count(count=await user.memory.count_messages(user.id))


@router.post("/trim")
async def trim_history(wanted: Trimming, asked: Anybody) -> Trimmed:
    """Archive or delete what is beyond the newest messages, or older than a time.

    Facts stay; of those whose message is deleted, `source_gone` is true.
    """
    user = asked.of(wanted.user_id)
    bounds = wanted.model_dump(exclude={"user_id"})
    return Trimmed(trimmed=await user.memory.trim_history(user.id, **bounds))


@router.delete("/{message_id}", status_code=204, response_model=None, responses=FORGOTTEN)
async def delete_message(
    message_id: WhichMessage,
    asked: Anybody,
    response: Response,
    forget: Forget = False,
    and_later: AndLater = False,
) -> Receipt | None:
    """Delete one message; the numbers of the turns around it stay, facts that rest on it alone end.

    With `forget=true` all that was made of it goes too, and the answer is a receipt; this needs the
    user. So does `and_later=true`, which forgets all after it as well.
    """
    return await delete(asked, response, message_id, None, forget, and_later)


async def delete(
    asked: Asked,
    response: Response,
    message_id: int,
    conversation_id: UUID | None,
    forget: bool,
    and_later: bool,
) -> Receipt | None:
    """Delete or forget a message, of one conversation where it is named."""
    if not (forget or and_later):
        await asked.memory().delete_message(message_id, conversation_id=conversation_id)
        return None
    user = asked.of()
    response.status_code = 200
    forgetting = user.memory.rewind if and_later else user.memory.forget_message
    return Receipt.of(await forgetting(user.id, message_id, conversation_id=conversation_id))
