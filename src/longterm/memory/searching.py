"""Both searches at once, and what they found, ready to be ranked."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.memory import indexing, off_loop
from longterm.memory.operations import Parts
from longterm.observe.tracing import Tracer
from longterm.postgres.transaction import Conn
from longterm.providers.embedder import Embedder
from longterm.recall.candidate import Candidate
from longterm.recall.fuse import Ranked
from longterm.recall.question import Question
from longterm.records.passage import Kind
from longterm.records.recall import RecallItem
from longterm.records.scope import Scope
from longterm.store import passages, search
from longterm.store.lexicon import Lexicon
from longterm.store.search import Filters, Found, Fresh
from longterm.text import words

# How many of each search are ranked. Of 100 each, the benchmark finds as much as of 300 in a memory
# of 650 messages, and .012 less in one of 2,500.
_MOST_OF_FEW = 100
_MOST_OF_MANY = 150
_MANY = 2000
_FRESH = 1000

# Whoever asks has an answer by words meanwhile.
_PATIENCE_S = 2.0

# Beyond every place of a conversation: what is not indexed yet comes after what is.
_AFTER_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ByWords:
    """What the search by words found, and what was said a moment ago."""

    found: Sequence[Found]
    fresh: Sequence[Fresh]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ByMeaning:
    """What the search by meaning found beside that, and how near everything is."""

    scores: dict[int, float]
    found: Sequence[Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Candidates with what is needed to show them; `degraded` when meaning was left out."""

    candidates: Sequence[Candidate]
    shown: dict[int, Found | Fresh]
    degraded: bool

    def is_of(self, candidate: Candidate, message_id: int | None) -> bool:
        """Whether a candidate is this message."""
        found = self.shown[candidate.passage_id]
        own = found.id if isinstance(found, Fresh) else found.message_id
        return message_id is not None and own == message_id

    def item(self, ranked: Ranked) -> RecallItem:
        """A ranked candidate as it is given to the caller."""
        found = self.shown[ranked.candidate.passage_id]
        if isinstance(found, Fresh):
            return _item(ranked, found.turn, found.turn, (found.id,), str(found.id), "turn")
        message_ids = () if found.message_id is None else (found.message_id,)
        of = str(found.message_id) if found.of is None else found.of
        return _item(ranked, found.turn_start, found.turn_end, message_ids, of, found.kind)


async def by_words(reads: Conn, where: Filters, question: Question, lexicon: Lexicon) -> ByWords:
    """Search by words, also in what was said a moment ago."""
    found, fresh = await asyncio.gather(
        search.by_words(
            reads, where, terms=list(question.terms), lexicon=lexicon, limit=_most(lexicon)
        ),
        search.tail(reads, where, limit=_FRESH),
    )
    return ByWords(found=found, fresh=fresh)


async def by_meaning_too(
    parts: Parts,
    scope: Scope,
    where: Filters,
    question: Question,
    lexicon: Lexicon,
    words_found: ByWords,
    vector: "asyncio.Task[Embedded | None]",
    *,
    clock: dict[str, float],
) -> Finding:
    """Search by meaning as soon as the question is embedded, and put both together."""
    fitting = await _fitting(parts, scope, question, lexicon, await vector, clock)
    near: _ByMeaning | None = None
    if fitting is not None:
        begun = time.perf_counter()
        with parts.tracer.step("recall meaning", {}):
            async with parts.database.tenant(scope, read_only=True) as conn:
                near = await _by_meaning(conn, where, *fitting, words_found, _most(lexicon))
        clock["meaning"] = _since(begun)
    scores = near.scores if near else {}
    by_meaning = near.found if near else ()
    candidates = [
        *(_candidate(each, scores.get(each.id), each.score) for each in words_found.found),
        *(_candidate(each, each.score, 0.0) for each in by_meaning),
    ]
    top = max((each.score for each in words_found.found), default=1.0)
    length = sum(len(each.text) for each in words_found.fresh)
    candidates += await off_loop.call(length, _all_fresh, words_found.fresh, question, top)
    shown: dict[int, Found | Fresh] = {each.id: each for each in words_found.found}
    shown |= {each.id: each for each in by_meaning}
    shown |= {-each.id: each for each in words_found.fresh}
    return Finding(candidates=candidates, shown=shown, degraded=near is None)


def _most(lexicon: Lexicon) -> int:
    return _MOST_OF_MANY if lexicon.passage_count > _MANY else _MOST_OF_FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A question as a vector, and whose vector it is."""

    vector: str
    model: str
    dimensions: int


async def embed(
    embedder: Embedder, form: str, clock: dict[str, float], tracer: Tracer
) -> Embedded | None:
    """The vector of a question; None when the embedder does not answer."""
    begun = time.perf_counter()
    try:
        with tracer.step("recall embed", {}):
            async with asyncio.timeout(_PATIENCE_S):
                vectors = await embedder.embed([form])
    except (ModelGoneError, ModelRefusedError, TimeoutError):
        return None
    clock["embed"] = _since(begun)
    return Embedded(
        vector=passages.literal(vectors[0]), model=embedder.name, dimensions=vectors.shape[1]
    )


async def _fitting(
    parts: Parts,
    scope: Scope,
    question: Question,
    lexicon: Lexicon,
    embedded: Embedded | None,
    clock: dict[str, float],
) -> tuple[Embedded, int, int] | None:
    """The question's vector, with the generation and dimensions that it can be compared with."""
    if embedded is None:
        return None
    if (lexicon.model, lexicon.dimensions) == (embedded.model, embedded.dimensions):
        return embedded, lexicon.generation or 0, embedded.dimensions
    try:
        generation, embedder = await indexing.serving(parts, scope, dimensions=embedded.dimensions)
    except (ModelGoneError, ModelRefusedError):
        return None
    if embedded.model != generation.model:
        embedded = await embed(embedder, question.forms[0], clock, parts.tracer)
    if embedded is None or embedded.dimensions != generation.dimensions:
        return None
    return embedded, generation.id, generation.dimensions


async def _by_meaning(
    reads: Conn,
    where: Filters,
    embedded: Embedded,
    generation: int,
    dimensions: int,
    words_found: ByWords,
    most: int,
) -> _ByMeaning:
    known = [each.id for each in words_found.found]
    found, others = await asyncio.gather(
        search.by_meaning(
            reads,
            where,
            vector=embedded.vector,
            generation=generation,
            dimensions=dimensions,
            limit=most,
            known=known,
        ),
        # What was found by words is told how near it is, too: the ranking compares them.
        search.similarities(
            reads,
            user_id=where.user_id,
            ids=known,
            vector=embedded.vector,
            generation=generation,
        ),
    )
    return _ByMeaning(scores={hit.passage_id: hit.score for hit in others}, found=found)


def _candidate(found: Found, similarity: float | None, exact: float) -> Candidate:
    return Candidate(
        passage_id=found.id,
        conversation_id=found.conversation_id,
        place=found.place,
        speaker=found.name or found.role,
        role=found.role,
        said_at=found.said_at,
        text=found.text,
        similarity=similarity,
        words=exact,
    )


def _all_fresh(messages: Sequence[Fresh], question: Question, top: float) -> list[Candidate]:
    return [_fresh(message, question, top) for message in messages]


def _fresh(message: Fresh, question: Question, top: float) -> Candidate:
    """Counts by its words until it is indexed: the share of the question's words it has."""
    text = words.folded(message.text)
    # Reading every word of many messages takes long: only where one may match.
    near = [term for term in question.terms if term[:4] in text]
    said = set(words.terms(message.text)) if near else set[str]()
    share = sum(term in said for term in near) / max(len(question.terms), 1)
    return Candidate(
        passage_id=-message.id,
        conversation_id=message.conversation_id,
        place=_AFTER_ALL + 2 * message.turn + (message.role == "assistant"),
        speaker=message.name or message.role,
        role=message.role,
        said_at=message.said_at,
        text=message.text,
        similarity=None,
        words=top * share,
    )


def _item(
    ranked: Ranked,
    turn_start: int | None,
    turn_end: int | None,
    message_ids: tuple[int, ...],
    of: str,
    kind: Kind,
) -> RecallItem:
    candidate = ranked.candidate
    return RecallItem(
        kind=kind,
        id=of,
        text=candidate.text,
        score=round(ranked.score, 4),
        why=ranked.why,
        conversation_id=candidate.conversation_id,
        message_ids=message_ids,
        turn_start=turn_start,
        turn_end=turn_end,
        said_at=candidate.said_at,
        tokens=0,
        speaker=candidate.speaker,
    )


def _since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 3)
