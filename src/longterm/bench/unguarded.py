"""Chat without the guard against outages, to tell what the guard costs."""

from longterm.memory import remembering
from longterm.memory.prompting import Asked
from longterm.memory.tenant import AsyncTenant
from longterm.store import exchanges, users


class Unguarded(AsyncTenant):
    """Stores the question as it comes: no time limit, no journal, no id against a second time."""

    async def _ask_in(
        self, user_id: str, text: str, place: str | None, *, memory: bool, temporary: bool
    ) -> Asked:
        async with self._transaction() as conn:
            await users.standing(conn, user_id)
            stored = await exchanges.ask(
                conn,
                user_id=user_id,
                conversation_id=place,
                content=text,
                said_at=remembering.now(),
                write_id=None,
            )
        if stored is None:
            raise AssertionError("the conversation is there")
        return Asked(
            user_id=user_id,
            text=text,
            conversation_id=stored.conversation_id,
            message_id=stored.id,
            memory=memory,
            temporary=temporary,
        )
