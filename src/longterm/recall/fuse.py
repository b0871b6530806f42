"""One order out of two searches: what is nearest to a question, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from longterm.recall import timing, weighing
from longterm.recall.candidate import Candidate
from longterm.recall.question import Question
from longterm.recall.surroundings import Surroundings
from longterm.recall.wording import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The most that each part can add to a score.

    Fitted as a listwise logistic model on four conversations between two people (656 questions),
    then rounded by hand. Fitted on three and measured on the fourth, each in turn, the share of
    the evidence among the first ten is .81 as well. The parts themselves were chosen on all four.
    """

    meaning: float = 1.0
    words: float = 0.2
    coverage: float = 0.5
    conversation: float = 0.8
    speaker: float = 0.5
    said_then: float = 0.6
    mentions_then: float = 0.3
    tells_when: float = 0.35
    substance: float = 0.4
    no_question: float = 0.15
    phrase: float = 1.0


WEIGHTS = Weights()

# Reading a text takes some 12 µs, and its dates 50 to 180: only those that may still come to the
# top are read. On the same questions, reading more changed no share of the evidence found.
_READ = 60
_READ_FOR_DATES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its score between 0 and 1, and the reasons for it in plain words."""

    candidate: Candidate
    score: float
    why: tuple[str, ...]


def fuse(
    question: Question, candidates: Sequence[Candidate], weights: Weights = WEIGHTS
) -> list[Ranked]:
    """The candidates in the order of what they are worth for the question, best first."""
    # Sorted first, so that sums and ties do not depend on how the candidates came.
    found = sorted(candidates, key=lambda candidate: candidate.passage_id)
    words = weighing.spread([max(0.0, candidate.words) for candidate in found])
    meaning = _meaning(found, words)
    matching = [0.5 * alike + 0.5 * exact for alike, exact in zip(meaning, words, strict=True)]
    around = Surroundings.of(found, matching)
    scores = [
        weights.meaning * alike + weights.words * exact + weights.conversation * best
        for alike, exact, best in zip(meaning, words, around.best, strict=True)
    ]
    _add_people_and_times(question, found, scores, weights)
    wording = Wording.of(question, found)
    read = _best(scores, _READ)
    for index in read:
        scores[index] += _reading(found[index], wording, around, index, weights)
    _add_dates(question, found, scores, weights)
    most = _most(question, weights)
    order = sorted(range(len(found)), key=lambda index: (-scores[index], index))
    explained = set(read)
    return [
        Ranked(
            candidate=found[index],
            score=min(1.0, scores[index] / most),
            why=_why(question, found[index], wording, around, index) if index in explained else (),
        )
        for index in order
    ]


def _reading(
    candidate: Candidate, wording: Wording, around: Surroundings, index: int, weights: Weights
) -> float:
    """What the text of a candidate, and of those beside it, adds."""
    return (
        weights.coverage * wording.coverage(around.beside(index))
        + weights.phrase * wording.phrase(index)
        + weights.substance * weighing.substance(candidate)
        + weights.no_question * weighing.no_question(candidate)
    )


def _add_people_and_times(
    question: Question, found: Sequence[Candidate], scores: list[float], weights: Weights
) -> None:
    asks_for_somebody = question.asked.names or question.asked.role
    for index, candidate in enumerate(found):
        if asks_for_somebody:
            scores[index] += weights.speaker * weighing.speaker(question.asked, candidate)
        if question.periods:
            scores[index] += weights.said_then * timing.said_then(question, candidate.said_at)


def _best(scores: Sequence[float], count: int) -> list[int]:
    return sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:count]


def _meaning(found: Sequence[Candidate], words: Sequence[float]) -> list[float]:
    """Similarities spread over 0 to 1; a passage without a vector counts by its words."""
    known = [candidate.similarity for candidate in found if candidate.similarity is not None]
    spread = iter(weighing.spread(known))
    return [
        exact if candidate.similarity is None else next(spread)
        for candidate, exact in zip(found, words, strict=True)
    ]


def _add_dates(
    question: Question, found: Sequence[Candidate], scores: list[float], weights: Weights
) -> None:
    if not question.periods and not question.asks_when:
        return
    for index in _best(scores, _READ_FOR_DATES):
        mentions = timing.mentions(found[index].text, found[index].said_at)
        if question.asks_when and mentions:
            scores[index] += weights.tells_when
        if timing.mentions_then(question, mentions):
            scores[index] += weights.mentions_then


def _most(question: Question, weights: Weights) -> float:
    """The score of a passage that has everything the question asks for."""
    most = (
        weights.meaning
        + weights.words
        + weights.coverage
        + weights.conversation
        + weights.substance
        + weights.no_question
    )
    most += weights.speaker if question.asked.names or question.asked.role else 0
    most += weights.said_then + weights.mentions_then if question.periods else 0
    most += weights.tells_when if question.asks_when else 0
    return most + (weights.phrase if question.phrases else 0)


def _why(
    question: Question, candidate: Candidate, wording: Wording, around: Surroundings, index: int
) -> tuple[str, ...]:
    why: list[str] = []
    if candidate.similarity is not None:
        why.append(f"meaning {candidate.similarity:.2f}".replace("0.", ".", 1))
    if matched := wording.matched(index):
        why.append(f"words: {', '.join(matched)}")
    if candidate.speaker and weighing.speaker(question.asked, candidate) > 0:
        why.append(f"said by {candidate.speaker}")
    if wording.coverage(around.beside(index)) > wording.coverage((index,)):
        why.append("near a match")
    if period := timing.period_of(question, candidate.said_at):
        why.append(f"from {period.said}")
    return tuple(why)
