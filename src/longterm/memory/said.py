"""Something said is stored once, at once or when the database is back."""

from datetime import datetime

from longterm.memory.history import append_to_new
from longterm.memory.outage import Utterance
from longterm.records.conversation import NewConversation
from longterm.records.message import NewMessage
from longterm.records.scope import Scope
from longterm.store import conversations, erasure, messages, said_once, users
from longterm.store.database import Conn, Database


async def write(database: Database, said: Utterance) -> int | None:
    """Store something said; None when it was stored before, or is forgotten by now."""
    async with database.tenant(Scope(said.tenant_id)) as conn:
        # It may come from a disk that whoever forgot the user could not reach.
        await erasure.take_turns(conn, said.user_id)
        if await erasure.is_forgotten(
            conn,
            user_id=said.user_id,
            conversation_id=said.conversation_id,
            said_at=datetime.fromisoformat(said.said_at),
        ):
            return None
        return await store(conn, said)


async def store(conn: Conn, said: Utterance) -> int | None:
    """Store something said, in its conversation, which is made when it is missing.

    None when it was stored before.
    """
    await users.ensure(conn, said.user_id)
    if not await said_once.mark(conn, id_=said.id, user_id=said.user_id):
        return None
    new = NewMessage(
        user_id=said.user_id,
        role=said.role,
        content=said.text,
        conversation_id=said.conversation_id,
        said_at=datetime.fromisoformat(said.said_at),
    )
    stored = await messages.append(conn, new)
    if stored is not None:
        return stored
    if said.conversation_id is None:
        return await append_to_new(conn, new)
    made = NewConversation(id=said.conversation_id, user_id=said.user_id)
    await conversations.insert(conn, made)
    stored = await messages.append(conn, new)
    if stored is None:
        # Expired, or somebody else's: what was acknowledged goes to the user's current one.
        anywhere = NewMessage(
            user_id=said.user_id, role=said.role, content=said.text, said_at=new.said_at
        )
        stored = await messages.append(conn, anywhere) or await append_to_new(conn, anywhere)
    return stored
