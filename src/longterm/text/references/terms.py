"""What a text is about: its names and terms, and its sentences."""

import re
from collections import Counter

from longterm.text import sentences, words
from longterm.text.references.lexicon import ACKNOWLEDGEMENTS, FUNCTION_WORDS, TIMES, word_set

_LONGEST = 8_000
_CAPITALISED = r"[A-ZÀ-Þ][\w'\u2019-]*+"
_NAME = re.compile(
    rf"{_CAPITALISED}(?: (?:(?:de|of|du|la|von|van|da|do|del) )?(?:{_CAPITALISED}|\d+))*+"
)
_MARKED = re.compile(
    r"\*\*([^*\n]{2,60})\*\*|«\s?([^»\n]{2,60}?)\s?»|“([^”\n]{2,60})”|\"([^\"\n]{2,60})\""
    r"|`([^`\n]{2,40})`"
)
_LEADING = re.compile(r"^(?:(?:The|A|For|But|And|In|At|Hi|Dear|Le|La|El|Der|Die|Das|Il) )+")
_FILLERS = word_set("you so very much a lot that s all i ll will do it to the for is")
_NO_PERSON = word_set("the in at over near on from around through im in auf bei à dans en a")
_WORD = re.compile(r"[^\W_]+")
_LIST_LINE = re.compile(r"[ \t]*(?:[-*+•–|]|\(?\w{1,2}[.)])[ \t].*")


def split(text: str) -> list[str]:
    """The sentences of `text`."""
    text = text[:_LONGEST]
    return [text[start:end] for start, end in sentences.split(text)]


def content(text: str) -> list[str]:
    """The words of `text` that carry a topic."""
    return [word for word in _WORD.findall(text.lower()) if word not in FUNCTION_WORDS]


def stems(text: str) -> set[str]:
    """The stems of the words that carry a topic."""
    return {words.stem(word) for word in content(text)}


def is_acknowledgement(text: str) -> bool:
    """Whether `text` only thanks, greets or agrees."""
    found = _WORD.findall(text.lower())
    return bool(found) and all(word in ACKNOWLEDGEMENTS or word in _FILLERS for word in found)


def names(text: str, most: int) -> list[str]:
    """The names and the emphasised terms of the prose, most frequent first.

    The first word of a sentence does not count: it always has a capital.
    """
    prose = "\n".join(line for line in text[:_LONGEST].split("\n") if not _LIST_LINE.match(line))
    found: Counter[str] = Counter()
    for sentence in split(prose):
        for match in _MARKED.finditer(sentence):
            found[match[match.lastindex or 0]] += 1
        for match in _NAME.finditer(_MARKED.sub("", sentence)):
            name = _LEADING.sub("", match[0])
            is_first = " " not in match[0] and not _WORD.search(sentence[: match.start()])
            found[name] += not is_first
    kept = [name for name, count in found.most_common() if count and not _is_common(name)]
    return kept[:most]


def person(sentence: str) -> list[str]:
    """The first name that may be a person's: no article and no "in" stands before it."""
    for match in _NAME.finditer(sentence):
        name = _LEADING.sub("", match[0])
        before = _WORD.findall(sentence[: match.start()].lower())[-1:]
        if not _is_common(name) and not _NO_PERSON.intersection(before):
            return [name]
    return []


def _is_common(name: str) -> bool:
    known = _WORD.findall(name.lower())
    return all(word in FUNCTION_WORDS or word in TIMES for word in known)
