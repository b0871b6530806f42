"""Which words of a question stand in which candidate, and how much they tell."""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import log
from operator import methodcaller

from longterm.recall.candidate import Candidate
from longterm.recall.question import Question
from longterm.text import words


class Wording:
    """Which terms of a question each candidate has, looked up when it is asked for."""

    def __init__(self, shares: dict[str, float], phrases: Sequence[str], texts: list[str]) -> None:
        self._shares = shares
        self._phrases = phrases
        self._texts = texts
        self._matched: dict[int, frozenset[str]] = {}

    @classmethod
    def of(cls, question: Question, found: Sequence[Candidate]) -> "Wording":
        """Weigh the question's words by how rare they are among the candidates."""
        texts = [words.folded(candidate.text) for candidate in found]
        # Who is asked about counts as the speaker: their name in a text says who is spoken *to*.
        names = {term for name in question.asked.spoken for term in words.terms(name)}
        # By the stem's beginning alone: near enough for a weight, and half the time.
        rare = {
            term: _rarity(
                sum(map(methodcaller("__contains__", _beginning(term)), texts)), len(texts)
            )
            for term in question.terms
            if term not in names
        }
        total = sum(rare.values()) or 1.0
        return cls({term: value / total for term, value in rare.items()}, question.phrases, texts)

    def coverage(self, indexes: Sequence[int]) -> float:
        """The share of the question's words that these candidates have between them."""
        together = frozenset[str]().union(*map(self._terms_of, indexes))
        return sum(self._shares[term] for term in self._shares if term in together)

    def matched(self, index: int) -> list[str]:
        """The words of the question that the candidate has, in the question's order."""
        has = self._terms_of(index)
        return [term for term in self._shares if term in has]

    def phrase(self, index: int) -> float:
        """1 when the candidate has words that the question quotes."""
        return 1.0 if any(phrase in self._texts[index] for phrase in self._phrases) else 0.0

    def _terms_of(self, index: int) -> frozenset[str]:
        if index not in self._matched:
            text = self._texts[index]
            self._matched[index] = frozenset(term for term in self._shares if _is_in(term, text))
        return self._matched[index]


def _rarity(count: int, total: int) -> float:
    """BM25's inverse document frequency, among the candidates."""
    return log(1 + (total - count + 0.5) / (count + 0.5))


def _is_in(term: str, text: str) -> bool:
    # A plain search first: reading every word of 600 long answers took 37 ms, this 2.
    return _beginning(term) in text and any(
        words.stem(word) == term for word in _forms(term).findall(text)
    )


@lru_cache(maxsize=4096)
def _beginning(term: str) -> str:
    """What all words of a stem share: "happi" is the stem of "happy", "hike" of "hiking"."""
    return term[:-1] if len(term) > 3 and term.isascii() else term


@lru_cache(maxsize=4096)
def _forms(term: str) -> re.Pattern[str]:
    if not term.isascii():
        return re.compile(re.escape(term))
    return re.compile(rf"(?<![^\W_]){re.escape(_beginning(term))}[^\W_]*")
