"""Something said is stored once, at once or when the database is back."""

from datetime import datetime

from longterm.errors import MemoryNotFoundError
from longterm.memory import late, tenants
from longterm.memory.conversations import ensure_current
from longterm.memory.history import append_to_new
from longterm.memory.outage import Utterance
from longterm.postgres.pool import Database
from longterm.postgres.transaction import Conn
from longterm.records.conversation import NewConversation
from longterm.records.message import NewMessage
from longterm.records.scope import Scope
from longterm.store import (
    answers,
    applied_writes,
    conversations,
    erasure,
    exchanges,
    messages,
    users,
)
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
        write_id=said.id,
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
    if not await applied_writes.claim(conn, id_=said.id, user_id=said.user_id):
        return None
    stored = await _store(conn, said)
    if stored is not None:
        await applied_writes.set_record(conn, id_=said.id, record_id=stored)
    return stored


async def _store(conn: Conn, said: Utterance) -> int | None:
    said_at = datetime.fromisoformat(said.said_at)
    if said.thread is not None:
        return await late.write(conn, said.user_id, said.thread, said_at=said_at)
    question_id = await _question_of(conn, said)
    if question_id is not None:
        return await _answer(conn, said, question_id)
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


async def _question_of(conn: Conn, said: Utterance) -> int | None:
    """The id of the question that an answer belongs to, stored directly or from the journal."""
    if said.question_id is not None or said.question_write_id is None:
        return said.question_id
    stored = await applied_writes.get_record(conn, id_=said.question_write_id, user_id=said.user_id)
    return None if stored is None else int(stored)


async def _answer(conn: Conn, said: Utterance, question_id: int) -> int | None:
    """Store an answer in place of the part that is stored, if one is; None without its question."""
    begun = await answers.so_far(conn, question_id=question_id, user_id=said.user_id)
    if begun is None:
        return None
    await conversations.lock(conn, begun.conversation_id)
    whole = exchanges.Answer(
        user_id=said.user_id,
        question_id=question_id,
        content=said.text,
        status=said.status,
        said_at=datetime.fromisoformat(said.said_at),
    )
    if begun.answer_id is None or begun.status == "complete":
        saved = await exchanges.add(conn, whole)
    else:
        saved = await exchanges.save(conn, begun.answer_id, whole)
    return None if saved is None else saved.id


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
