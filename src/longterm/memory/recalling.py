"""Recall: what memory has to say to a query, in milliseconds, within a budget, and why."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from longterm.errors import InvalidInputError, UnavailableError
from longterm.memory import inputs, remembering, searching
from longterm.memory.indexing import Indexing
from longterm.observe.tracing import Tracer
from longterm.recall import context
from longterm.recall.context import Context, Material
from longterm.recall.fuse import Ranked, fuse
from longterm.recall.question import Question, understand
from longterm.records.fact import Fact, FactFilter
from longterm.records.message import Message
from longterm.records.passage import KINDS, Kind
from longterm.records.place import Place
from longterm.records.recall import Recall, RecallItem
from longterm.records.state import ACTIVE
from longterm.store import conversations, facts, messages, places, search
from longterm.store.database import Conn
from longterm.store.search import Filters, Lexicon
from longterm.text import references, words
from longterm.text.dates import known_zone
from longterm.text.references import Exchange

# How long a turn that was just said is waited for.
_LONGEST_WAIT_S = 2.0
_WINDOW_MESSAGES = 40
_MOST_TOKENS = 1_000_000
_LONGEST_QUERY = 2000

# An episode is a wide thing: only those that are near, and few of them.
_MOST_EPISODES = 3
_EPISODE_DISTANCE = 0.4
_HITS_PER_LIMIT = 3
_LONG_AGO = timedelta(days=60)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is looked up before anything is searched."""

    lexicon: Lexicon
    facts: Sequence[Fact]
    places: Sequence[Place]
    window: Sequence[Message]
    timezone: str


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

    async def _recall(self, where: Filters, wanted: "Wanted", *, stale: bool = False) -> Recall:
        clock = _Clock(self._parts.tracer)
        # Begun before anything is known: who speaks in this memory seldom changes.
        guess = self._guess(where.user_id, wanted)
        vector = self._embed(guess.forms[0], clock)
        try:
            with clock.stage("total"):
                async with self._transaction() as conn:
                    with clock.stage("lookup"):
                        known = await _look_up(conn, where, wanted)
                    if known is None:
                        return _nothing(wanted.query, stale=stale)
                    with clock.stage("understand"):
                        question, resolved = await _understood(wanted, known)
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
                    hits = await asyncio.to_thread(_ranked, wanted, question, found)
                    hits = await self._whole(where.user_id, hits)
                    hits += _held_then(known, wanted, question, hits)
                    made = await asyncio.to_thread(_made, known, where, wanted, question, hits)
        finally:
            vector.cancel()
        self._watch(clock.ms)
        if wanted.count_use:
            self._count_use(where.user_id, made)
        return _recall(wanted.query, resolved, made, clock.ms, degraded=found.degraded, stale=stale)

    def _guess(self, user_id: str, wanted: "Wanted") -> Question:
        """What the query will turn out to ask, if nothing changed since the last one."""
        speakers = self._parts.speakers.get(self._key(user_id))
        return understand(
            wanted.query[:_LONGEST_QUERY], speakers=speakers, said_at=remembering.now()
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
        async with self._transaction() as conn:
            return await search.is_searchable(
                conn, user_id=user_id, conversation_id=conversation_id, turn=turn
            )

    async def _whole(self, user_id: str, hits: list[RecallItem]) -> list[RecallItem]:
        """Hits of which only the beginning was read, with all that they say."""
        cut = [item.message_ids[0] for item in hits if len(item.text) >= search.SEEN]
        if not cut:
            return hits
        async with self._transaction() as conn:
            full = await search.full_texts(conn, user_id=user_id, ids=cut)
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
            await search.count_use(conn, user_id=user_id, fact_ids=fact_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for; `current` is the conversation in which it is asked.

    In a chat the question itself is a message (`asked_in`) that must not find itself, and the
    window goes into the prompt as messages and not as text.
    """

    query: str
    limit: int
    budget_tokens: int
    as_of: datetime | None = None
    current: str | None = None
    asked_in: int | None = None
    count_use: bool = True


async def _look_up(conn: Conn, where: Filters, wanted: Wanted) -> _Known | None:
    """What is there without a search; None for a stranger, or one who is not active."""
    lexicon = await search.lexicon(conn, where.user_id)
    if lexicon is None or lexicon.mode not in (None, ACTIVE):
        return None
    held = await facts.list_(
        conn, user_id=where.user_id, wanted=FactFilter(archived=False, as_of=wanted.as_of)
    )
    mentioned: Sequence[Place] = ()
    if lexicon.has_places and "fact" in where.kinds:
        mentioned = await places.list_(conn, where.user_id)
    window: Sequence[Message] = ()
    if wanted.current is not None:
        conversation = await conversations.get(conn, wanted.current)
        # A chat goes on in an archived conversation; nobody else is shown what was put away.
        if conversation is not None and (wanted.asked_in or not conversation.archived):
            window = await messages.before(
                conn, conversation_id=wanted.current, limit=_WINDOW_MESSAGES, id_=2**62
            )
    return _Known(
        lexicon=lexicon,
        facts=held if "fact" in where.kinds else (),
        places=[
            place for place in mentioned if wanted.as_of is None or place.added_at <= wanted.as_of
        ],
        window=[
            message
            for message in reversed(window)
            if message.user_id == where.user_id
            and message.id != wanted.asked_in
            and (where.after is None or message.created_at >= where.after)
            and (where.before is None or message.created_at <= where.before)
        ],
        timezone=next((fact.content for fact in held if fact.key == "timezone"), "UTC"),
    )


async def _understood(wanted: Wanted, known: _Known) -> tuple[Question, str]:
    if known.window or known.timezone != "UTC":
        # References take some milliseconds, and a time zone reads a file.
        return await asyncio.to_thread(_understand, wanted, known)
    return _understand(wanted, known)


def _understand(wanted: Wanted, known: _Known) -> tuple[Question, str]:
    """What the query asks, and how it reads without references."""
    resolved = references.resolve(wanted.query[:_LONGEST_QUERY], _exchanges(known.window))
    question = understand(
        resolved.query,
        speakers=known.lexicon.speakers,
        said_at=_today(known.lexicon, wanted.as_of),
        timezone="UTC" if known.timezone == "UTC" else known_zone(known.timezone),
    )
    return question, resolved.query if resolved.changed else wanted.query


def _today(lexicon: Lexicon, as_of: datetime | None) -> datetime:
    """From when "in March" and "last week" count.

    A memory that ended long ago is asked about in its own time. Dates only raise what was said
    then, they leave nothing out.
    """
    now = as_of or remembering.now()
    last = lexicon.last_said_at
    return last if last is not None and last < now - _LONG_AGO else now


def _ranked(wanted: Wanted, question: Question, found: searching.Finding) -> list[RecallItem]:
    candidates = [each for each in found.candidates if not found.is_of(each, wanted.asked_in)]
    return _hits(fuse(question, candidates), found, wanted.limit)


def _held_then(
    known: _Known, wanted: Wanted, question: Question, hits: Sequence[RecallItem]
) -> list[RecallItem]:
    """Facts that held at an earlier time and share a word with the question.

    Only what holds now has passages to search.
    """
    if wanted.as_of is None:
        return []
    found = {item.id for item in hits}
    return [
        replace(_fact_item(fact), score=0.5, why=("held then",))
        for fact in known.facts
        if fact.id not in found
        and not context.is_always(fact)
        and set(words.terms(context.told(fact))) & question.terms.keys()
    ]


def _made(
    known: _Known,
    where: Filters,
    wanted: Wanted,
    question: Question,
    hits: Sequence[RecallItem],
) -> Context:
    """Make the context of what was found."""
    material = replace(_material(known, where, hits, question), show_window=wanted.asked_in is None)
    return context.build(material, limit=wanted.limit, budget_tokens=wanted.budget_tokens)


def _exchanges(window: Sequence[Message]) -> list[Exchange]:
    exchanges: list[Exchange] = []
    question = ""
    for message in window:
        if message.role == "user":
            question = message.content
        else:
            exchanges.append(Exchange(question=question, answer=message.content))
            question = ""
    if question:
        exchanges.append(Exchange(question=question, answer=""))
    return exchanges


def _hits(ranked: Sequence[Ranked], found: searching.Finding, limit: int) -> list[RecallItem]:
    """The best, and some more to tell what was close."""
    hits: list[RecallItem] = []
    episodes = 0
    for each in ranked:
        item = found.item(each)
        if item.kind == "episode":
            distance = 1 - (each.candidate.similarity or 0.0)
            if distance >= _EPISODE_DISTANCE or episodes == _MOST_EPISODES:
                continue
            episodes += 1
        hits.append(item)
        if len(hits) == limit * _HITS_PER_LIMIT:
            break
    return hits


def _material(
    known: _Known, where: Filters, hits: Sequence[RecallItem], question: Question
) -> Material:
    return Material(
        facts=known.facts,
        places=known.places,
        hits=hits,
        window=[_window_item(message) for message in known.window] if "turn" in where.kinds else (),
        terms=frozenset(question.terms),
    )


def _window_item(message: Message) -> RecallItem:
    return RecallItem(
        kind="turn",
        id=str(message.id),
        text=message.content,
        score=0.0,
        why=("one of the last turns",),
        conversation_id=message.conversation_id,
        message_ids=(message.id,),
        turn_start=message.turn,
        turn_end=message.turn,
        said_at=message.created_at,
        tokens=0,
        speaker=message.name or message.role,
    )


def _fact_item(fact: Fact) -> RecallItem:
    return RecallItem(
        kind="fact",
        id=fact.id,
        text=context.told(fact),
        score=1.0 if fact.pinned else fact.importance,
        why=("pinned" if fact.pinned else f"importance {fact.importance:.2f}",),
        conversation_id=fact.source_conversation_id,
        message_ids=() if fact.source_message_id is None else (fact.source_message_id,),
        turn_start=None,
        turn_end=None,
        said_at=fact.said_at,
        tokens=fact.tokens,
    )


def _recall(
    query: str,
    resolved: str,
    made: Context,
    timings_ms: dict[str, float],
    *,
    degraded: bool,
    stale: bool,
) -> Recall:
    always = [_fact_item(fact) for fact in made.facts]
    told = {item.id for item in always}
    hit_facts = [item for item in made.items if item.kind == "fact" and item.id not in told]
    return Recall(
        query=query,
        resolved_query=resolved,
        items=made.items,
        facts=(*always, *hit_facts),
        episodes=tuple(item for item in made.items if item.kind == "episode"),
        turns=tuple(item for item in made.items if item.kind == "turn"),
        window=made.window,
        stable_prefix=made.prefix,
        turn_tail=made.tail,
        tokens=made.tokens,
        timings_ms=timings_ms,
        left_out=made.left_out,
        degraded=degraded,
        stale=stale,
    )


def _nothing(query: str, *, stale: bool) -> Recall:
    return Recall(
        query=query,
        resolved_query=query,
        items=(),
        facts=(),
        episodes=(),
        turns=(),
        stale=stale,
    )


def _earlier(before: datetime | None, as_of: datetime | None) -> datetime | None:
    given = [
        inputs.moment(value, what)
        for value, what in ((before, "before"), (as_of, "as_of"))
        if value is not None
    ]
    return min(given, default=None)
