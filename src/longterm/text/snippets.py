"""The text around what was searched for."""

from collections.abc import Sequence

_BEFORE = 60
_LENGTH = 200


def snippet(text: str, sought: Sequence[str]) -> str:
    """Cut the text around the first of the words that it has, in one line."""
    start = _start(text, sought, _BEFORE)
    end = min(len(text), start + _LENGTH)
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


def around(text: str, sought: Sequence[str], *, before: int, length: int) -> str:
    """The part of a text around the first of the words that it has."""
    start = _start(text, sought, before)
    return text[start : start + length]


def _start(text: str, sought: Sequence[str], before: int) -> int:
    folded = text.lower()
    found = [place for place in (folded.find(word.lower()) for word in sought) if place >= 0]
    return max(0, min(found, default=0) - before)
