"""How a fact gets into memory: decided by a rule, within the limit, noted in the audit trail."""

import asyncio
import dataclasses
from datetime import UTC, datetime
from hashlib import sha256

from longterm.errors import ConflictError, MemoryNotFoundError
from longterm.learn import merge
from longterm.observe.log import get_logger
from longterm.postgres.transaction import Conn
from longterm.records.audit import Actor
from longterm.records.fact import Fact, NewFact
from longterm.records.ids import new_id
from longterm.records.job import EMBED, NewJob
from longterm.records.json import JsonObject
from longterm.store import audit, facts, jobs, places, sources, users
from longterm.text import tokens

_NO_SUCH_SOURCE = (
    "The source of a fact must be a conversation of this user that is there, or a message in it."
)

_log = get_logger(__name__)


async def remember(
    conn: Conn, new: NewFact, *, actor: Actor, limit_tokens: int
) -> tuple[Fact | None, str]:
    """Store a fact, or confirm the one that says the same; returns it, and why.

    The user's row is locked: of two writers the second sees what the first did.
    """
    await users.ensure(conn, new.user_id)
    await users.lock(conn, new.user_id)
    latest = await _latest(conn, new)
    decision = merge.decide(new, latest)
    if decision.action == "ignore":
        return None, decision.reason
    if decision.action == "confirm" and latest is not None:
        return await _confirm(conn, new, latest, actor=actor), decision.reason
    if decision.action != "file":
        await make_room(conn, new, replaced=latest, limit_tokens=limit_tokens)
    fact = await _store(conn, new, latest, decision.action, actor=actor)
    return fact, decision.reason


async def _confirm(conn: Conn, new: NewFact, latest: Fact, *, actor: Actor) -> Fact | None:
    """Count that it was said once more; who says it on purpose vouches for it."""
    fact = await facts.confirm(
        conn, new, fact_id=latest.id, vouched=merge.is_deliberate(new.origin)
    )
    await jobs.request(conn, NewJob(task=EMBED, key=new.user_id, user_id=new.user_id))
    await audit.write(
        conn,
        user_id=new.user_id,
        actor=actor,
        action="confirm fact",
        subject=latest.id,
        source_message_id=new.source_message_id,
        before=told(latest),
        after=None if fact is None else told(fact),
    )
    return fact


async def check_source(
    conn: Conn, user_id: str, conversation_id: str | None, message_id: int | None
) -> str | None:
    """Refuse a source that is not there or not of this user; returns its conversation.

    The user's row is locked first, as by those who delete messages.
    """
    if message_id is None and conversation_id is None:
        return None
    await users.ensure(conn, user_id)
    await users.lock(conn, user_id)
    if message_id is None:
        known = await sources.has_conversation(
            conn, user_id=user_id, conversation_id=str(conversation_id)
        )
        found = conversation_id if known else None
    else:
        found = await sources.conversation_of_message(conn, user_id=user_id, message_id=message_id)
    if found is None or conversation_id not in (None, found):
        raise MemoryNotFoundError(_NO_SUCH_SOURCE)
    return found


async def _latest(conn: Conn, new: NewFact) -> Fact | None:
    if new.category is not None and new.key is not None:
        return await facts.latest_of_key(
            conn, user_id=new.user_id, category=new.category, key=new.key
        )
    fingerprint = merge.gist(new.content)
    return await facts.latest_alike(conn, user_id=new.user_id, fingerprint=fingerprint)


async def _store(
    conn: Conn, new: NewFact, latest: Fact | None, action: merge.Action, *, actor: Actor
) -> Fact:
    fact_id = new_id() if latest is None else latest.id
    if action == "replace":
        await facts.close(
            conn, user_id=new.user_id, fact_id=fact_id, at=new.said_at, closed="replaced"
        )
    elif action == "file":
        await facts.cut(conn, user_id=new.user_id, fact_id=fact_id, at=new.said_at)
    fact = await facts.insert(conn, new, fact_id=fact_id, fingerprint=merge.gist(new.content))
    await jobs.request(conn, NewJob(task=EMBED, key=new.user_id, user_id=new.user_id))
    await audit.write(
        conn,
        user_id=new.user_id,
        actor=actor,
        action=f"{action} fact",
        subject=fact.id,
        source_message_id=new.source_message_id,
        before=None if latest is None else told(latest),
        after=told(fact),
    )
    return fact


async def replace(conn: Conn, before: Fact, new: NewFact, *, limit_tokens: int) -> Fact:
    """Store a new version of an open fact, whatever the old one says.

    It holds from when it was said, and not before the one that it replaces.
    """
    new = dataclasses.replace(new, said_at=max(new.said_at, before.valid_from))
    await make_room(conn, new, replaced=before, limit_tokens=limit_tokens)
    await facts.close(
        conn, user_id=new.user_id, fact_id=before.id, at=new.said_at, closed="replaced"
    )
    await jobs.request(conn, NewJob(task=EMBED, key=new.user_id, user_id=new.user_id))
    return await facts.insert(conn, new, fact_id=before.id, fingerprint=merge.gist(new.content))


async def make_room(
    conn: Conn, new: NewFact, *, replaced: Fact | None, limit_tokens: int
) -> list[str]:
    """Evict until a new fact fits: what is inactive first, then the oldest that is not pinned."""
    known = await facts.document(conn, new.user_id)
    shown = [fact for fact in known if replaced is None or fact.id != replaced.id]
    room = limit_tokens - new.tokens - await places.tokens(conn, new.user_id)
    total = sum(fact.tokens for fact in shown)
    evicted: list[str] = []
    for fact in sorted(shown, key=lambda fact: (fact.is_active, fact.said_at, fact.id)):
        if total <= room:
            break
        if not (fact.pinned and fact.is_active):
            evicted.append(fact.id)
            total -= fact.tokens
    if total > room:
        raise ConflictError(
            f"The memory of this user is full: pinned facts and places leave no room for "
            f"{new.tokens} more of {limit_tokens:,} tokens."
        )
    if evicted:
        await _evict(conn, new.user_id, evicted)
    return evicted


async def _evict(conn: Conn, user_id: str, evicted: list[str]) -> None:
    await facts.close_all(conn, user_id=user_id, fact_ids=evicted, closed="evicted")
    for fact_id in evicted:
        await audit.write(conn, user_id=user_id, actor="api", action="evict fact", subject=fact_id)
    _log.warning("facts evicted", count=len(evicted), fact_ids=evicted)


def told(fact: Fact) -> JsonObject:
    """What the audit trail keeps of a fact."""
    return {
        "content": fact.content,
        "type": fact.type,
        "category": fact.category,
        "key": fact.key,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "pinned": fact.pinned,
        "archived": fact.archived,
        "version": fact.version,
    }


def place_hash(user_id: str, category: str | None, key: str | None) -> str:
    """Names a category and key of a user without telling them."""
    return sha256(f"{user_id}\0{category}\0{key}".encode()).hexdigest()


async def size(words: str) -> int:
    """How many tokens a text takes; counted in a thread, because the first count reads a file."""
    return await asyncio.to_thread(tokens.count, words)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)
