"""When a question fits several things equally: which of them to offer."""

import re
from collections.abc import Sequence

from longterm.recall.context import told
from longterm.records.fact import Fact
from longterm.records.place import Place
from longterm.text import words
from longterm.text.choices import Choice

QUESTION = "Which one do you mean?"

_MOST = 9

# "My dog", "the café": one thing, that both sides are taken to know.
_DEFINITE = re.compile(r"\b(?:my|our|the|that)\s+([^\W\d_]{3,40})(?:['\u2019]s)?\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?i)^\W*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|"
    r"can|could|will|would|should|remind|tell)\b|\?\s*$"
)


def options(query: str, facts: Sequence[Fact], places: Sequence[Place]) -> list[Choice]:
    """The things that a question may mean; none when it means one, or nothing that is known."""
    if not _ASKS.search(query):
        return []
    asked = set(words.terms(query))
    for noun in _DEFINITE.findall(query):
        stem = words.stem(words.folded(noun))
        if words.folded(noun) == stem + "s":
            # Several are meant.
            continue
        known = _named(stem, facts, places)
        if 1 < len(known) <= _MOST and not _tells_apart(asked, known, stem):
            return [
                Choice(number=number, label=label, value=label)
                for number, label in enumerate(known, start=1)
            ]
    return []


def still_known(
    offered: Sequence[Choice], facts: Sequence[Fact], places: Sequence[Place]
) -> tuple[Choice, ...]:
    """The options that still name something known; a fact may have been deleted meanwhile."""
    known = {told(fact) for fact in facts} | {place.place_name for place in places}
    return tuple(option for option in offered if option.label in known)


def _named(stem: str, facts: Sequence[Fact], places: Sequence[Place]) -> list[str]:
    """What is known by this noun, each once."""
    labels = [
        told(fact)
        for fact in facts
        if stem in words.terms(f"{(fact.key or '').partition(':')[0]} {fact.content}")
    ]
    labels += [
        place.place_name
        for place in places
        if stem in words.terms(f"{place.place_name} {place.notes or ''}")
    ]
    return list(dict.fromkeys(labels))


def _tells_apart(asked: set[str], labels: Sequence[str], stem: str) -> bool:
    """Whether the question has a word that only some of the things have."""
    terms = [set(words.terms(label)) - {stem} for label in labels]
    shared = terms[0].intersection(*terms)
    return any(asked & (each - shared) for each in terms)
