"""Facts from the user's own words without a model: few rules, all of them anchored."""

import re
from collections.abc import Iterator

from longterm.learn.rules import (
    constraints,
    corrections,
    family,
    identity,
    instructions,
    languages,
    preferences,
    shapes,
    tools,
    work,
)
from longterm.learn.rules.clauses import Clause, Sentence, clauses, sentences
from longterm.learn.rules.masking import LOOKED_AT, own_words
from longterm.records.proposal import Proposal

_MOST_PROPOSALS = 40
_WORD = re.compile(r"\w+")


def extract(message: str) -> list[Proposal]:
    """Propose what the message states about its user, in the order in which it is said."""
    found: dict[tuple[str, str], Proposal] = {}
    said = set(_WORD.findall(message[:LOOKED_AT].casefold()))
    for sentence in sentences(own_words(message)):
        for proposal in _read(sentence):
            if said.issuperset(_WORD.findall(proposal.value.casefold())):
                _keep(found, proposal)
    return sorted(found.values(), key=lambda each: (each.start, each.key))[:_MOST_PROPOSALS]


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
    yield from shapes.apply(work.RULES, clause)
    yield from family.read(clause)
    yield from shapes.apply(constraints.RULES, clause)
    yield from preferences.read(clause)
    yield from tools.read(clause)
    yield from shapes.apply(languages.RULES, clause)
    yield from instructions.ended(clause)
