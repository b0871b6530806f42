"""What can be wrong with a stored fact: pure checks, one for each flaw."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np

from longterm.learn import grounding
from longterm.providers.embedder import Vectors
from longterm.records.hygiene import FLAWS, Flaw, Sourced
from longterm.text import dates
from longterm.text.secrets import gate

_LIKE = 0.92
_STALE_AFTER = timedelta(days=365)
_UNUSED_AFTER = timedelta(days=30)
_EVERY_YEAR = ("birthday", "anniversary", "birth")


def flaws(
    facts: Sequence[Sourced], vectors: Vectors, *, now: datetime
) -> dict[Flaw, tuple[str, ...]]:
    """The ids of the facts that have each flaw."""
    found: dict[Flaw, Iterable[str]] = {
        "duplicate": _duplicates(facts, vectors),
        "echo": (fact.id for fact in facts if fact.source_role == "assistant"),
        "ungrounded": (fact.id for fact in facts if is_ungrounded(fact)),
        "stale": (fact.id for fact in facts if is_stale(fact, now)),
        "secret": (fact.id for fact in facts if holds_secret(fact)),
        "unused": (fact.id for fact in facts if is_unused(fact, now)),
    }
    return {flaw: tuple(found[flaw]) for flaw in FLAWS}


def is_ungrounded(fact: Sourced) -> bool:
    """Whether an extractor made it, and its message does not say it."""
    if fact.origin not in {"model", "rules"} or fact.source_content is None:
        return False
    if fact.span_start is None or fact.span_end is None:
        return True
    said = fact.source_content
    if not said[fact.span_start : fact.span_end].strip():
        return True
    # A relative date was turned into figures: these were not said.
    words = [word for word in grounding.unsaid(fact.content, said) if not word.isdigit()]
    return bool(set(words) - {"to"})


def holds_secret(fact: Sourced) -> bool:
    """Whether it looks like a secret, read with its key."""
    path = () if fact.key is None else (fact.key,)
    return gate.kind_in_field(path, fact.content) is not None


def is_stale(fact: Sourced, now: datetime) -> bool:
    """Whether its dates are over, or nobody said or used it for a year."""
    used = fact.last_accessed_at or fact.said_at
    if max(used, fact.said_at) < now - _STALE_AFTER:
        return True
    if fact.key is not None and fact.key.startswith(_EVERY_YEAR):
        return False
    mentions = dates.resolve(fact.content, said_at=fact.said_at)
    said_on = fact.said_at.date()
    ahead = [mention for mention in mentions if mention.last >= said_on]
    return bool(ahead) and all(mention.last < now.date() for mention in ahead)


def is_unused(fact: Sourced, now: datetime) -> bool:
    """Whether it was never used in the month since it was said."""
    return fact.access_count == 0 and fact.said_at < now - _UNUSED_AFTER


def _duplicates(facts: Sequence[Sourced], vectors: Vectors) -> list[str]:
    """Those that say what an earlier one says, in the same words or by meaning."""
    if not facts:
        return []
    likeness = np.tril(vectors @ vectors.T, k=-1)
    first_by_words: dict[str, int] = {}
    found: list[str] = []
    for place, fact in enumerate(facts):
        same = first_by_words.setdefault(fact.fingerprint, place) != place
        if same or bool((likeness[place] >= _LIKE).any()):
            found.append(fact.id)
    return found
