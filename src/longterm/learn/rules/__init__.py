"""Facts from the user's own words without a model: few rules, all of them anchored."""

import re
from collections.abc import Iterator

from longterm.learn.rules import (
    constraints,
    corrections,
    family,
    homes,
    identity,
    instructions,
    languages,
    preferences,
    profile,
    shapes,
    tools,
    work,
)
from longterm.learn.rules.clauses import Clause, Sentence, clauses, sentences
from longterm.learn.rules.masking import own_words
from longterm.records.proposal import Proposal

# About 0.1 s for the worst page; a page of 20,000 characters took up to 0.5 s.
PAGE = 8_000
_MOST_PROPOSALS = 40
_WORD = re.compile(r"\w+")


def extract(message: str) -> list[Proposal]:
    """Propose what the message states about its user, in the order in which it is said."""
    found: dict[tuple[str, str], Proposal] = {}
    said = set(_WORD.findall(message[:PAGE].casefold()))
    for proposal in _proposals(own_words(message, PAGE)):
        if said.issuperset(_WORD.findall(proposal.value.casefold())):
            _keep(found, proposal)
    return sorted(found.values(), key=lambda each: (each.start, each.key))[:_MOST_PROPOSALS]


def _proposals(text: str) -> Iterator[Proposal]:
    for sentence in sentences(text):
        yield from _read(sentence)
    for clause in profile.entries(text):
        yield from _facts(clause)


def _keep(found: dict[tuple[str, str], Proposal], proposal: Proposal) -> None:
    """What is said last holds; an end gives way to what takes its place."""
    place = (proposal.category, proposal.key)
    before = found.get(place)
    if before is None or not proposal.ended or before.ended:
        found.pop(place, None)
        found[place] = proposal


def _read(sentence: Sentence) -> Iterator[Proposal]:
    commanded = list(instructions.read(sentence))
    yield from commanded
    contrasted = corrections.contrast(sentence)
    for clause in [contrasted] if contrasted else clauses(sentence):
        for meant in corrections.read(clause):
            stated = list(_facts(meant))
            yield from stated
            if not stated and not commanded:
                yield from instructions.told(meant)


def _facts(clause: Clause) -> Iterator[Proposal]:
    yield from identity.read(clause)
    yield from shapes.apply(homes.RULES, clause)
    yield from shapes.apply(work.RULES, clause)
    yield from family.read(clause)
    yield from shapes.apply(constraints.RULES, clause)
    yield from preferences.read(clause)
    yield from tools.read(clause)
    yield from shapes.apply(languages.RULES, clause)
    yield from instructions.ended(clause)
