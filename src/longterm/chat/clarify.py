"""When a question fits several things equally: which of them to offer."""

import re
from collections.abc import Sequence

from longterm.recall.context import told
from longterm.records.fact import Fact
from longterm.records.place import Place
from longterm.text import prompt_data, words
from longterm.text.choices import Choice

QUESTION = "Which one do you mean?"

_MOST = 9
# Who writes more than this says which one is meant.
_LONGEST = 2000

# "My dog", "the café": one thing, that both sides are taken to know.
_DEFINITE = re.compile(r"\b(?:my|our|the|that)\s+([^\W\d_]{3,40})(?:['\u2019]s)?\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?i)^\W*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|"
    r"can|could|will|would|should|remind|tell)\b|\?\s*$"
)


def options(query: str, facts: Sequence[Fact], places: Sequence[Place]) -> list[Choice]:
    """The things that a question may mean; none when it means one, or nothing that is known."""
    if len(query) > _LONGEST or not _ASKS.search(query):
        return []
    nouns = list(dict.fromkeys(map(words.folded, _DEFINITE.findall(query))))
    asked = set(words.terms(query))
    things = _things(facts, places) if nouns else []
    for noun in nouns:
        stem = words.stem(noun)
        if noun == stem + "s":
            # Several are meant.
            continue
        known = list(dict.fromkeys(label for label, terms in things if stem in terms))
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
    known = {label for label, _ in _things(facts, places)}
    return tuple(option for option in offered if option.label in known)


def _things(facts: Sequence[Fact], places: Sequence[Place]) -> list[tuple[str, set[str]]]:
    """What is known, each with its label and the words by which it can be meant."""
    named = [(told(fact), f"{(fact.key or '').partition(':')[0]} {fact.content}") for fact in facts]
    named += [
        (prompt_data.item(place.place_name), f"{place.place_name} {place.notes or ''}")
        for place in places
    ]
    return [(label, set(words.terms(text))) for label, text in named]


def _tells_apart(asked: set[str], labels: Sequence[str], stem: str) -> bool:
    """Whether the question has a word that only some of the things have."""
    terms = [set(words.terms(label)) - {stem} for label in labels]
    shared = terms[0].intersection(*terms)
    return any(asked & (each - shared) for each in terms)
