"""Something said is stored once, at once or when the database is back."""

from datetime import datetime

from longterm.errors import MemoryNotFoundError
from longterm.memory import late, tenants
from longterm.memory.conversations import ensure_current
from longterm.memory.history import append_to_new
from longterm.memory.outage import Utterance
from longterm.records.conversation import NewConversation
from longterm.records.job import DIGEST, NewJob
from longterm.records.message import NewMessage
from longterm.records.scope import Scope
from longterm.store import (
    answers,
    conversations,
    erasure,
    exchanges,
    jobs,
    messages,
    said_once,
    users,
)
from longterm.store.database import Conn, Database
from longterm.store.exchanges import Place


async def ask(conn: Conn, said: Utterance) -> Place:
    """Store a question in its conversation, or else in the current one, made where there is none."""
    stored = await _ask(conn, said)
    if stored is not None:
        return stored
    if said.conversation_id is not None:
        raise MemoryNotFoundError("This user has no such conversation.")
    await ensure_current(conn, said.user_id)
    stored = await _ask(conn, said)
    if stored is None:
        raise AssertionError("the conversation was made in this very transaction")
    return stored


async def _ask(conn: Conn, said: Utterance) -> Place | None:
    return await exchanges.ask(
        conn,
        user_id=said.user_id,
        conversation_id=said.conversation_id,
        content=said.text,
        said_at=datetime.fromisoformat(said.said_at),
        said_once=said.id,
    )


async def write(database: Database, said: Utterance) -> int | None:
    """Store something said; None when it was stored before, or is not to be kept any more."""
    async with database.tenant(Scope(said.tenant_id)) as conn:
        # It may come from a disk that whoever forgot the user could not reach.
        await erasure.take_turns(conn, said.user_id)
        if await erasure.is_forgotten(
            conn,
            user_id=said.user_id,
            conversation_id=said.conversation_id,
            said_at=datetime.fromisoformat(said.said_at),
        ) or not await tenants.remembers(conn):
            return None
        return await store(conn, said)


async def store(conn: Conn, said: Utterance) -> int | None:
    """Store something said, in its conversation, which is made when it is missing.

    None when it was stored before.
    """
    await users.ensure(conn, said.user_id)
    if not await said_once.mark(conn, id_=said.id, user_id=said.user_id):
        return None
    if said.question_id is not None and (begun := await _finish_begun(conn, said)) is not None:
        return begun
    said_at = datetime.fromisoformat(said.said_at)
    if said.thread is not None:
        return await late.write(conn, said.user_id, said.thread, said_at=said_at)
    new = NewMessage(
        user_id=said.user_id,
        role=said.role,
        content=said.text,
        conversation_id=said.conversation_id,
        said_at=said_at,
    )
    stored = await _append(conn, said, new)
    if said.status != "complete":
        await answers.write(conn, stored, content=said.text, status=said.status)
    return stored


async def _finish_begun(conn: Conn, said: Utterance) -> int | None:
    """Put the whole answer in the place of the part that was stored before the outage, if one was."""
    question_id = said.question_id or 0
    begun = await answers.so_far(conn, question_id=question_id, user_id=said.user_id)
    await answers.end(conn, question_id)
    if begun is None or begun.answer_id is None or begun.status == "complete":
        return None
    await answers.write(conn, begun.answer_id, content=said.text, status=said.status)
    digest = NewJob(task=DIGEST, key=begun.conversation_id, user_id=said.user_id)
    await jobs.request(conn, digest)
    return begun.answer_id


async def _append(conn: Conn, said: Utterance, new: NewMessage) -> int:
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
