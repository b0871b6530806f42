"""What changed since somebody looked."""

from fastapi import APIRouter

from longterm.api.people import UserOfQuery
from longterm.api.wire.changes import Changes

router = APIRouter(tags=["users"])


@router.get("/api/changes")
async def get_changes(user: UserOfQuery) -> Changes:
    """Tell whether it is worth looking again: at memory, conversations, places or keys.

    Meant to be asked every few seconds; who gives the ETag of the last answer gets 304.
    """
    return Changes.of(await user.memory.get_changes(user.id))
