"""One order out of two searches: what is nearest to a question, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from longterm.recall import timing, weighing
from longterm.recall.candidate import Candidate
from longterm.recall.question import Question
from longterm.recall.surroundings import Surroundings
from longterm.recall.wording import Wording

# Fitted as a listwise logistic model on four conversations between two people (656 questions),
# then rounded by hand. Fitted on three and measured on the fourth, each in turn, the share of the
# evidence among the first ten is .81 as well. The parts themselves were chosen on all four.
# Each weight is the most that its part can add.
MEANING = 1.0
WORDS = 0.2
COVERAGE = 0.5
CONVERSATION = 0.8
SPEAKER = 0.5
SAID_THEN = 0.6
MENTIONS_THEN = 0.3
TELLS_WHEN = 0.35
SUBSTANCE = 0.4
NO_QUESTION = 0.15
PHRASE = 1.0

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


def fuse(question: Question, candidates: Sequence[Candidate]) -> list[Ranked]:
    """The candidates in the order of what they are worth for the question, best first."""
    # Sorted first, so that sums and ties do not depend on how the candidates came.
    found = sorted(candidates, key=lambda candidate: candidate.passage_id)
    words = weighing.spread([max(0.0, candidate.words) for candidate in found])
    meaning = _meaning(found, words)
    matching = [0.5 * alike + 0.5 * exact for alike, exact in zip(meaning, words, strict=True)]
    around = Surroundings.of(found, matching)
    scores = [
        MEANING * alike + WORDS * exact + CONVERSATION * best
        for alike, exact, best in zip(meaning, words, around.best, strict=True)
    ]
    _add_people_and_times(question, found, scores)
    wording = Wording.of(question, found)
    read = _best(scores, _READ)
    for index in read:
        scores[index] += _reading(found[index], wording, around, index)
    _add_dates(question, found, scores)
    most = _most(question)
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


def _reading(candidate: Candidate, wording: Wording, around: Surroundings, index: int) -> float:
    """What the text of a candidate, and of those beside it, adds."""
    return (
        COVERAGE * wording.coverage(around.beside(index))
        + PHRASE * wording.phrase(index)
        + SUBSTANCE * weighing.substance(candidate)
        + NO_QUESTION * weighing.no_question(candidate)
    )


def _add_people_and_times(
    question: Question, found: Sequence[Candidate], scores: list[float]
) -> None:
    asks_for_somebody = question.asked.names or question.asked.role
    for index, candidate in enumerate(found):
        if asks_for_somebody:
            scores[index] += SPEAKER * weighing.speaker(question.asked, candidate)
        if question.periods:
            scores[index] += SAID_THEN * timing.said_then(question, candidate.said_at)


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


def _add_dates(question: Question, found: Sequence[Candidate], scores: list[float]) -> None:
    if not question.periods and not question.asks_when:
        return
    for index in _best(scores, _READ_FOR_DATES):
        mentions = timing.mentions(found[index].text, found[index].said_at)
        if question.asks_when and mentions:
            scores[index] += TELLS_WHEN
        if timing.mentions_then(question, mentions):
            scores[index] += MENTIONS_THEN


def _most(question: Question) -> float:
    """The score of a passage that has everything the question asks for."""
    most = MEANING + WORDS + COVERAGE + CONVERSATION + SUBSTANCE + NO_QUESTION
    most += SPEAKER if question.asked.names or question.asked.role else 0
    most += SAID_THEN + MENTIONS_THEN if question.periods else 0
    most += TELLS_WHEN if question.asks_when else 0
    return most + (PHRASE if question.phrases else 0)


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
