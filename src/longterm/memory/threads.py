"""Threads: of a history that a client sends again and again, what is new is stored, once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from longterm.errors import MemoryNotFoundError, UnavailableError
from longterm.memory import inputs, tenants
from longterm.postgres.transaction import Conn
from longterm.records.conversation import NewConversation
from longterm.records.ids import new_id
from longterm.records.json import Json, JsonObject
from longterm.records.message import NewMessage, Payloads, Role
from longterm.records.thread import (
    Entry,
    Followed,
    Knot,
    chains,
    link,
    own_hash,
    recents,
    with_recent,
)
from longterm.store import answers, conversations, messages, threads, users

_BRANCHED = "branched_from"
# A first question that is older than this is not waiting any more.
_PATIENCE_S = 600.0
# OpenAI's clients wait ten minutes for each of three tries, unless they are told otherwise.
_TRIES_S = 3600.0
# A history of a thousand messages costs no more than one of so many.
_NEAR_THE_END = 64
# Of a conversation that was begun elsewhere, so many of its last messages are known here.
_SEEDED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """Where something new goes: into which conversation, after what; `depth` entries are there."""

    conversation_id: str
    after: Knot | None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repeats:
    """What tells that a request repeats another: its client says so, or it came before the answer."""

    again: bool
    waited_s: float

    def covers(self, answer: Knot) -> bool:
        """Whether its client can't have known this answer."""
        return self.again or answer.partial or answer.age_s < self.waited_s


async def follow(
    conn: Conn,
    user_id: str,
    entries: Sequence[Entry],
    *,
    named: str | None = None,
    again: bool = False,
    waited_s: float = 0.0,
) -> Followed:
    """Store what is new of a history, in the conversation that it goes on with.

    That is the one that is named, else the one that has most of it. A single question is a
    new one, unless the same one is waiting for its answer: then it is a repetition. So it is when
    `again` says so, or when it was answered in the `waited_s` since this request came.
    """
    began = time.monotonic()
    await users.ensure(conn, user_id)
    await threads.lock(conn, user_id)
    # Who held the lock may have stored the answer to the same question.
    repeats = _Repeats(again=again, waited_s=waited_s + time.monotonic() - began)
    if named is not None:
        await _ensure(conn, user_id, named)
    match = await _match(conn, user_id, entries, within=named)
    if len(entries) == 1 and match is not None and not await _waits(conn, match, repeats):
        match = None
    start = await _start(conn, user_id, entries, match, named)
    if match is None and named is not None:
        start = await _answered_before(conn, entries, start, repeats)
    last, stored = start.after, 0
    asked = last.message_id if last is not None and last.role == "user" else None
    for entry in entries[start.depth :]:
        last = await _append(conn, user_id, start.conversation_id, last, entry)
        stored += last.message_id is not None and entry.role != "tool"
        asked = last.message_id if entry.role == "user" else asked
    return Followed(
        conversation_id=start.conversation_id,
        chain=b"" if last is None else last.chain,
        message_id=asked,
        stored=stored,
    )


async def answer(
    conn: Conn, user_id: str, to: Followed, entry: Entry, *, stay: bool = False
) -> int | None:
    """Store the answer to what was followed; None when it is there, or no longer has a place.

    An answer that nobody went on from gives way to the one that was made after it. Where others
    went on already, this one begins a conversation of its own, unless it has to `stay`.
    """
    await threads.lock(conn, user_id)
    question = await threads.get(conn, to.conversation_id, to.chain)
    if question is None or await conversations.get(conn, to.conversation_id) is None:
        return None
    same = await threads.get(conn, to.conversation_id, link(to.chain, entry.own))
    if same is not None:
        await _complete(conn, same, entry)
        return None
    last = await threads.last(conn, to.conversation_id)
    if entry.partial and not question.is_last and not (last and last.partial):
        return None
    place = await _place_after(conn, user_id, question, entry, stay=stay)
    return (await _append(conn, user_id, place, question, entry)).message_id


async def _start(
    conn: Conn,
    user_id: str,
    entries: Sequence[Entry],
    match: threads.Match | None,
    named: str | None,
) -> _Start:
    if match is None:
        return await _afresh(conn, user_id, entries, named)
    if match.depth == len(entries):
        return _Start(conversation_id=match.conversation_id, after=match, depth=match.depth)
    departs = entries[match.depth]
    place = await _place_after(conn, user_id, match, departs, stay=named is not None)
    return _Start(conversation_id=place, after=match, depth=match.depth)


async def _waits(conn: Conn, question: Knot, repeats: _Repeats) -> bool:
    """Whether a first question has no answer yet that its client could know of."""
    if question.age_s > (_TRIES_S if repeats.again else _PATIENCE_S):
        return False
    last = await threads.last(conn, question.conversation_id)
    if question.is_last or last is None:
        return True
    return last.parent == question.chain and repeats.covers(last)


async def _answered_before(
    conn: Conn, entries: Sequence[Entry], start: _Start, repeats: _Repeats
) -> _Start:
    """The question before the last answer, where a client that sends no more repeats just that."""
    last = start.after
    if last is None or last.role != "assistant" or last.parent is None:
        return start
    asked = await threads.get(conn, start.conversation_id, last.parent)
    if start.depth or asked is None or not _is(asked, entries[-1]) or not repeats.covers(last):
        return start
    return _Start(conversation_id=start.conversation_id, after=asked, depth=len(entries))


async def _match(
    conn: Conn, user_id: str, entries: Sequence[Entry], *, within: str | None
) -> threads.Match | None:
    """The longest part of a history that is there; its end is looked at first, for it is there."""
    whole = chains(entries)
    start = max(len(whole) - _NEAR_THE_END, 0)
    near = await threads.by_chain(conn, user_id=user_id, chains=whole[start:], within=within)
    if near is not None:
        return replace(near, depth=near.depth + start)
    far = None
    if start:
        far = await threads.by_chain(conn, user_id=user_id, chains=whole[:start], within=within)
    return far or await threads.by_recent(
        conn, user_id=user_id, recents=recents(entries), within=within
    )


async def _afresh(conn: Conn, user_id: str, entries: Sequence[Entry], named: str | None) -> _Start:
    """A new conversation, or the end of the one that is named."""
    if named is None:
        return _Start(conversation_id=await _create(conn, user_id), after=None, depth=0)
    last = await threads.last(conn, named)
    # A client that sends no more than the last few messages.
    known = [place for place, entry in enumerate(entries, 1) if last and _is(last, entry)]
    return _Start(conversation_id=named, after=last, depth=known[-1] if known else 0)


async def _place_after(conn: Conn, user_id: str, knot: Knot, entry: Entry, *, stay: bool) -> str:
    """The conversation for what comes after a message, where something else may stand already."""
    if knot.is_last:
        return knot.conversation_id
    last = await threads.last(conn, knot.conversation_id)
    if last is not None and last.parent == knot.chain and last.role == entry.role == "assistant":
        if last.message_id is not None:
            await messages.delete(conn, user_id=user_id, message_id=last.message_id)
        await threads.delete(conn, last)
        return knot.conversation_id
    if stay:
        return knot.conversation_id
    origin: JsonObject = {
        "conversation_id": knot.conversation_id,
        "message_id": knot.message_id,
    }
    return await _create(conn, user_id, {_BRANCHED: origin})


async def _append(
    conn: Conn, user_id: str, conversation_id: str, after: Knot | None, entry: Entry
) -> Knot:
    knot = Knot(
        conversation_id=conversation_id,
        chain=link(None if after is None else after.chain, entry.own),
        parent=None if after is None else after.chain,
        recent=with_recent(b"" if after is None else after.recent, entry.own),
        role=entry.role,
        message_id=await _store(conn, user_id, conversation_id, after, entry),
        partial=entry.partial,
        age_s=0.0,
        is_last=True,
    )
    await threads.insert(conn, knot, user_id=user_id)
    return knot


async def _store(
    conn: Conn, user_id: str, conversation_id: str, after: Knot | None, entry: Entry
) -> int | None:
    """Store what has words or calls tools; the result of a tool goes to the call."""
    if entry.role == "tool":
        # Results in a row belong to one message.
        caller = None if after is None else after.message_id
        if caller is not None:
            await _attach(conn, caller, entry)
        return caller
    if not entry.content.strip() and not entry.tool_calls:
        return None
    role: Role = entry.role
    new = NewMessage(
        user_id=user_id,
        role=role,
        content=entry.content if entry.content.strip() else "",
        conversation_id=conversation_id,
        name=entry.name,
        said_at=entry.said_at,
        payloads=Payloads(tool_calls=entry.tool_calls),
    )
    message_id = await _answer(conn, new, after) or await messages.append(conn, new)
    if message_id is None:
        raise UnavailableError("The conversation is gone.")
    if entry.partial or entry.model is not None:
        await _mark(conn, message_id, entry)
    return message_id


async def _answer(conn: Conn, new: NewMessage, after: Knot | None) -> int | None:
    """Store an answer in the turn of its question; None where it has none in this conversation."""
    if after is None or (new.role, after.role) != ("assistant", "user"):
        return None
    if after.message_id is None or after.conversation_id != new.conversation_id:
        return None
    await conversations.lock(conn, after.conversation_id)
    return await messages.answer(conn, new, question_id=after.message_id)


async def _mark(conn: Conn, message_id: int, entry: Entry) -> None:
    await answers.write(
        conn,
        message_id,
        content=entry.content if entry.content.strip() else "",
        status="partial" if entry.partial else "complete",
        metadata=None if entry.model is None else {"model": entry.model},
    )


async def _complete(conn: Conn, knot: Knot, entry: Entry) -> None:
    """What was kept as partial turned out to be all."""
    if knot.partial and not entry.partial and knot.message_id is not None:
        await _mark(conn, knot.message_id, entry)
        await threads.make_whole(conn, knot)


async def _attach(conn: Conn, message_id: int, result: Entry) -> None:
    calls = await threads.get_calls(conn, message_id)
    if not isinstance(calls, list):
        return
    told = [_with_result(call, result) for call in calls]
    await threads.set_calls(conn, message_id, told)


def _with_result(call: Json, result: Entry) -> Json:
    if not isinstance(call, dict) or call.get("id") != result.call_id:
        return call
    return {**cast("dict[str, Any]", call), "result": result.content}


def _is(knot: Knot, entry: Entry) -> bool:
    return knot.recent.endswith(entry.own)


async def _create(conn: Conn, user_id: str, metadata: JsonObject | None = None) -> str:
    new = NewConversation(
        id=new_id(),
        user_id=user_id,
        retention_hours=await tenants.conversation_hours(conn, None),
        metadata=metadata or {},
    )
    await conversations.insert(conn, new)
    return new.id


async def _ensure(conn: Conn, user_id: str, conversation_id: str) -> None:
    """Make the conversation that is named, or get to know it; another user's is not there."""
    found = await conversations.get(conn, conversation_id)
    if found is None:
        await conversations.delete_expired_one(
            conn, conversation_id=conversation_id, user_id=user_id
        )
        hours = await tenants.conversation_hours(conn, None)
        new = NewConversation(id=conversation_id, user_id=user_id, retention_hours=hours)
        found = await conversations.insert(conn, new)
    if found is None or found.user_id != user_id:
        raise MemoryNotFoundError("This user has no such conversation.")
    if found.turn_count and await threads.last(conn, conversation_id) is None:
        await _seed(conn, user_id, conversation_id)


async def _seed(conn: Conn, user_id: str, conversation_id: str) -> None:
    """Note the messages of a conversation that was begun elsewhere."""
    said = await messages.before(
        conn, conversation_id=conversation_id, limit=_SEEDED, id_=inputs.MAX_INTEGER
    )
    last: Knot | None = None
    for message in reversed(said):
        own = own_hash(message.role, message.content)
        last = Knot(
            conversation_id=conversation_id,
            chain=link(None if last is None else last.chain, own),
            parent=None if last is None else last.chain,
            recent=with_recent(b"" if last is None else last.recent, own),
            role=message.role,
            message_id=message.id,
            partial=message.status != "complete",
            age_s=0.0,
            is_last=True,
        )
        await threads.insert(conn, last, user_id=user_id)
