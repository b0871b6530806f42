"""The things that a text speaks of: names, titles in quotes, and noun phrases."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from longterm.text.references.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    GERMAN_ARTICLES,
    GIVEN_NAMES,
    INDEFINITE,
    PEOPLE,
    PLACE_NAMES,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    TIME_NOUNS,
    TITLES,
    VERBS,
)

# What a conversation is about is said early; the rest of a long text only adds rivals.
_LONGEST = 1_500
_MOST_WORDS = 5

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019&][^\W_]+)*")
_TITLE = re.compile(r"\"([^\"\n]{2,80})\"|“([^“”\n]{2,80})”|«\s?([^«»\n]{2,80}?)\s?»")
_INSIDE = frozenset({"of", "de", "da", "do", "del", "van", "von", "der", "di", "du", "the"})
_BREAKS = FUNCTION_WORDS | VERBS
_TOPIC_WORDS = frozenset({"about", "define", "explain", "describe", "regarding", "über", "sobre"})
_OBJECT_VERBS = """
    bake cook make buy fix install learn play grow build clean use recommend suggest eat drink
    compare remove store prepare brew paint repair find
"""
_WITH_OBJECT = frozenset(_OBJECT_VERBS.split())
_SENTENCE_END = re.compile(r"[.!?…:;\n]")
_PLURAL = re.compile(r".{2,}(?<![sui'])s|people|children|men|women")


class Kind(Enum):
    """What a mention may be, as far as simple rules can tell."""

    PERSON = "person"
    PLACE = "place"
    THING = "thing"
    NAME = "name"
    MANY = "many"
    TIME = "time"


class Rank(Enum):
    """How much a sentence is about a mention: it comes first, or after a verb, or aside."""

    TOPIC = 0
    OBJECT = 1
    ASIDE = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase of a text, and where it stands there."""

    text: str
    kind: Kind
    rank: Rank
    start: int
    end: int
    is_name: bool
    # "A hotel" is asked for; which one, the answer says.
    is_any: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    low: str
    start: int
    end: int
    # A mark or a line's end stands between this word and the one before it.
    is_apart: bool
    opens_sentence: bool


def find(text: str) -> list[Mention]:
    """The mentions of the beginning of `text`, in order."""
    text = text[:_LONGEST]
    titles = [_title(match) for match in _TITLE.finditer(text)]
    covered = _TITLE.sub(lambda match: '"' * len(match[0]), text)
    words = _words(covered)
    found = list(_phrases(text, words))
    return _joined(text, sorted((*titles, *found), key=lambda mention: mention.start))


def is_plural(word: str) -> bool:
    """Whether an English word looks like more than one thing."""
    return bool(_PLURAL.fullmatch(word))


def _title(match: re.Match[str]) -> Mention:
    return Mention(match[0], Kind.THING, Rank.OBJECT, match.start(), match.end(), is_name=True)


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        opens = not words or bool(_SENTENCE_END.search(gap))
        low = match[0].lower().replace("\u2019", "'")
        is_apart = opens or bool(gap.strip())
        words.append(_Word(match[0], low, match.start(), match.end(), is_apart, opens))
        end = match.end()
    return words


def _phrases(text: str, words: list[_Word]) -> Iterator[Mention]:
    at = 0
    while at < len(words):
        end = _end_of_phrase(words, at)
        if end > at:
            yield from _owners(text, words, at, end)
            yield _mention(text, words, at, end)
        at = max(end, at + 1)


def _owners(text: str, words: list[_Word], at: int, end: int) -> Iterator[Mention]:
    """Whose it is: the sister of "my sister's birthday"."""
    for last in range(at, end - 1):
        if words[last].low.endswith("'s"):
            yield replace(_mention(text, words, at, last + 1), rank=Rank.ASIDE)


def _end_of_phrase(words: list[_Word], at: int) -> int:
    """Where the phrase that begins with word `at` ends; `at` if none does."""
    word = words[at]
    if word.low in DETERMINERS:
        end = _run(words, at + 1)
        end -= end > at + 2 and _ends_with_verb(words, at, end)
        if word.low in GERMAN_ARTICLES:
            end = _last_capital(words, at, end)
        return end if end > at + 1 else at
    if _is_name(words, at):
        return _name_end(words, at)
    if _is_after_topic_word(words, at):
        return _run(words, at)
    return at + _is_plural_subject(words, at)


def _run(words: list[_Word], at: int) -> int:
    end = _plain_run(words, at)
    if end > at and end + 1 < len(words) and words[end].low == "of" and not words[end].is_apart:
        rest = end + 1 + (words[end + 1].low in DETERMINERS)
        beyond = _plain_run(words, rest)
        end = beyond if beyond > rest else end
    return end


def _last_capital(words: list[_Word], at: int, end: int) -> int:
    """Where a German phrase ends: with its noun, which has a capital."""
    capitals = [place for place in range(at + 1, end) if words[place].text[0].isupper()]
    return capitals[-1] + 1 if capitals else end


def _ends_with_verb(words: list[_Word], at: int, end: int) -> bool:
    """Whether the sentence is "does my bike weigh": the last word is no noun there."""
    is_last = end == len(words) or words[end].opens_sentence
    return is_last and at > 0 and words[at - 1].low in {"do", "does", "did"}


def _is_plural_subject(words: list[_Word], at: int) -> bool:
    if at == 0 or words[at].is_apart or words[at].low in _BREAKS:
        return False
    asks = words[at - 1].low in {"which", "what", "many", "do", "are", "did", "can"}
    return asks and is_plural(words[at].low)


def _plain_run(words: list[_Word], at: int) -> int:
    end = at
    while end < len(words) and end - at < _MOST_WORDS and _goes_on(words, end):
        end += 1
    return end


def _goes_on(words: list[_Word], at: int) -> bool:
    word = words[at]
    return not word.is_apart and (word.low not in _BREAKS or _is_inner_capital(word))


def _is_inner_capital(word: _Word) -> bool:
    return word.text[0].isupper() and not word.opens_sentence and word.low not in FUNCTION_WORDS


def _is_name(words: list[_Word], at: int) -> bool:
    word = words[at]
    if not word.text[0].isupper() or word.low in FUNCTION_WORDS or word.low in {"i'm", "i'll"}:
        return False
    if not word.opens_sentence or word.low in GIVEN_NAMES or word.low in PLACE_NAMES:
        return True
    if word.low in VERBS or at + 1 == len(words) or words[at + 1].opens_sentence:
        return False
    following = words[at + 1]
    return following.low in AUXILIARIES or following.text[0].isupper()


def _name_end(words: list[_Word], at: int) -> int:
    end = at + 1
    while end < len(words) and end - at < _MOST_WORDS and not words[end].is_apart:
        word = words[end]
        is_link = word.low in _INSIDE and end + 1 < len(words) and _is_inner_capital(words[end + 1])
        if not (_is_inner_capital(word) or word.text.isdigit() or is_link):
            break
        end += 1
    return end


def _is_after_topic_word(words: list[_Word], at: int) -> bool:
    if at == 0 or words[at].is_apart or words[at].low in _BREAKS:
        return False
    before = words[at - 1].low
    if before in _TOPIC_WORDS or before in _WITH_OBJECT or before in {"what's", "who's"}:
        return True
    return before in {"is", "are"} and at > 1 and words[at - 2].low in {"what", "who"}


def _mention(text: str, words: list[_Word], at: int, end: int) -> Mention:
    start = words[at].start
    last = words[end - 1]
    stop = last.end - 2 if last.low.endswith("'s") else last.end
    said = text[start:stop]
    is_any = words[at].low in INDEFINITE
    if words[at].low in DETERMINERS:
        article = "the" if is_any else words[at].low
        said = article + said[len(words[at].text) :]
    nouns = words[at + (words[at].low in DETERMINERS) : end]
    is_name = all(word.text[0].isupper() or word.low in _INSIDE for word in nouns)
    kind = _kind(words, at, nouns, is_name=is_name)
    return Mention(said, kind, _rank(words, at), start, stop, is_name, is_any)


def _kind(words: list[_Word], at: int, nouns: list[_Word], *, is_name: bool) -> Kind:
    lows = [word.low.removesuffix("'s") for word in nouns]
    head = lows[lows.index("of") - 1] if "of" in lows[1:] else lows[-1]
    before = words[at - 1].low if at and not words[at].opens_sentence else ""
    if lows[0] in TITLES or (lows[0] in GIVEN_NAMES and is_name) or head in PEOPLE:
        return Kind.PERSON
    if head in TIME_NOUNS or head.isdigit():
        return Kind.TIME
    if head in PLACE_NOUNS or (is_name and (head in PLACE_NAMES or before in PLACE_PREPOSITIONS)):
        return Kind.PLACE
    if is_name:
        return Kind.PERSON if _is_asked_who(words, at) else Kind.NAME
    return Kind.MANY if is_plural(head) else Kind.THING


def _is_asked_who(words: list[_Word], at: int) -> bool:
    before = [word.low for word in words[max(at - 2, 0) : at]]
    return before[-1:] == ["who's"] or before in (["who", "is"], ["who", "was"])


def _rank(words: list[_Word], at: int) -> Rank:
    if words[at].opens_sentence:
        return Rank.TOPIC
    before = words[at - 1]
    if before.low in _TOPIC_WORDS or before.low in QUESTION_WORDS:
        return Rank.TOPIC
    if before.low in AUXILIARIES:
        asks = any(word.low in QUESTION_WORDS for word in words[max(at - 4, 0) : at])
        return Rank.TOPIC if asks or before.opens_sentence else Rank.OBJECT
    return Rank.ASIDE if before.low in PREPOSITIONS else Rank.OBJECT


def _joined(text: str, found: list[Mention]) -> list[Mention]:
    """`found`, and neighbours that "and", "or" or "vs" connects as one more."""
    joined: list[Mention] = []
    for one, other in pairwise(found):
        between = text[one.end : other.start].strip().lower()
        if between in {"and", "or", "&", "vs", "vs.", "und", "y", "et", "oder", "o", "ou"}:
            both = text[one.start : other.end]
            joined.append(replace(one, text=both, kind=Kind.MANY, end=other.end))
    return sorted((*found, *joined), key=lambda mention: mention.start)
