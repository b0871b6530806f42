"""Rebuild: what today's extractor would make of the log, shown before it is applied."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from longterm.learn import merge
from longterm.memory import inputs, remembering
from longterm.memory.learning import Learning, proposed
from longterm.postgres.transaction import Conn
from longterm.providers.structured import NotJsonError
from longterm.records.fact import Fact, FactFilter, NewFact
from longterm.records.hygiene import Rebuild
from longterm.records.proposal import Proposal
from longterm.records.reading import Heard
from longterm.store import audit, facts, hygiene, users
from longterm.store.hygiene import Logged

_PAGE = 200
_BATCH = 20
_GUESSES = ("rules", "model")

_Place = tuple[str, str]


class Rebuilding(Learning):
    """Reads the log of a user again, with the extractor of today."""

    async def rebuild_memory(self, user_id: str, *, apply: bool = False) -> Rebuild:
        """Compare what the log gives today with what was learned; with `apply`, store it.

        What people, agents and applications set is left alone, and so is what was learned from
        messages that are gone.
        """
        user_id = inputs.user_id(user_id)
        inputs.flag(apply, "apply")
        with self._operation("rebuild_memory", user_id=user_id):
            made, read, failed = await self._read_again(user_id)
            async with self._transaction() as conn:
                await users.lock(conn, user_id)
                stored = await facts.list_(conn, user_id=user_id, wanted=FactFilter())
                await _leave_closed(conn, user_id, made)
                diff = _difference(user_id, stored, made, read, failed)
                if apply:
                    await self._apply(conn, diff)
            return diff

    async def _read_again(self, user_id: str) -> tuple[dict[_Place, NewFact], set[int], int]:
        made: dict[_Place, NewFact] = {}
        read: set[int] = set()
        failed = 0
        after: tuple[datetime | str, int] = ("-infinity", 0)
        while True:
            async with self._transaction() as conn:
                page = await hygiene.log_after(conn, user_id=user_id, after=after, limit=_PAGE)
            if not page:
                return made, read, failed
            after = (page[-1].said_at, page[-1].id)
            for conversation_id, messages in groupby(page, key=lambda each: each.conversation_id):
                said = list(messages)
                for start in range(0, len(said), _BATCH):
                    batch = said[start : start + _BATCH]
                    understood = await self._read_batch(user_id, conversation_id, batch, made)
                    own = {message.id for message in batch if message.role == "user"}
                    read |= own if understood else set()
                    failed += 0 if understood else len(own)

    async def _read_batch(
        self,
        user_id: str,
        conversation_id: str,
        batch: Sequence[Logged],
        made: dict[_Place, NewFact],
    ) -> bool:
        heard = [
            Heard(id=each.id, role=each.role, content=each.content, said_at=each.said_at)
            for each in batch
        ]
        try:
            readings = await self._read(heard, [])
        except NotJsonError:
            return False
        by_id = {message.id: message for message in heard}
        for reading in readings:
            for proposal in reading.proposals:
                new = proposed(
                    proposal,
                    user_id=user_id,
                    heard=by_id[reading.message_id],
                    conversation_id=conversation_id,
                    origin="rules" if self._parts.model is None else "model",
                    extractor=self._extractor(),
                    tokens=await remembering.size(proposal.value),
                )
                _decide(made, proposal, new)
        return True

    async def _apply(self, conn: Conn, diff: Rebuild) -> None:
        limit = self._rules.memory_tokens
        for new in diff.added:
            await remembering.remember(conn, new, actor="extractor", limit_tokens=limit)
        for before, new in diff.changed:
            after = await remembering.replace(conn, before, new, limit_tokens=limit)
            await _note(conn, "rebuild fact", before, after)
        for fact in diff.removed:
            await facts.close(
                conn,
                user_id=fact.user_id,
                fact_id=fact.id,
                at=remembering.now(),
                closed="rebuilt",
            )
            await _note(conn, "rebuild fact", fact, None)


async def _leave_closed(conn: Conn, user_id: str, made: dict[_Place, NewFact]) -> None:
    """Take out what was closed or deleted since it was said: forgotten stays forgotten."""
    deleted = await audit.deleted_places(conn, user_id)
    for place, new in list(made.items()):
        gone_at = deleted.get(remembering.place_hash(user_id, *place))
        if gone_at is not None and new.said_at <= gone_at:
            del made[place]
            continue
        latest = await facts.latest_of_key(
            conn, user_id=new.user_id, category=place[0], key=place[1]
        )
        if latest is not None and latest.valid_to is not None and new.said_at <= latest.valid_to:
            del made[place]


def _decide(made: dict[_Place, NewFact], proposal: Proposal, new: NewFact) -> None:
    """Keep what `merge` would keep, if all had been said to an empty memory."""
    place = (proposal.category, proposal.key)
    if proposal.ended:
        made.pop(place, None)
        return
    before = made.get(place)
    if before is None or merge.replaces(new, before):
        made[place] = new


def _difference(
    user_id: str,
    stored: Sequence[Fact],
    made: dict[_Place, NewFact],
    read: set[int],
    failed: int,
) -> Rebuild:
    known = {(fact.category, fact.key): fact for fact in stored if fact.key is not None}
    guessed = [fact for fact in known.values() if fact.origin in _GUESSES]
    changed = tuple(
        (fact, replace(new, pinned=fact.pinned))
        for fact in guessed
        if (new := made.get((str(fact.category), str(fact.key)))) is not None
        and not merge.same(new.content, fact.content)
    )
    removed = tuple(
        fact
        for fact in guessed
        if (str(fact.category), str(fact.key)) not in made and fact.source_message_id in read
    )
    return Rebuild(
        user_id=user_id,
        added=tuple(new for place, new in made.items() if place not in known),
        changed=changed,
        removed=removed,
        unchanged=len(stored) - len(changed) - len(removed),
        failed=failed,
    )


async def _note(conn: Conn, action: str, before: Fact, after: Fact | None) -> None:
    await audit.write(
        conn,
        user_id=before.user_id,
        actor="extractor",
        action=action,
        subject=before.id,
        source_message_id=None if after is None else after.source_message_id,
        before=remembering.told(before),
        after=None if after is None else remembering.told(after),
    )
