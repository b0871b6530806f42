"""The demo conversation."""

from typing import Annotated

from fastapi import APIRouter, Body

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.wire.conversations import Conversation, DemoWanted
from longterm.api.wire.users import Deleted

router = APIRouter(prefix="/api/demo", tags=["conversations"])


@router.post("", status_code=201)
async def load_demo(
    asked: Anybody,
    wanted: Annotated[
        DemoWanted | None, Body(openapi_examples={"for ada": {"value": {"user_id": "ada"}}})
    ] = None,
) -> Conversation:
    """Load a conversation that shows what memory looks like, and learn from it at once.

    Only for a user of whom nothing is known yet.
    """
    user = asked.of(None if wanted is None else wanted.user_id)
    return Conversation.of(await user.memory.load_demo(user.id))


@router.delete("")
async def remove_demo(user: UserOfQuery) -> Deleted:
    """Remove the demo with everything that was learned from it."""
    return Deleted(deleted=await user.memory.remove_demo(user.id))
