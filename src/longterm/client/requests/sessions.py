"""Sessions: conversations that expire some time after their last turn."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from longterm.client.reading import items, member, record
from longterm.client.request import Request, given, path, uuid_step, write_id_of
from longterm.records.turn import SessionContext, Turn


def create_session(user_id: str) -> Request[str]:
    """Make a session, and return its id."""
    return Request(
        method="POST",
        path="/api/sessions",
        user_id=user_id,
        body={},
        read=member("session_id", str),
    )


def store_turn(
    session_id: str | UUID,
    user_id: str,
    query: str,
    response: str,
    metadata: Mapping[str, Any] | None = None,
    *,
    write_id: str | UUID | None = None,
) -> Request[Turn]:
    """Store a question with its answer as the next turn of a session.

    An id that is not known, or whose session expired, begins a new session under it.
    Repeated with the same `write_id`, a UUID of the caller, it is stored once.
    """
    return Request(
        method="POST",
        path=path("api", "sessions", uuid_step(session_id, "session_id"), "turns"),
        user_id=user_id,
        body=given(query=query, response=response, metadata=metadata),
        read=record(Turn),
        write_id=write_id_of(write_id),
    )


def get_session_history(session_id: str | UUID, limit: int | None = None) -> Request[list[Turn]]:
    """Return the last turns of a session, oldest first; none when it is not there."""
    return Request(
        method="GET",
        path=path("api", "sessions", uuid_step(session_id, "session_id"), "turns"),
        query={"limit": limit},
        read=items(Turn),
    )


def delete_session(session_id: str | UUID) -> Request[int]:
    """Delete a session, and return how many turns it had; 0 when it is not there.

    Facts that rest on it alone end.
    """
    return Request(
        method="DELETE",
        path=path("api", "sessions", uuid_step(session_id, "session_id")),
        read=member("deleted", int),
    )


def get_context_for_query(session_id: str | UUID, query: str) -> Request[SessionContext]:
    """Return what a session has to say to a query: its last turns, as text too."""
    return Request(
        method="POST",
        path=path("api", "sessions", uuid_step(session_id, "session_id"), "context"),
        body={"query": query},
        read=record(SessionContext),
    )
