"""Both searches at once, and what they found, ready to be ranked."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.memory import indexing
from longterm.memory.operations import Operations
from longterm.recall.candidate import Candidate
from longterm.recall.fuse import Ranked
from longterm.recall.question import Question
from longterm.records.recall import RecallItem
from longterm.store import passages, search
from longterm.store.search import Filters, Found, Fresh, Hit, Lexicon
from longterm.text import words

# How many of each search are ranked. With 100 of each the benchmark loses .001 of its recall in a
# memory of 650 messages and .012 in one of 2,500; 300 take twice as long to rank.
_MOST = 160
_FRESH = 100

# Beyond every place of a conversation: what is not indexed yet comes after what is.
_AFTER_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    """What the search by meaning found, and what it looked for."""

    hits: Sequence[Hit] = ()
    vector: str | None = None
    generation: int = 0


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
    operations: Operations,
    where: Filters,
    question: Question,
    lexicon: Lexicon,
    *,
    clock: dict[str, float],
) -> Finding:
    """Search by meaning and by words, each on a connection of its own."""
    meaning, (by_words, fresh) = await asyncio.gather(
        _by_meaning(operations, where, question, clock),
        _by_words(operations, where, question, lexicon, clock),
    )
    similarity = _best(meaning.hits) if meaning else {}
    exact = {hit.passage_id: hit.score for hit in by_words}
    begun = time.perf_counter()
    async with operations.transaction() as conn:
        found = await search.found(
            conn,
            user_id=where.user_id,
            ids=sorted(similarity.keys() | exact.keys()),
            unmeasured=sorted(exact.keys() - similarity.keys()) if meaning else [],
            vector=meaning.vector if meaning else None,
            generation=meaning.generation if meaning else 0,
        )
    clock["read"] = _since(begun)
    candidates = [
        _candidate(each, similarity.get(each.id, each.similarity), exact.get(each.id, 0.0))
        for each in found
    ]
    top = max(exact.values(), default=1.0)
    candidates += [_fresh(each, question, top) for each in fresh]
    shown: dict[int, Found | Fresh] = {each.id: each for each in found}
    shown |= {-each.id: each for each in fresh}
    return Finding(candidates=candidates, shown=shown, degraded=meaning is None)


async def _by_meaning(
    operations: Operations, where: Filters, question: Question, clock: dict[str, float]
) -> _Meaning | None:
    """The nearest passages; None when the embedder does not answer."""
    begun = time.perf_counter()
    try:
        generation, embedder = await indexing.serving(operations)
        vectors = await embedder.embed(list(question.forms))
    except (ModelGoneError, ModelRefusedError):
        return None
    clock["embed"] = _since(begun)
    begun = time.perf_counter()
    hits: list[Hit] = []
    async with operations.transaction() as conn:
        for vector in vectors:
            hits += await search.by_meaning(
                conn,
                where,
                vector=passages.literal(vector),
                generation=generation.id,
                dimensions=generation.dimensions,
                # A passage has one vector or two, and long ones have more.
                limit=_MOST * 2,
            )
    clock["meaning"] = _since(begun)
    return _Meaning(hits=hits, vector=passages.literal(vectors[0]), generation=generation.id)


async def _by_words(
    operations: Operations,
    where: Filters,
    question: Question,
    lexicon: Lexicon,
    clock: dict[str, float],
) -> tuple[list[Hit], list[Fresh]]:
    begun = time.perf_counter()
    async with operations.transaction() as conn:
        fresh = await search.tail(conn, where, limit=_FRESH)
        hits = await search.by_words(
            conn, where, terms=list(question.terms), lexicon=lexicon, limit=_MOST
        )
    clock["words"] = _since(begun)
    return hits, fresh


def _best(hits: Iterable[Hit]) -> dict[int, float]:
    """The best score of each passage, of as many passages as are ranked."""
    best: dict[int, float] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        if hit.passage_id not in best and len(best) < _MOST:
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
    kind: search.Kind,
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
