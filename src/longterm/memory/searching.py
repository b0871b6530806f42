"""Both searches at once, and what they found, ready to be ranked."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.memory import indexing
from longterm.memory.operations import Parts
from longterm.providers.embedder import Embedder
from longterm.recall.candidate import Candidate
from longterm.recall.fuse import Ranked
from longterm.recall.question import Question
from longterm.records.passage import Generation, Kind
from longterm.records.recall import RecallItem
from longterm.records.scope import Scope
from longterm.store import passages, search
from longterm.store.search import Filters, Found, Fresh, Hit, Lexicon
from longterm.text import words

# How many of each search are ranked. Of 100 each, the benchmark finds as much as of 300 in a memory
# of 650 messages, and .012 less in one of 2,500.
_MOST_OF_FEW = 100
_MOST_OF_MANY = 200
_MANY = 2000
_FRESH = 100

# Beyond every place of a conversation: what is not indexed yet comes after what is.
_AFTER_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What the search by words found, and what was said a moment ago."""

    scores: dict[int, float]
    found: Sequence[Found]
    fresh: Sequence[Fresh]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    """What the search by meaning found beside that, and how near everything is."""

    scores: dict[int, float]
    found: Sequence[Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Candidates with what is needed to show them; `degraded` when meaning was left out."""

    candidates: Sequence[Candidate]
    shown: dict[int, Found | Fresh]
    degraded: bool

    def item(self, ranked: Ranked) -> RecallItem:
        """A ranked candidate as it is given to the caller."""
        found = self.shown[ranked.candidate.passage_id]
        if isinstance(found, Fresh):
            return _item(ranked, found.turn, found.turn, (found.id,), str(found.id), "turn")
        message_ids = () if found.message_id is None else (found.message_id,)
        of = str(found.message_id) if found.of is None else found.of
        return _item(ranked, found.turn_start, found.turn_end, message_ids, of, found.kind)


async def search_all(
    parts: Parts,
    scope: Scope,
    where: Filters,
    question: Question,
    lexicon: Lexicon,
    generation: Generation | None,
    vectors: "asyncio.Task[Embedded | None]",
    *,
    clock: dict[str, float],
) -> Finding:
    """Search by words while the question is being embedded, then by meaning."""
    most = _MOST_OF_MANY if lexicon.passage_count > _MANY else _MOST_OF_FEW
    by_words = await _by_words(parts, scope, where, question, lexicon, most, clock)
    fitting = await _fitting(parts, scope, question, generation, await vectors, clock)
    by_meaning = None
    if fitting is not None:
        by_meaning = await _by_meaning(parts, scope, where, *fitting, by_words, most, clock)
    near = by_meaning.scores if by_meaning else {}
    found = [*by_words.found, *(by_meaning.found if by_meaning else ())]
    candidates = [
        _candidate(each, near.get(each.id), by_words.scores.get(each.id, 0.0)) for each in found
    ]
    top = max(by_words.scores.values(), default=1.0)
    candidates += [_fresh(each, question, top) for each in by_words.fresh]
    shown: dict[int, Found | Fresh] = {each.id: each for each in found}
    shown |= {-each.id: each for each in by_words.fresh}
    return Finding(candidates=candidates, shown=shown, degraded=by_meaning is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A question as a vector, and whose vector it is."""

    vector: str
    model: str


async def embed(embedder: Embedder, form: str, clock: dict[str, float]) -> Embedded | None:
    """The vector of a question; None when the embedder does not answer."""
    begun = time.perf_counter()
    try:
        vectors = await embedder.embed([form])
    except (ModelGoneError, ModelRefusedError):
        return None
    clock["embed"] = _since(begun)
    return Embedded(vector=passages.literal(vectors[0]), model=embedder.name)


async def _fitting(
    parts: Parts,
    scope: Scope,
    question: Question,
    generation: Generation | None,
    embedded: Embedded | None,
    clock: dict[str, float],
) -> tuple[Embedded, Generation] | None:
    """The question's vector with the generation that it can be compared with."""
    if generation is not None and embedded is not None and generation.model == embedded.model:
        return embedded, generation
    try:
        generation, embedder = await indexing.serving(parts, scope)
    except (ModelGoneError, ModelRefusedError):
        return None
    if embedded is None or embedded.model != generation.model:
        embedded = await embed(embedder, question.forms[0], clock)
    return None if embedded is None else (embedded, generation)


async def _by_words(
    parts: Parts,
    scope: Scope,
    where: Filters,
    question: Question,
    lexicon: Lexicon,
    most: int,
    clock: dict[str, float],
) -> _Words:
    begun = time.perf_counter()
    async with parts.database.tenant(scope) as conn:
        fresh = await search.tail(conn, where, limit=_FRESH)
        hits = await search.by_words(
            conn, where, terms=list(question.terms), lexicon=lexicon, limit=most
        )
        scores = {hit.passage_id: hit.score for hit in hits}
        found = await search.found(conn, user_id=where.user_id, ids=sorted(scores))
    clock["words"] = _since(begun)
    return _Words(scores=scores, found=found, fresh=fresh)


async def _by_meaning(
    parts: Parts,
    scope: Scope,
    where: Filters,
    embedded: Embedded,
    generation: Generation,
    by_words: _Words,
    most: int,
    clock: dict[str, float],
) -> _Meaning:
    begun = time.perf_counter()
    async with parts.database.tenant(scope) as conn:
        hits = await search.by_meaning(
            conn,
            where,
            vector=embedded.vector,
            generation=generation.id,
            dimensions=generation.dimensions,
            # A passage has one vector or two, and long ones have more.
            limit=most * 2,
        )
        scores = _best(hits, most)
        # What was found by words alone is told how near it is, too: the ranking compares them.
        unmeasured = [each.id for each in by_words.found if each.id not in scores]
        others = await search.similarities(
            conn,
            user_id=where.user_id,
            ids=unmeasured,
            vector=embedded.vector,
            generation=generation.id,
        )
        known = {each.id for each in by_words.found}
        found = await search.found(conn, user_id=where.user_id, ids=sorted(scores.keys() - known))
    scores |= {hit.passage_id: hit.score for hit in others}
    clock["meaning"] = _since(begun)
    return _Meaning(scores=scores, found=found)


def _best(hits: Iterable[Hit], most: int) -> dict[int, float]:
    """The best score of each passage, of as many passages as are ranked."""
    best: dict[int, float] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        if hit.passage_id not in best and len(best) < most:
            best[hit.passage_id] = hit.score
    return best


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


def _fresh(message: Fresh, question: Question, top: float) -> Candidate:
    """Counts by its words until it is indexed: the share of the question's words it has."""
    said = set(words.terms(message.text))
    share = sum(term in said for term in question.terms) / max(len(question.terms), 1)
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
