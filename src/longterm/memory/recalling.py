"""Recall: what memory has to say to a query, in milliseconds, within a budget, and why."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from longterm.errors import InvalidInputError, UnavailableError
from longterm.memory import inputs, off_loop, recall_items, remembering, searching
from longterm.memory.indexing import Indexing
from longterm.memory.understanding import LONGEST_QUERY, Known, Wanted, look_up, understood
from longterm.observe.tracing import Tracer
from longterm.recall.context import Context
from longterm.recall.fuse import fuse
from longterm.recall.question import Question, understand
from longterm.records.passage import KINDS, Kind
from longterm.records.recall import Recall, RecallItem
from longterm.store import lexicon, search
from longterm.store.search import Filters

# How long a turn that was just said is waited for.
_LONGEST_WAIT_S = 2.0
_MOST_TOKENS = 1_000_000


@dataclass(slots=True)
class _Clock:
    """How long each stage took; the stages are steps of the trace, too."""

    tracer: Tracer
    ms: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def stage(self, name: str) -> Any:
        begun = time.perf_counter()
        try:
            with self.tracer.step(f"recall {name}", {}):
                yield
        finally:
            self.ms[name] = round((time.perf_counter() - begun) * 1000, 3)


class Recalling(Indexing):
    """Finds what was said and what is known."""

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        conversation_id: str | UUID | None = None,
        limit: int = 10,
        budget_tokens: int = 2000,
        kinds: Sequence[Kind] = KINDS,
        as_of: datetime | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
        min_turn: int | None = None,
    ) -> Recall:
        """Find what bears on a query, and make a text for the prompt of it.

        Facts that are pinned or important are always there. With a conversation, references in
        the query are resolved against its last turns, these come with the text, and turns and
        episodes are those of this conversation. `as_of` is what was known then.
        """
        where = Filters(
            user_id=inputs.user_id(user_id),
            kinds=inputs.kinds(kinds),
            after=None if after is None else inputs.moment(after, "after"),
            before=_earlier(before, as_of),
            conversation_id=(
                None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
            ),
        )
        if min_turn is not None and where.conversation_id is None:
            raise InvalidInputError("min_turn needs a conversation_id.")
        turn = (
            None
            if min_turn is None
            else inputs.number(min_turn, "min_turn", least=1, most=inputs.MAX_OFFSET)
        )
        wanted = Wanted(
            query=inputs.content(query, "query", limits=self._rules.limits),
            limit=inputs.limit(limit),
            budget_tokens=inputs.number(budget_tokens, "budget_tokens", least=0, most=_MOST_TOKENS),
            as_of=None if as_of is None else inputs.moment(as_of, "as_of"),
            current=where.conversation_id,
        )
        with self._operation("recall", user_id=where.user_id, conversation_id=wanted.current):
            stale = turn is not None and not await self._wait_for(
                where.user_id, str(wanted.current), turn
            )
            return await self._recall(where, wanted, stale=stale)

    async def _recall(
        self, where: Filters, wanted: Wanted, *, known: Known | None = None, stale: bool = False
    ) -> Recall:
        clock = _Clock(self._parts.tracer)
        # Begun before anything is known: who speaks in this memory seldom changes.
        guess = await off_loop.call(len(wanted.query), self._guess, where.user_id, wanted)
        vector = self._embed(guess.forms[0], clock)
        try:
            with clock.stage("total"):
                async with self._read_only() as conn:
                    with clock.stage("lookup"):
                        known = known or await look_up(conn, where, wanted)
                    if known is None:
                        return recall_items.nothing(wanted.query, stale=stale)
                    with clock.stage("understand"):
                        question, resolved = await understood(wanted, known)
                    if question.forms != guess.forms:
                        vector.cancel()
                        vector = self._embed(question.forms[0], clock)
                    with clock.stage("words"):
                        by_words = await searching.by_words(conn, where, question, known.lexicon)
                self._parts.speakers.put(self._key(where.user_id), tuple(known.lexicon.speakers))
                found = await searching.by_meaning_too(
                    self._parts,
                    self._scope,
                    where,
                    question,
                    known.lexicon,
                    by_words,
                    vector,
                    clock=clock.ms,
                )
                with clock.stage("rank"):
                    hits = await asyncio.to_thread(self._ranked, wanted, question, found)
                    hits = await self._whole(where.user_id, hits)
                    made = await asyncio.to_thread(
                        recall_items.made, known, where, wanted, question, hits
                    )
        finally:
            vector.cancel()
        self._watch(clock.ms)
        if wanted.count_use:
            self._count_use(where.user_id, made)
        return recall_items.recalled(
            wanted.query, resolved, made, clock.ms, degraded=found.degraded, stale=stale
        )

    def _ranked(
        self, wanted: Wanted, question: Question, found: searching.Finding
    ) -> list[RecallItem]:
        candidates = [each for each in found.candidates if not found.is_of(each, wanted.asked_in)]
        return recall_items.best(
            fuse(question, candidates, self._rules.weights), found, wanted.limit
        )

    def _guess(self, user_id: str, wanted: Wanted) -> Question:
        """What the query will turn out to ask, if nothing changed since the last one."""
        speakers = self._parts.speakers.get(self._key(user_id))
        return understand(
            wanted.query[:LONGEST_QUERY], speakers=speakers, said_at=remembering.now()
        )

    def _embed(self, form: str, clock: _Clock) -> "asyncio.Task[searching.Embedded | None]":
        embedder = self._parts.embedders.current
        return asyncio.create_task(searching.embed(embedder, form, clock.ms, clock.tracer))

    def _key(self, user_id: str) -> tuple[int, str]:
        return self._scope.tenant_id, user_id

    async def _wait_for(self, user_id: str, conversation_id: str, turn: int) -> bool:
        """Make a turn of the user searchable now if it is not; tells whether it is."""
        found = await self._is_searchable(user_id, conversation_id, turn)
        if found is not False:
            return bool(found)
        try:
            async with asyncio.timeout(_LONGEST_WAIT_S):
                await self._index_words(conversation_id)
                await self.embed(user_id)
        except (TimeoutError, UnavailableError):
            return False
        return bool(await self._is_searchable(user_id, conversation_id, turn))

    async def _is_searchable(self, user_id: str, conversation_id: str, turn: int) -> bool | None:
        async with self._read_only() as conn:
            return await lexicon.is_searchable(
                conn, user_id=user_id, conversation_id=conversation_id, turn=turn
            )

    async def _whole(self, user_id: str, hits: list[RecallItem]) -> list[RecallItem]:
        """Hits of which only the beginning was read, with all that they say."""
        cut = [item.message_ids[0] for item in hits if len(item.text) >= search.SEEN]
        if not cut:
            return hits
        async with self._read_only() as conn:
            full = await lexicon.full_texts(conn, user_id=user_id, ids=cut)
        return [
            replace(item, text=full.get(item.message_ids[0], item.text))
            if item.message_ids
            else item
            for item in hits
        ]

    def _watch(self, timings_ms: dict[str, float]) -> None:
        for stage, spent in timings_ms.items():
            self._metrics.recall_seconds.labels(stage).observe(spent / 1000)

    def _count_use(self, user_id: str, made: Context) -> None:
        """Beside the answer: a read is not slowed by a write."""
        used = {fact.id for fact in made.facts}
        used |= {item.id for item in made.items if item.kind == "fact"}
        if used:
            self._parts.aside.run(self._counted(user_id, sorted(used)))

    async def _counted(self, user_id: str, fact_ids: list[str]) -> None:
        async with self._transaction() as conn:
            await lexicon.count_use(conn, user_id=user_id, fact_ids=fact_ids)


def _earlier(before: datetime | None, as_of: datetime | None) -> datetime | None:
    given = [
        inputs.moment(value, what)
        for value, what in ((before, "before"), (as_of, "as_of"))
        if value is not None
    ]
    return min(given, default=None)
