"""Chat in sessions, as seed b wants it: whatever session is named, there is an answer."""

from uuid import UUID

from longterm.errors import DatabaseGoneError, InvalidInputError, OutcomeUnknownError
from longterm.memory import inputs, repeated, tenants
from longterm.memory.exchange import Exchanges
from longterm.memory.sessions import Sessions
from longterm.records.chat import ChatReply
from longterm.records.ids import new_id
from longterm.store import conversations


class SessionChat(Exchanges, Sessions):
    """An exchange in a session that expires."""

    async def chat_in_session(
        self, user_id: str, query: str, session_id: str | UUID | None = None
    ) -> ChatReply:
        """Answer a query in its session.

        Without one, or with one that is unknown, expired, malformed or somebody else's, a new
        session begins; nothing of the other one is seen.
        """
        user_id = inputs.user_id(user_id)
        inputs.content(query, "query", limits=self._rules.limits)
        place = await self._session_of(user_id, session_id)
        return await self.chat(user_id, query, conversation_id=place)

    async def _session_of(self, user_id: str, session_id: object) -> str:
        try:
            named = None if session_id is None else inputs.uuid(session_id, "session_id")
        except InvalidInputError:
            named = None
        try:
            async with self._read_only() as conn:
                if not await tenants.remembers(conn):
                    # Only handed back: nothing is stored under it.
                    return named or new_id()
                found = None if named is None else await conversations.get(conn, named)
            if found is not None and found.user_id == user_id:
                return found.id
            return await self.create_session(user_id)
        except (DatabaseGoneError, OutcomeUnknownError):
            # It is written back under this id, as a conversation of this user.
            return named or repeated.id_of("conversation")
