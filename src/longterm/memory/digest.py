"""Digest: what follows from the new messages of a conversation: its title, and what to learn."""

import asyncio
from dataclasses import dataclass

from longterm.errors import ConflictError
from longterm.learn import rules
from longterm.memory import inputs, remembering
from longterm.memory.operations import Operations
from longterm.records.fact import NewFact
from longterm.records.proposal import Proposal
from longterm.records.state import ACTIVE
from longterm.store import audit, conversations, facts, ledger, messages, users
from longterm.store.database import Conn
from longterm.store.ledger import Unread
from longterm.text import secrets, titles

EXTRACTOR = "rules-1"
_BATCH = 50

# Below these a proposal is noise.
_LEAST_CONFIDENCE = 0.4
_LEAST_IMPORTANCE = 0.2


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a message says, read outside of any transaction."""

    message: Unread
    proposals: tuple[Proposal, ...] = ()
    refused: str | None = None
    skipped: bool = False


class Digest(Operations):
    """The background work of a conversation; it can be done twice with the result of once."""

    async def digest(self, conversation_id: str) -> None:
        """Derive what follows from the new messages of a conversation."""
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("digest", conversation_id=conversation_id):
            await self._make_title(conversation_id)
            while await self._learn_batch(conversation_id):
                pass

    async def _make_title(self, conversation_id: str) -> None:
        async with self._transaction() as conn:
            conversation = await conversations.get(conn, conversation_id)
            if conversation is None or conversation.title_by is not None:
                return
            said = await messages.after(conn, conversation_id=conversation_id, limit=10, id_=0)
            # An answer that only calls tools has no words.
            first = next((message.content for message in said if message.content), None)
            if first is not None:
                await conversations.set_made_title(
                    conn,
                    conversation_id=conversation_id,
                    title=titles.from_message(first),
                    title_by="rule",
                )

    async def _learn_batch(self, conversation_id: str) -> bool:
        """Learn from the next messages; tells whether there may be more."""
        async with self._transaction() as conn:
            unread = await ledger.unread(conn, conversation_id=conversation_id, limit=_BATCH)
            if not unread:
                return False
            state = await users.get_state(conn, unread[0].user_id)
        # The assistant's words are no facts about the user.
        said = [message for message in unread if message.role == "user"]
        paused = state is not None and state.mode != ACTIVE
        # In a thread: rules are regular expressions over messages of any length.
        readings = await asyncio.to_thread(
            lambda: [_read(message, paused=paused) for message in said]
        )
        async with self._transaction() as conn:
            was, through = unread[0].learned_through, unread[-1].id
            if not await ledger.advance(
                conn, conversation_id=conversation_id, was=was, through=through
            ):
                return False
            for reading in readings:
                await self._keep(conn, conversation_id, reading)
        return len(unread) == _BATCH

    async def _keep(self, conn: Conn, conversation_id: str, reading: _Reading) -> None:
        kept, refused = 0, reading.refused
        for proposal in reading.proposals:
            try:
                kept += await self._keep_one(conn, conversation_id, reading.message, proposal)
            except ConflictError as error:
                refused = str(error)
        outcome = "extracted" if kept else "refused" if refused else "nothing"
        await ledger.write(
            conn,
            reading.message,
            outcome="skipped" if reading.skipped else outcome,
            facts=kept,
            reason=refused,
            extractor=EXTRACTOR,
        )

    async def _keep_one(
        self, conn: Conn, conversation_id: str, message: Unread, proposal: Proposal
    ) -> bool:
        if proposal.ended:
            return await _end(conn, message, proposal)
        new = NewFact(
            user_id=message.user_id,
            type=proposal.category,
            category=proposal.category,
            key=proposal.key,
            content=proposal.value,
            confidence=proposal.confidence,
            importance=proposal.importance,
            origin="rules",
            said_at=message.said_at,
            tokens=await remembering.size(proposal.value),
            source_conversation_id=conversation_id,
            source_message_id=message.id,
            span_start=proposal.start,
            span_end=proposal.end,
            extractor=EXTRACTOR,
            correction=proposal.correction,
        )
        fact, _ = await remembering.remember(
            conn, new, actor="extractor", limit_tokens=self._rules.memory_tokens
        )
        return fact is not None


def _read(message: Unread, *, paused: bool) -> _Reading:
    if paused:
        return _Reading(message, skipped=True)
    proposals: dict[tuple[str, str], Proposal] = {}
    refused = None
    for proposal in rules.extract(message.content):
        found = secrets.find(proposal.value)
        if found:
            refused = f"It holds a secret: {found[0].kind}."
        elif _is_worth_it(proposal):
            # Said twice in one message is said once; the later one counts.
            proposals[proposal.category, proposal.key] = proposal
    return _Reading(message, tuple(proposals.values()), refused)


def _is_worth_it(proposal: Proposal) -> bool:
    return proposal.confidence >= _LEAST_CONFIDENCE and proposal.importance >= _LEAST_IMPORTANCE


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
