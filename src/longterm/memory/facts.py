"""Facts: added, corrected, pinned, deactivated, deleted, listed, also as of an earlier time."""

import asyncio
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from longterm.errors import ConflictError, MemoryNotFoundError, OutcomeUnknownError
from longterm.memory import inputs, remembering, writes
from longterm.memory.operations import Operations
from longterm.postgres.transaction import Conn
from longterm.records.audit import ACTORS, Actor
from longterm.records.fact import (
    FACT_TYPES,
    Fact,
    FactFilter,
    FactMarks,
    FactType,
    NewFact,
    Origin,
)
from longterm.records.job import EMBED, NewJob
from longterm.store import audit, facts, jobs, messages, users
from longterm.text.secrets import gate

_ORIGINS: dict[Actor, Origin] = {
    "user": "person",
    "agent": "agent",
    "extractor": "rules",
    "api": "api",
}
_NOT_THERE = "This user has no such fact."


class Facts(Operations):
    """What is known about a user."""

    async def add_fact(
        self,
        user_id: str,
        content: str,
        *,
        type: FactType = "fact",  # noqa: A002
        category: str | None = None,
        key: str | None = None,
        confidence: float = 1.0,
        importance: float = 0.8,
        source_conversation_id: str | UUID | None = None,
        source_message_id: int | None = None,
        actor: Actor = "api",
        write_id: str | UUID | None = None,
    ) -> Fact:
        """Remember a fact of 1 to 500 characters.

        With a category and a key it takes the place of what is known beneath them, unless that
        is known more surely. One that says the same as another is counted there. The source must be
        a conversation of this user, or a message in it. Repeated with the same `write_id`, a UUID
        of the caller, it is stored and counted once.
        """
        new = await _checked(
            user_id,
            content,
            type_=type,
            category=category,
            key=key,
            confidence=confidence,
            importance=importance,
            source_conversation_id=source_conversation_id,
            source_message_id=source_message_id,
            actor=actor,
        )
        await self._check_source(new.user_id, new.content, new.source_message_id)
        with self._operation("add_fact", user_id=new.user_id):
            said = (new.user_id, new.content, new.category, new.key)
            write, fact = writes.write_id(write_id, "fact", said), None
            try:
                async with self._transaction() as conn:
                    applied = await writes.begin(conn, write, new.user_id)
                    if applied is not None:
                        return await _latest(conn, new.user_id, applied)
                    source = await remembering.check_source(
                        conn, new.user_id, new.source_conversation_id, new.source_message_id
                    )
                    new = replace(new, source_conversation_id=source)
                    fact = await self._remember_fact(conn, new, actor)
                    await writes.finish(conn, write, fact.id)
            except OutcomeUnknownError as error:
                error.id = None if fact is None else fact.id
                raise
            return fact

    async def _remember_fact(self, conn: Conn, new: NewFact, actor: Actor) -> Fact:
        fact, _ = await remembering.remember(
            conn, new, actor=actor, limit_tokens=self._rules.memory_tokens
        )
        if fact is None:
            fact = await facts.latest_of_key(
                conn, user_id=new.user_id, category=str(new.category), key=str(new.key)
            )
        if fact is None:
            raise AssertionError("a fact is ignored only for another one")
        return fact

    async def update_fact(
        self,
        user_id: str,
        fact_id: str | UUID,
        *,
        content: str | None = None,
        pinned: bool | None = None,
        archived: bool | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        source_conversation_id: str | UUID | None = None,
        source_message_id: int | None = None,
        actor: Actor = "user",
    ) -> Fact:
        """Correct a fact: new words make a new version, and the old one stays in the history."""
        user_id, fact_id = inputs.user_id(user_id), inputs.uuid(fact_id, "fact_id")
        words = None if content is None else inputs.fact_content(content)
        inputs.choice(actor, "actor", ACTORS)
        source = (
            None
            if source_conversation_id is None
            else inputs.uuid(source_conversation_id, "source_conversation_id"),
            None
            if source_message_id is None
            else inputs.message_id(source_message_id, "source_message_id"),
        )
        marks = FactMarks(
            pinned=None if pinned is None else inputs.flag(pinned, "pinned"),
            archived=None if archived is None else inputs.flag(archived, "archived"),
            importance=None if importance is None else inputs.share(importance, "importance"),
            confidence=None if confidence is None else inputs.share(confidence, "confidence"),
        )
        if words is not None:
            gate.check_text(str(content), "content")
            await self._check_words(user_id, fact_id, words, source[1])
        with self._operation("update_fact", user_id=user_id):
            async with self._transaction() as conn:
                before = await self._open_fact(conn, user_id, fact_id)
                where = await remembering.check_source(conn, user_id, *source)
                # The same words, said by somebody who vouches for them, are a new version too.
                if words is not None and (words, _ORIGINS[actor]) != (
                    before.content,
                    before.origin,
                ):
                    await self._replace(conn, before, words, actor, (where, source[1]))
                after = await facts.mark(conn, user_id=user_id, fact_id=fact_id, marks=marks)
                if after is None:
                    raise AssertionError("the fact is locked and open")
                await _note(conn, "update fact", before, after, actor=actor)
                await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
                return after

    async def _check_words(
        self, user_id: str, fact_id: str, words: str, message_id: int | None
    ) -> None:
        """Read new words with the fact's own key; before the transaction, which stays short."""
        async with self._read_only() as conn:
            known = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
        gate.check_fact(
            words,
            category=None if known is None else known.category,
            key=None if known is None else known.key,
        )
        await self._check_source(user_id, words, message_id)

    async def _check_source(self, user_id: str, words: str, message_id: int | None) -> None:
        if message_id is None:
            return
        async with self._read_only() as conn:
            source = await messages.get(conn, message_id)
        if source is not None and source.user_id == user_id:
            # In a thread: a message may have a million characters.
            await asyncio.to_thread(gate.check_source, words, source.content)

    async def _open_fact(self, conn: Conn, user_id: str, fact_id: str) -> Fact:
        await users.lock(conn, user_id)
        fact = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
        if fact is None or not fact.is_active:
            raise MemoryNotFoundError(_NOT_THERE)
        return fact

    async def _replace(
        self,
        conn: Conn,
        before: Fact,
        words: str,
        actor: Actor,
        source: tuple[str | None, int | None],
    ) -> None:
        at = remembering.now()
        new = NewFact(
            user_id=before.user_id,
            type=before.type,
            category=before.category,
            key=before.key,
            content=words,
            confidence=1.0,
            importance=before.importance,
            origin=_ORIGINS[actor],
            said_at=at,
            tokens=await remembering.size(words),
            source_conversation_id=source[0],
            source_message_id=source[1],
            pinned=before.pinned,
        )
        await remembering.replace(conn, before, new, limit_tokens=self._rules.memory_tokens)

    async def pin_fact(
        self, user_id: str, fact_id: str | UUID, *, pinned: bool = True, actor: Actor = "user"
    ) -> Fact:
        """Keep a fact in every prompt, and out of the way of eviction."""
        return await self.update_fact(user_id, fact_id, pinned=pinned, actor=actor)

    async def deactivate_fact(
        self, user_id: str, fact_id: str | UUID, *, actor: Actor = "api"
    ) -> bool:
        """Say that a fact does not hold any more; tells whether it did."""
        user_id, fact_id = inputs.user_id(user_id), inputs.uuid(fact_id, "fact_id")
        inputs.choice(actor, "actor", ACTORS)
        with self._operation("deactivate_fact", user_id=user_id):
            async with self._transaction() as conn:
                await users.lock(conn, user_id)
                before = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
                if before is None or not before.is_active:
                    return False
                await facts.close(
                    conn,
                    user_id=user_id,
                    fact_id=fact_id,
                    at=remembering.now(),
                    closed="deactivated",
                )
                await _note(conn, "deactivate fact", before, None, actor=actor)
                return True

    async def delete_fact(self, user_id: str, fact_id: str | UUID) -> bool:
        """Delete a fact with its whole history; tells whether it was there."""
        user_id, fact_id = inputs.user_id(user_id), inputs.uuid(fact_id, "fact_id")
        with self._operation("delete_fact", user_id=user_id):
            async with self._transaction() as conn:
                known = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
                if known is None or not await facts.delete(conn, user_id=user_id, fact_id=fact_id):
                    return False
                # What the trail told about it goes too. That it was deleted stays, with a hash of
                # its key, so that a rebuild does not bring it back.
                await audit.forget_subject(conn, user_id=user_id, subject=fact_id)
                await audit.write(
                    conn,
                    user_id=user_id,
                    actor="user",
                    action=audit.DELETED,
                    subject=fact_id,
                    after=None
                    if known.key is None
                    else {"place": remembering.place_hash(user_id, known.category, known.key)},
                )
                return True

    async def get_active_facts(self, user_id: str) -> list[Fact]:
        """What holds now and is not archived, oldest first."""
        user_id = inputs.user_id(user_id)
        with self._operation("get_active_facts", user_id=user_id):
            async with self._read_only() as conn:
                return await facts.active(conn, user_id)

    async def list_facts(
        self,
        user_id: str,
        type: FactType | None = None,  # noqa: A002
        category: str | None = None,
        key: str | None = None,
        pinned: bool | None = None,
        archived: bool | None = False,
        text: str | None = None,
        as_of: datetime | None = None,
    ) -> list[Fact]:
        """The facts that hold now, or held `as_of` a time, oldest first."""
        user_id = inputs.user_id(user_id)
        wanted = FactFilter(
            type=None if type is None else inputs.choice(type, "type", FACT_TYPES),
            category=None if category is None else inputs.name(category, "category"),
            key=None if key is None else inputs.name(key, "key"),
            pinned=None if pinned is None else inputs.flag(pinned, "pinned"),
            archived=None if archived is None else inputs.flag(archived, "archived"),
            pattern=None if text is None else inputs.pattern(text, "text"),
            as_of=None if as_of is None else inputs.moment(as_of, "as_of"),
        )
        with self._operation("list_facts", user_id=user_id):
            async with self._read_only() as conn:
                return await facts.list_(conn, user_id=user_id, wanted=wanted)

    async def get_fact(self, user_id: str, fact_id: str | UUID) -> Fact:
        """The newest version of a fact, which may not hold any more."""
        return (await self.fact_history(user_id, fact_id))[-1]

    async def fact_history(self, user_id: str, fact_id: str | UUID) -> list[Fact]:
        """Every version of a fact, in the order in which they held."""
        user_id, fact_id = inputs.user_id(user_id), inputs.uuid(fact_id, "fact_id")
        with self._operation("fact_history", user_id=user_id):
            async with self._read_only() as conn:
                versions = await facts.history(conn, user_id=user_id, fact_id=fact_id)
            if not versions:
                raise MemoryNotFoundError(_NOT_THERE)
            return versions


async def _latest(conn: Conn, user_id: str, fact_id: str) -> Fact:
    fact = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
    if fact is None:
        raise ConflictError("This fact was stored before, and deleted since.")
    return fact


async def _checked(
    user_id: str,
    content: str,
    *,
    type_: FactType,
    category: str | None,
    key: str | None,
    confidence: float,
    importance: float,
    source_conversation_id: str | UUID | None,
    source_message_id: int | None,
    actor: Actor,
) -> NewFact:
    words = inputs.fact_content(content)
    if key is not None and category is None:
        category = type_
    category = None if category is None else inputs.open_name(category, "category")
    key = None if key is None else inputs.open_name(key, "key")
    # As it was given, too: on one line, a list of words may no longer look like one.
    for text in (content, words):
        gate.check_fact(text, category=category, key=key)
    return NewFact(
        user_id=inputs.user_id(user_id),
        type=inputs.choice(type_, "type", FACT_TYPES),
        category=category,
        key=key,
        content=words,
        confidence=inputs.share(confidence, "confidence"),
        importance=inputs.share(importance, "importance"),
        origin=_ORIGINS[inputs.choice(actor, "actor", ACTORS)],
        said_at=remembering.now(),
        tokens=await remembering.size(words),
        source_conversation_id=(
            None
            if source_conversation_id is None
            else inputs.uuid(source_conversation_id, "source_conversation_id")
        ),
        source_message_id=(
            None
            if source_message_id is None
            else inputs.message_id(source_message_id, "source_message_id")
        ),
    )


async def _note(conn: Conn, action: str, before: Fact, after: Fact | None, *, actor: Actor) -> None:
    await audit.write(
        conn,
        user_id=before.user_id,
        actor=actor,
        action=action,
        subject=before.id,
        before=remembering.told(before),
        after=None if after is None else remembering.told(after),
    )
