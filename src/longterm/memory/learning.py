"""Learning: facts from what the user said, by a model or by rules, each message once."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from longterm.errors import ConflictError, MemoryNotFoundError, ModelGoneError, UnavailableError
from longterm.learn import extract, gate, rules
from longterm.memory import asking, inputs, remembering, tenants
from longterm.memory.operations import Operations
from longterm.postgres.transaction import Conn
from longterm.providers.model import ChatModel
from longterm.providers.structured import NotJsonError
from longterm.records.fact import Fact, NewFact, Origin
from longterm.records.job import back_off_s
from longterm.records.proposal import Proposal
from longterm.records.reading import Heard, Reading
from longterm.records.state import ACTIVE
from longterm.store import audit, conversations, facts, ledger, messages, users
from longterm.store.ledger import Unread
from longterm.text.dates import known_zone

BY_RULES = "rules-2"

_BATCH = 50
# What one call to a model reads at most; a longer message goes alone.
_BATCH_CHARACTERS = 12_000

# An answer that can't be read is asked for again; from the third time on each message alone, so
# that one that confuses the model does not keep the others waiting. After the fifth it is left.
_ALONE_FROM = 3
_GIVE_UP_AT = 5


class Learning(Operations):
    """Learns from the messages of a conversation, in order; twice is as good as once."""

    async def extract_memories(self, conversation_id: str | UUID) -> list[Fact]:
        """Learn now what there is to learn from a conversation; returns what is known from it."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("extract_memories", conversation_id=conversation_id):
            async with self._read_only() as conn:
                found = await conversations.get(conn, conversation_id)
            if found is None:
                raise MemoryNotFoundError("There is no such conversation.")
            await self._learn_facts(conversation_id)
            async with self._read_only() as conn:
                return await facts.of_conversation(conn, conversation_id=conversation_id)

    async def _learn_facts(self, conversation_id: str) -> None:
        while await self._learn_batch(conversation_id):
            pass

    async def _learn_batch(self, conversation_id: str) -> bool:
        """Learn from the next messages; tells whether there may be more."""
        async with self._transaction() as conn:
            unread = await ledger.unread(conn, conversation_id=conversation_id, limit=_BATCH)
            if not unread:
                return False
            user_id = unread[0].user_id
            state = await users.get_state(conn, user_id)
            remembers = await tenants.remembers(conn)
            known = await facts.active(conn, user_id)
        batch = _portion(unread) if self._parts.model else unread
        outcome: ledger.Outcome | None = None
        reason = None
        readings: list[Reading] = []
        if not remembers or (state is not None and state.mode != ACTIVE):
            outcome = "skipped"
        else:
            try:
                readings = await self._read([_heard(message) for message in batch], known)
            except NotJsonError:
                if max(message.attempts for message in batch) + 1 < _GIVE_UP_AT:
                    raise await self._put_off(
                        batch, ModelGoneError("The model's answer could not be read."), attempts=1
                    ) from None
                outcome, reason = "failed", "The model's answers could not be read; given up."
            except UnavailableError as error:
                raise await self._put_off(batch, error, attempts=0) from error
        await self._keep_batch(conversation_id, batch, readings, outcome=outcome, reason=reason)
        return len(batch) < len(unread) or len(unread) == _BATCH

    async def _read(self, heard: Sequence[Heard], known: Sequence[Fact]) -> list[Reading]:
        """What the messages say, read outside of any transaction."""
        timezone = await asyncio.to_thread(_timezone, known)
        model = self._parts.model
        if model is None:
            # In a thread: rules are regular expressions over messages of any length.
            return await asyncio.to_thread(by_rules, heard, timezone)
        if not any(message.role == "user" for message in heard):
            return []
        return await self._ask(model, heard, known, timezone)

    async def _ask(
        self, model: ChatModel, heard: Sequence[Heard], known: Sequence[Fact], timezone: str
    ) -> list[Reading]:
        keys = [f"{fact.category}/{fact.key}" for fact in known if fact.key is not None]
        prompt = await asyncio.to_thread(extract.prompt, heard, keys)
        answer = await asking.ask(self._parts, self._scope, model, prompt)
        return await asyncio.to_thread(extract.read, answer.text, heard, timezone=timezone)

    def _extractor(self) -> str:
        model = self._parts.model
        return BY_RULES if model is None else extract.extractor(model.name)

    async def _put_off(
        self, batch: Sequence[Unread], error: UnavailableError, *, attempts: int
    ) -> UnavailableError:
        """Note the failure in the ledger; returns the error with the time of the next attempt."""
        tried = max(message.attempts for message in batch)
        wait_s = error.retry_after_s
        if wait_s is None:
            wait_s = back_off_s(tried + 1)
        said = [message for message in batch if message.role == "user"]
        if said:
            async with self._transaction() as conn:
                await ledger.fail(
                    conn,
                    said,
                    reason=str(error),
                    extractor=self._extractor(),
                    attempts=attempts,
                    retry_at=remembering.now() + timedelta(seconds=wait_s),
                )
        error.retry_after_s = wait_s
        return error

    async def _keep_batch(
        self,
        conversation_id: str,
        batch: Sequence[Unread],
        readings: Sequence[Reading],
        *,
        outcome: ledger.Outcome | None,
        reason: str | None,
    ) -> None:
        """Decide and store, in one transaction with the note of how far it was read."""
        by_message = {reading.message_id: reading for reading in readings}
        async with self._transaction() as conn:
            if not await ledger.advance(
                conn,
                conversation_id=conversation_id,
                was=batch[0].learned_through,
                through=batch[-1].id,
            ):
                # Another worker was faster; what it left is read again from where it is.
                return
            # The conversation is locked from here on: who forgets waits, or was before.
            there = await messages.there(conn, (message.id for message in batch))
            for message in batch:
                # The assistant's words are no facts about the user.
                if message.role == "user" and message.id in there:
                    reading = by_message.get(message.id) or Reading(
                        message_id=message.id, refused=reason
                    )
                    await self._keep(conn, conversation_id, message, reading, outcome)

    async def _keep(
        self,
        conn: Conn,
        conversation_id: str,
        message: Unread,
        reading: Reading,
        outcome: ledger.Outcome | None,
    ) -> None:
        kept, refused = 0, reading.refused
        for proposal in reading.proposals:
            try:
                kept += await self._keep_one(conn, conversation_id, message, proposal)
            except ConflictError as error:
                refused = str(error)
        came = "extracted" if kept else "refused" if refused else "nothing"
        await ledger.write(
            conn,
            message,
            outcome=outcome or came,
            facts=kept,
            reason=refused,
            extractor=self._extractor(),
        )

    async def _keep_one(
        self, conn: Conn, conversation_id: str, message: Unread, proposal: Proposal
    ) -> bool:
        if proposal.ended:
            return await _end(conn, message, proposal)
        new = proposed(
            proposal,
            user_id=message.user_id,
            heard=_heard(message),
            conversation_id=conversation_id,
            origin="rules" if self._parts.model is None else "model",
            extractor=self._extractor(),
            tokens=await remembering.size(proposal.value),
        )
        fact, _ = await remembering.remember(
            conn, new, actor="extractor", limit_tokens=self._rules.memory_tokens
        )
        return fact is not None


def by_rules(heard: Sequence[Heard], timezone: str) -> list[Reading]:
    """What the user's messages say, without a model."""
    return [
        gate.reading(message, rules.extract(message.content), timezone=timezone)
        for message in heard
        if message.role == "user"
    ]


def proposed(
    proposal: Proposal,
    *,
    user_id: str,
    heard: Heard,
    conversation_id: str,
    origin: Origin,
    extractor: str,
    tokens: int,
) -> NewFact:
    """Return the fact that a proposal would become."""
    return NewFact(
        user_id=user_id,
        type=proposal.category,
        category=proposal.category,
        key=proposal.key,
        content=proposal.value,
        confidence=proposal.confidence,
        importance=proposal.importance,
        origin=origin,
        # A clock that is ahead must not make a fact that does not hold yet.
        said_at=min(heard.said_at, remembering.now()),
        tokens=tokens,
        source_conversation_id=conversation_id,
        source_message_id=heard.id,
        span_start=proposal.start,
        span_end=proposal.end,
        extractor=extractor,
        correction=proposal.correction,
    )


def _heard(message: Unread) -> Heard:
    return Heard(id=message.id, role=message.role, content=message.content, said_at=message.said_at)


def _portion(unread: Sequence[Unread]) -> Sequence[Unread]:
    """The messages that one call to a model is to read."""
    size = 0
    for count, message in enumerate(unread):
        alone = message.role == "user" and message.attempts >= _ALONE_FROM
        size += len(message.content)
        if count and size > _BATCH_CHARACTERS:
            return unread[:count]
        if alone:
            return unread[: count + 1]
    return unread


def _timezone(known: Sequence[Fact]) -> str:
    """The user's own time zone where one is known; reads a file."""
    told = next((fact.content for fact in known if fact.key == "timezone"), "UTC")
    return known_zone(told)


async def _end(conn: Conn, message: Unread, proposal: Proposal) -> bool:
    await users.lock(conn, message.user_id)
    latest = await facts.latest_of_key(
        conn, user_id=message.user_id, category=proposal.category, key=proposal.key
    )
    if latest is None or not latest.is_active or message.said_at < latest.said_at:
        return False
    await facts.close(
        conn, user_id=message.user_id, fact_id=latest.id, at=message.said_at, closed="ended"
    )
    await audit.write(
        conn,
        user_id=message.user_id,
        actor="extractor",
        action="end fact",
        subject=latest.id,
        source_message_id=message.id,
        before=remembering.told(latest),
    )
    return True
