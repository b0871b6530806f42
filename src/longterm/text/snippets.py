"""The text around what was searched for."""

from collections.abc import Sequence

_BEFORE = 60
_LENGTH = 200


def snippet(text: str, sought: Sequence[str]) -> str:
    """Cut the text around the first of the words that it has, in one line."""
    folded = text.lower()
    found = [place for place in (folded.find(word.lower()) for word in sought) if place >= 0]
    place = min(found, default=0)
    start = max(0, place - _BEFORE)
    end = min(len(text), start + _LENGTH)
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"
