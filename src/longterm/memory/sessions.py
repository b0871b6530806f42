"""Sessions: conversations that `/chat` makes, which expire some time after their last turn."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from longterm.errors import (
    ConflictError,
    LongtermError,
    MemoryNotFoundError,
    OutcomeUnknownError,
)
from longterm.memory import deletion, inputs, repeated, tenants, writes
from longterm.memory.operations import Operations
from longterm.memory.patience import patiently
from longterm.postgres.transaction import Conn
from longterm.recall.context import WINDOW
from longterm.records.conversation import NewConversation
from longterm.records.turn import SessionContext, Turn
from longterm.store import conversations, messages, users
from longterm.text import prompt_data, references
from longterm.text.references import Exchange

MOST_TURNS = 50
# Bounded, because the session of a user whom we must not see is never there and never free.
_TRIES = 20


class Sessions(Operations):
    """Turns by session; a session that is not there yet is made by its first turn."""

    async def create_session(self, user_id: str) -> str:
        """Make a session, and return its id."""
        user_id, session_id = inputs.user_id(user_id), repeated.id_of("new session")
        with self._operation("create_session", user_id=user_id):
            async with self._transaction() as conn:
                await self._create(conn, session_id, user_id)
        return session_id

    async def store_turn(
        self,
        session_id: str | UUID,
        user_id: str,
        query: str,
        response: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        write_id: str | UUID | None = None,
    ) -> Turn:
        """Store a question with its answer as the next turn of a session.

        An id that is not known, or whose session expired, begins a new session under it.
        Repeated with the same `write_id`, a UUID of the caller, it is stored once.
        """
        limits = self._rules.limits
        values = {
            "conversation_id": inputs.uuid(session_id, "session_id"),
            "user_id": inputs.user_id(user_id),
            "query": inputs.content(query, "query", limits=limits),
            "response": inputs.content(response, "response", limits=limits),
        }
        attached = inputs.metadata(metadata, limits=limits)
        with self._operation(
            "store_turn",
            user_id=values["user_id"],
            conversation_id=values["conversation_id"],
        ):
            write, turn = writes.write_id(write_id, "turn", values, attached), None
            try:
                async with self._transaction() as conn:
                    applied = await writes.begin(conn, write, values["user_id"])
                    if applied is not None:
                        return await _turn(conn, int(applied))
                    turn = await messages.append_turn(conn, **values, metadata=attached)
                    if turn is None:
                        await self._create(conn, values["conversation_id"], values["user_id"])
                        turn = await messages.append_turn(conn, **values, metadata=attached)
                    await writes.finish(conn, write, None if turn is None else turn.id)
            except LongtermError as error:
                self._metrics.turns_failed.inc()
                if isinstance(error, OutcomeUnknownError) and turn is not None:
                    error.id = turn.id
                raise
            if turn is None:
                raise AssertionError("the session was made in this very transaction")
            self._metrics.turns_stored.inc()
            self._metrics.messages_stored.inc(2)
            self._parts.wake_worker()
            return turn

    async def _create(self, conn: Conn, session_id: str, user_id: str) -> None:
        await users.ensure(conn, user_id)
        await conversations.delete_expired_one(conn, conversation_id=session_id, user_id=user_id)
        new = NewConversation(
            id=session_id,
            user_id=user_id,
            kind="session",
            retention_hours=await tenants.session_hours(conn, self._rules.session_ttl_hours),
        )
        for _ in range(_TRIES):
            if await conversations.insert(conn, new) is not None:
                return
            # Somebody else's, or made a moment ago by a writer who was faster. Locked, so that
            # nobody deletes it before the turn is in; gone again, it is made anew.
            owner = await conversations.lock(conn, session_id)
            if owner == user_id:
                return
            if owner is not None:
                break
        raise MemoryNotFoundError("This user has no such session.")

    async def get_session_history(
        self, session_id: str | UUID, limit: int | None = None
    ) -> list[Turn]:
        """Return the last turns of a session, oldest first; none when it is not there."""
        session_id = inputs.uuid(session_id, "session_id")
        limit = inputs.limit(self._rules.history_limit if limit is None else limit, most=MOST_TURNS)
        with self._operation("get_session_history", conversation_id=session_id):
            async with self._read_only() as conn:
                return await messages.last_turns(conn, conversation_id=session_id, limit=limit)

    async def delete_session(self, session_id: str | UUID) -> int:
        """Delete a session, and return how many turns it had; 0 when it is not there.

        Facts that rest on it alone end.
        """
        session_id = inputs.uuid(session_id, "session_id")
        with self._operation("delete_session", conversation_id=session_id):
            return await patiently(lambda: self._delete_session(session_id))

    async def _delete_session(self, session_id: str) -> int:
        async with self._transaction() as conn:
            user_id = await conversations.lock(conn, session_id)
            if user_id is None:
                return 0
            turns = await messages.count_turns(conn, session_id)
            await deletion.delete_conversations(
                conn, user_id=user_id, conversation_ids=[session_id]
            )
        self._parts.window.drop(self._scope.tenant_id, user_id)
        return turns

    async def get_context_for_query(self, session_id: str | UUID, query: str) -> SessionContext:
        """Return what a session has to say to a query: its last turns, as text too."""
        query = inputs.content(query, "query", limits=self._rules.limits)
        turns = tuple(await self.get_session_history(session_id))
        exchanges = [Exchange(turn.query_text, turn.response_text) for turn in turns]
        return SessionContext(
            session_id=inputs.uuid(session_id, "session_id"),
            query=query,
            resolved_query=references.resolve(query, exchanges).query,
            turns=turns,
            text=prompt_data.block(WINDOW, _lines(turns)),
        )


async def _turn(conn: Conn, message_id: int) -> Turn:
    turn = await messages.get_turn(conn, message_id)
    if turn is None:
        raise ConflictError("This turn was stored before, and deleted since.")
    return turn


def _lines(turns: tuple[Turn, ...]) -> list[str]:
    said = [
        (role, words)
        for turn in turns
        for role, words in (("user", turn.query_text), ("assistant", turn.response_text))
    ]
    return [f"- {role}: {words}" for role, words in said if words]
