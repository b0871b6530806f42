"""Chat without the guard against outages, to tell what the guard costs."""

from longterm.memory.prompting import Asked
from longterm.memory.tenant import AsyncTenant
from longterm.records.message import NewMessage
from longterm.store import conversations, messages, users


class Unguarded(AsyncTenant):
    """Stores the question as it comes: no time limit, no journal, no id against a second time."""

    async def _ask_in(
        self, user_id: str, text: str, place: str | None, *, memory: bool, temporary: bool
    ) -> Asked:
        async with self._transaction() as conn:
            await users.get_state(conn, user_id)
            if place is not None:
                await conversations.get(conn, place)
            await users.ensure(conn, user_id)
            new = NewMessage(user_id=user_id, role="user", content=text, conversation_id=place)
            message_id = await messages.append(conn, new)
            stored = None if message_id is None else await messages.get(conn, message_id)
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
