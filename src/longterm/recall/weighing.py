"""What one candidate is worth by itself, each part between 0 and 1."""

from collections.abc import Sequence

from longterm.recall.asker import Asked, is_name
from longterm.recall.candidate import Candidate
from longterm.recall.passage_text import is_question

_ENOUGH_WORDS = 20
_SECOND = 0.5


def spread(values: Sequence[float]) -> list[float]:
    """The values moved and stretched so that the least is 0 and the most 1."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high <= low:
        return [1.0 if high > 0 else 0.0 for _ in values]
    return [(value - low) / (high - low) for value in values]


def speaker(asked: Asked, passage: Candidate) -> float:
    """1 when the question is about who said this, a half for others it names.

    What nobody said, such as a fact, stands between.
    """
    if passage.place is None:
        return _SECOND if asked.names or asked.role else 0.0
    if asked.names:
        if passage.speaker not in asked.names:
            return 0.0
        return 1.0 if passage.speaker == asked.names[0] else _SECOND
    return 1.0 if asked.role and passage.role == asked.role else 0.0


def substance(passage: Candidate) -> float:
    """Twenty words say enough: "Thanks, you too!" answers nothing, however near it is."""
    if passage.place is None:
        return 1.0
    # Counting the spaces of the beginning is enough, and does not grow with the text.
    return min(1.0, (passage.text.count(" ", 0, 400) + 1) / _ENOUGH_WORDS)


def no_question(passage: Candidate) -> float:
    """Between people, who asks does not know the answer.

    Those who chat with an assistant ask with what they tell: there it makes the order worse.
    """
    return 0.0 if is_name(passage.speaker) and is_question(passage.text) else 1.0
