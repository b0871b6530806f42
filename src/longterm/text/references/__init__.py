"""References to what was said lately, made explicit before a query is searched for.

Without a model, by rules, precision before recall: what is not sure stays as it is. Positions
("the second option") are looked up in the newest list, pronouns among the names and noun phrases
of the last question and then of its answer, follow-ups ("and in Porto?") take the last question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from longterm.text.references import followups, positions, pronouns, said, times
from longterm.text.references.edits import Edit, applied, reason
from longterm.text.references.exchange import Exchange

__all__ = ["Exchange", "Resolved", "resolve"]

_EXCHANGES = 10
# Who writes more than this says what it is about.
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Resolved:
    """What to search for, whether it differs from what was asked, and why."""

    query: str
    changed: bool
    because: str


def resolve(query: str, recent: Sequence[Exchange]) -> Resolved:
    """`query` with its reference to the `recent` exchanges, oldest first, made explicit."""
    if len(query) > _LONGEST or not _may_refer(query):
        return Resolved(query, changed=False, because="")
    explicit: list[Exchange] = []
    for exchange in recent[-_EXCHANGES:]:
        question = _resolve(exchange.question, explicit).query
        explicit.append(Exchange(question, exchange.answer))
    return _resolve(query, explicit)


def _may_refer(query: str) -> bool:
    """Whether any rule could apply: most queries end here, before the exchanges are read."""
    return any(part.may_refer(query) for part in (pronouns, positions, times, followups)) or bool(
        said.find(query)
    )


def _resolve(query: str, recent: Sequence[Exchange]) -> Resolved:
    """One step, kept only if another would change nothing more: else it was not understood."""
    unchanged = Resolved(query, changed=False, because="")
    once = _step(query, recent)
    if once is None or once.query == query:
        return unchanged
    return once if _step(once.query, recent) is None else unchanged


def _step(query: str, recent: Sequence[Exchange]) -> Resolved | None:
    if not recent or len(query) > _LONGEST or "```" in query:
        return None
    if edits := _edits(query, recent):
        return _edited(query, edits, recent)
    return _followed_up(query, recent) or _guessed(query, recent)


def _edits(query: str, recent: Sequence[Exchange]) -> list[Edit]:
    by_position = positions.find(query, recent)
    by_time = times.find(query, recent)
    found = [*said.find(query), *by_position, *by_time, *pronouns.find(query, recent)]
    apart: list[Edit] = []
    for edit in sorted(found, key=lambda edit: (edit.start, -edit.end)):
        if not apart or edit.start >= apart[-1].end:
            apart.append(edit)
    return apart


def _edited(query: str, edits: list[Edit], recent: Sequence[Exchange]) -> Resolved:
    text = applied(query, edits)
    question = _last_question(recent)
    if question and not said.names_what(query):
        text = f"{text} [{question}]"
    elif question and (new := followups.new_part(text)):
        text = question if new.lower() in question.lower() else f"{question} ({new})"
    return Resolved(text, changed=True, because=reason(query, edits))


def _followed_up(query: str, recent: Sequence[Exchange]) -> Resolved | None:
    question = _last_question(recent)
    if question is None:
        return None
    because = f'{query.strip()} → "{question}"'
    if followups.same_question(query):
        return Resolved(question, changed=True, because=because)
    if followups.continues(query):
        return Resolved(f"{question} {query.strip()}", changed=True, because=because)
    if new := followups.new_part(query):
        text = followups.with_part(question, new)
        return Resolved(text, changed=True, because=f'{query.strip()} → "{text}"')
    return None


def _guessed(query: str, recent: Sequence[Exchange]) -> Resolved | None:
    if pronouns.has_content(query) or (guess := pronouns.guess(query, recent)) is None:
        return None
    word, text = guess
    because = f'{word} → perhaps "{text}"'
    return Resolved(f"{query} [{text}]", changed=True, because=because)


def _last_question(recent: Sequence[Exchange]) -> str | None:
    for exchange in reversed(recent):
        if pronouns.has_content(exchange.question):
            return followups.shortened(exchange.question)
    return None
