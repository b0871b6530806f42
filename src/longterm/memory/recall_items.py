"""What was found, as items and as the text for a prompt."""

from collections.abc import Sequence
from dataclasses import replace

from longterm.memory import searching
from longterm.memory.understanding import Known, Wanted
from longterm.recall import context
from longterm.recall.context import Context, Material
from longterm.recall.fuse import Ranked
from longterm.recall.question import Question
from longterm.records.fact import Fact
from longterm.records.message import Message
from longterm.records.recall import Recall, RecallItem
from longterm.store.search import Filters
from longterm.text import words

# An episode is a wide thing: only those that are near, and few of them.
_MOST_EPISODES = 3
_EPISODE_DISTANCE = 0.4
_HITS_PER_LIMIT = 3


def best(ranked: Sequence[Ranked], found: searching.Finding, limit: int) -> list[RecallItem]:
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
    known: Known, where: Filters, hits: Sequence[RecallItem], question: Question
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
        message_ids=(
            () if fact.source_message_id is None or fact.source_gone else (fact.source_message_id,)
        ),
        turn_start=None,
        turn_end=None,
        said_at=fact.said_at,
        tokens=fact.tokens,
    )


def recalled(
    query: str,
    resolved: str,
    made: Context,
    timings_ms: dict[str, float],
    *,
    degraded: bool,
    stale: bool,
) -> Recall:
    """What was found, in all its forms."""
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


def nothing(query: str, *, stale: bool) -> Recall:
    """What is told of a stranger, or of one who is not active."""
    return Recall(
        query=query,
        resolved_query=query,
        items=(),
        facts=(),
        episodes=(),
        turns=(),
        stale=stale,
    )


def _held_then(
    known: Known, wanted: Wanted, question: Question, hits: Sequence[RecallItem]
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


def made(
    known: Known,
    where: Filters,
    wanted: Wanted,
    question: Question,
    hits: Sequence[RecallItem],
) -> Context:
    """Make the context of what was found."""
    hits = [*hits, *_held_then(known, wanted, question, hits)]
    material = replace(_material(known, where, hits, question), show_window=wanted.asked_in is None)
    return context.build(material, limit=wanted.limit, budget_tokens=wanted.budget_tokens)
