"""Sessions: conversations that expire some time after their last turn."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from longterm.api.people import Anybody
from longterm.api.wire.sessions import (
    ContextQuery,
    NewSession,
    NewTurn,
    SessionContext,
    SessionId,
    Turn,
)
from longterm.api.wire.shapes import Items
from longterm.api.wire.users import Deleted
from longterm.memory.sessions import MOST_TURNS

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.post("", status_code=201)
async def create_session(new: NewSession, asked: Anybody) -> SessionId:
    """Make a session."""
    user = asked.of(new.user_id)
    return SessionId(session_id=await user.memory.create_session(user.id))


@router.get("/{session_id}/turns")
async def list_turns(
    session_id: UUID,
    asked: Anybody,
    limit: Annotated[
        int | None, Query(ge=1, le=MOST_TURNS, description="How many of the last turns.")
    ] = None,
) -> Items[Turn]:
    """List the last turns of a session, oldest first; none when it is not there."""
    return Items[Turn].all(await asked.memory().get_session_history(session_id, limit))


@router.post("/{session_id}/turns", status_code=201)
async def store_turn(session_id: UUID, new: NewTurn, asked: Anybody) -> Turn:
    """Store a question with its answer; an id that is not known begins a new session under it."""
    user = asked.of(new.user_id)
    return Turn.of(
        await user.memory.store_turn(session_id, user.id, new.query, new.response, new.metadata)
    )


@router.post("/{session_id}/context")
async def get_context(session_id: UUID, wanted: ContextQuery, asked: Anybody) -> SessionContext:
    """Return what a session has to say to a query: its last turns, as text too."""
    memory = asked.memory(wanted.user_id)
    found = await memory.get_context_for_query(session_id, wanted.query)
    for turn in found.turns:
        asked.is_of(turn.user_id)
    return SessionContext.of(found)


@router.delete("/{session_id}")
async def delete_session(session_id: UUID, asked: Anybody) -> Deleted:
    """Delete a session; facts that rest on it alone end.

    The answer tells how many turns it had; 0 when it is not there.
    """
    return Deleted(deleted=await asked.memory().delete_session(session_id))
