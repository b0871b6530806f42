"""Whether a fact that a model proposes rests on the user's own words, and on which."""

import re

from longterm.learn.rules.masking import MASK, own_words
from longterm.text import sentences

_WORD = re.compile(r"\w+")

# Two forms of a word share this much of their beginning: hike and hiking, live and lives.
_STEM = 4
_LONGEST_ENDING = 4

# What a model needs to make a phrase of what the user said; nothing that judges or denies.
_GLUE_WORDS = """
    a an and are as at be been by do does for from has have he her his in is it its of on or our
    she that the their them they this to user was were who with you your
"""
_GLUE = frozenset(_GLUE_WORDS.split())

_DENIES = re.compile(
    r"(?i)\b(?:not|no|never|none|nobody|nothing|cannot|can'?t|don'?t|doesn'?t|isn'?t|aren'?t|"
    r"wasn'?t|won'?t|without|nicht|kein\w*|nie|ne|pas|jamais|nunca|ni|non|mai|niet|geen)\b"
)

# A sentence that speaks to the model that reads it, and not to the one that answers.
_INSTRUCTS = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|above|"
    r"previous|prior)|\bsystem\s+prompt\b|\b(?:store|save|record|extract|output)\b[^.\n]{0,30}\b"
    r"(?:fact|memory|json|item|in your memory|as a fact)|\byou are now\b|</?\s*(?:messages|system)\b"
)


def span(quote: str, message: str) -> tuple[int, int] | None:
    """Where a message has these words, case and blanks aside; None when it has not."""
    words = quote.split()
    if not words:
        return None
    inside = r"\s+".join(re.escape(word) for word in words)
    pattern = rf"(?<!\w){inside}(?!\w)"
    found = re.search(pattern, message, re.IGNORECASE)
    return found.span() if found else None


def objection(value: str, place: tuple[int, int] | None, message: str) -> str | None:
    """Why a value must not be kept; None when it rests on the user's own words."""
    if place is None:
        return "the words that it rests on are not in the message"
    if not _WORD.search(own_words(message)[slice(*place)].replace(MASK, "")):
        return "it rests on quoted or pasted text or code"
    if _INSTRUCTS.search(_sentences_around(message, place)):
        return "it rests on an instruction to the extractor"
    if unsaid(value, message):
        return "it has words that are not in the message"
    if bool(_DENIES.search(value)) != bool(_DENIES.search(_clause(message, place))):
        return "it says the opposite of the words that it rests on"
    return None


def _clause(message: str, place: tuple[int, int]) -> str:
    """The quote with the words just before it, which may deny it."""
    before = re.split(r"[.!?;,\n]|\b(?:but|and|aber|und|mais|et|pero|y)\b", message[: place[0]])
    return f"{before[-1]}{message[slice(*place)]}"


def unsaid(value: str, message: str) -> list[str]:
    """The words of a value that its message does not have, in that form or a near one."""
    said = set(_WORD.findall(message.casefold()))
    stems = _by_stem(said)
    return [
        word
        for word in _WORD.findall(value.casefold())
        if word not in said and word not in _GLUE and not _is_form(word, stems)
    ]


def _by_stem(said: set[str]) -> dict[str, list[str]]:
    stems: dict[str, list[str]] = {}
    for word in said:
        stems.setdefault(word[:_STEM], []).append(word)
    return stems


def _is_form(word: str, stems: dict[str, list[str]]) -> bool:
    """Whether another form of the word was said; a number has no other form."""
    if len(word) < _STEM or not word.isalpha():
        return False
    return any(
        other.isalpha()
        and abs(len(other) - len(word)) <= _LONGEST_ENDING
        and word[: min(len(word), len(other)) - 1] == other[: min(len(word), len(other)) - 1]
        for other in stems.get(word[:_STEM], ())
    )


def _sentences_around(message: str, place: tuple[int, int]) -> str:
    start, end = place
    around = [
        message[begin:stop]
        for begin, stop in sentences.split(message)
        if begin < end and stop > start
    ]
    return " ".join(around)
