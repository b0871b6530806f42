"""When a question fits several known things: which of them to offer.

A question is asked back only if it speaks of one thing ("my soup"), memory tells at least two of
that kind apart ("my lentil soup", "my tattie soup"), and no other word of the question says which
one is meant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from longterm.recall.context import told
from longterm.records.fact import Fact
from longterm.records.place import Place
from longterm.text import prompt_data, words
from longterm.text.choices import Choice
from longterm.text.references.lexicon import DETERMINERS, TIMES, word_set

QUESTION = "Which one do you mean?"

_MOST = 9
# A longer question says which one is meant.
_LONGEST = 400

_WORD = re.compile(r"[^\W_]+(?:['\u2019]s\b)?")
_NAME = re.compile(r"[A-ZÀ-Þ][\w'-]+")
# One thing that both sides are taken to know.
_DEFINITE = re.compile(
    r"\b(?P<whose>my|our|the|that|how much|mein(?:e[rnms]?)?|unser(?:e[rnms]?)?|de[rmn]|die|das|mon"
    r"|ma|notre|le|la|mi|nuestr[oa]|el|(?:il |la )?mi[oa]|(?:o |a )?(?:meu|minha))\s+"
    r"(?=(?P<phrase>[^\W\d_]{2,40}(?:\s[^\W\d_]{2,40}){0,2}))",
    re.IGNORECASE,
)
_MINE = word_set("my mein meine mi mon ma")
_ASKS = re.compile(
    r"^\W*(?:who|whom|what|which|when|where|how|is|are|was|were|do|does|did|has|have|can|could"
    r"|will|would|should|remind|tell|a qué|qué|cuál|cuándo|dónde|cuánto|wann|wo|wie|was|welche[rsn]?"
    r"|quand|où|combien|quel(?:le)?|quando|dove|quanto|onde|qual)\b|\?\s*$",
    re.IGNORECASE,
)
# Asks about several things at once, or for the one among them.
_ASKS_FOR_ALL = re.compile(
    r"\b(?:whose|total|all|both|each|every|everything|altogether|together|how many|compare"
    r"|difference|or|insgesamt|alle|beide|wessen|tous|toutes|todos|todas|tutti|tutte)\b",
    re.IGNORECASE,
)
# The attribute that is asked for: it does not tell which thing is meant.
_ASKED = re.compile(
    r"\b(?:expires?|due|starts?|begins?|ends?|opens?|closes?|runs? out|lives?|born|listens?|paid"
    r"|(?:what|which|welche[rsn]?|qué|cuál|quel(?:le)?|quale|qual)\s+"
    r"(?:(?:is|s|was|ist|es|est|è|é)\s+)?(?:(?:the|my|der|die|das|le|la|el|il|o|a)\s+)?[^\W_]+)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:when|day|date|time|how (?:long|much|old)|number|wann|quand|cuándo|hora|quando)\b",
    re.IGNORECASE,
)
_IS = word_set("is was ist war est es era è é")
_LINKS = word_set(
    "named called who that for of with at in on from to by about de del della di da do mit bei beim"
    " für von vom zum zur aus im am con para pour avec chez à au namens qui que"
)
_EMPTY = DETERMINERS | words.STOP_WORDS | word_set("die was ist hat es est al im am zu und et y e")
# What people have several of without calling them alike: words for the kind, and for one of it.
_KINDS = tuple(
    (word_set(kind), word_set(one))
    for kind, one in (
        (
            "appointment hospital checkup termin cita rendez appuntamento consulta",
            "dentist doctor gp clinic physio surgery scan vaccine vet optician zahnarzt arzt"
            " dentiste médecin kiné dentista médico fisio medico",
        ),
        (
            "trip journey holiday vacation flight travel leave depart reise urlaub flug voyage"
            " vacances viaje vuelo viaggio volo viagem voo",
            "going flying fly train plane ferry boat zug fahren fliegen vol avión tren treno",
        ),
        ("insurance policy versicherung assurance seguro assicurazione", ""),
        ("medicine medication medikament médicament medicina", "pill tablet capsule drops"),
        ("child kid grandchild kind enfant", "son daughter grandson granddaughter"),
        ("pet haustier mascota", "dog cat rabbit hund katze chien perro gato"),
        ("meeting besprechung réunion reunión riunione reunião", "call standup interview"),
    )
)
_KIND_STEMS = frozenset(words.stem(word) for kind, _ in _KINDS for word in kind)


@dataclass(frozen=True, slots=True)
class _Thing:
    """A known thing: what tells it from others of its kind, and how to offer it."""

    mark: str
    label: str


def options(query: str, facts: Sequence[Fact], places: Sequence[Place]) -> list[Choice]:
    """The things that a question may mean; none when it means one, or nothing that is known."""
    if len(query) > _LONGEST or not _ASKS.search(query) or _ASKS_FOR_ALL.search(query):
        return []
    asked = set(words.terms(_ASKED.sub(" ", query)))
    texts = [told(fact) for fact in facts]
    lowered = [words.folded(text) for text in texts]
    for definite in _DEFINITE.finditer(query):
        is_mine = definite["whose"].lower() in _MINE
        for noun in takewhile(_tells, words.folded(definite["phrase"]).split()):
            named = [text for text, folded in zip(texts, lowered, strict=True) if noun in folded]
            things = _things(noun, named, places, is_mine=is_mine)
            if found := _to_choose(things, asked - {words.stem(noun)}):
                return found
    return _to_choose(_of_a_kind(query, texts), asked)


def still_known(
    offered: Sequence[Choice], facts: Sequence[Fact], places: Sequence[Place]
) -> tuple[Choice, ...]:
    """The options that still name something known; a fact may have been deleted meanwhile."""
    known = [*map(told, facts), *(prompt_data.item(place.place_name) for place in places)]
    return tuple(option for option in offered if any(option.label in text for text in known))


def _to_choose(things: Sequence[_Thing], asked: set[str]) -> list[Choice]:
    """The things as options, if there are several and the question tells none from the others."""
    labels = list({thing.mark: thing.label for thing in reversed(things)}.values())[::-1]
    if not 1 < len(labels) <= _MOST:
        return []
    terms = [set(words.terms(label)) for label in labels]
    telling = set[str]().union(*terms) - terms[0].intersection(*terms)
    if telling & (asked - _EMPTY - _KIND_STEMS):
        return []
    return [
        Choice(number=number, label=label, value=label)
        for number, label in enumerate(labels, start=1)
    ]


def _things(
    noun: str, texts: Sequence[str], places: Sequence[Place], *, is_mine: bool
) -> list[_Thing]:
    """The things that are called by the noun, and have something to tell them apart."""
    found: list[_Thing] = []
    for text in texts:
        found += [_Thing(name.lower(), name) for name in _names(noun, text)]
        if mark := _mark(noun, text, is_mine=is_mine):
            found.append(_Thing(mark, text))
    stem = words.stem(noun)
    for place in places:
        if stem in words.terms(f"{place.place_name} {place.notes or ''}"):
            label = prompt_data.item(place.place_name)
            found.append(_Thing(label, label))
    return found


def _names(noun: str, text: str) -> list[str]:
    """The names in "two cats, Momo and Kiki"."""
    start = text.lower().find(f"{noun}s")
    names = _NAME.findall(text[start + len(noun) :]) if start >= 0 else []
    return names if len(names) > 1 else []


def _mark(noun: str, text: str, *, is_mine: bool) -> str | None:
    """What tells the thing of this kind from others: "lentil" of "my lentil soup"."""
    found = _WORD.findall(text)
    for at, word in enumerate(found):
        folded = words.folded(word)
        if folded.endswith(noun) and word[0].isupper() and len(folded) > len(noun) + 2:
            # A German compound: "Zahnarzttermin".
            return folded
        if folded == noun:
            return _mark_of(found, at, is_mine=is_mine)
    return None


def _mark_of(found: list[str], at: int, *, is_mine: bool) -> str | None:
    """The words beside a noun that tell which one it is."""
    before, after = found[at - 1] if at else "", found[at + 1 : at + 7]
    if is_mine and before.endswith(("'s", "\u2019s")):
        return None
    marks = [before] if before and _tells(before) else []
    if after and after[0][0].isupper():
        marks.append(after[0])
    elif after and after[0].lower() in _LINKS:
        marks += [each for each in after[1:] if _tells(each)][:1]
    elif at > 1 and found[0][0].isupper() and found[1].lower() in _IS and _tells(found[0]):
        # "Ana is my sister."
        marks.append(found[0])
    return " ".join(marks).lower() or None


def _of_a_kind(query: str, texts: Sequence[str]) -> list[_Thing]:
    """The things of the kind that the question names: "the hospital" for two appointments."""
    said = set(_WORD.findall(words.folded(query).replace("set off", "leave")))
    kinds = [kind | one for kind, one in _KINDS if kind & said]
    found: list[_Thing] = []
    for text in texts if kinds else ():
        known = _WORD.findall(text)
        folded = {words.folded(word) for word in known}
        has_value = any(word[0].isdigit() or word in TIMES for word in folded)
        if folded & kinds[0] and (has_value or not _VALUE.search(query)):
            found.append(_Thing(_same(known, found) or text, text))
    return found


def _same(known: Sequence[str], things: Sequence[_Thing]) -> str | None:
    """The mark of the thing that is spoken of with the same name: the same trip to Porto."""
    names = {word for word in known[1:] if word[0].isupper() and _tells(word)}
    names = {name for name in names if words.folded(name) not in TIMES}
    return next((each.mark for each in things if names & set(_WORD.findall(each.label))), None)


def _tells(word: str) -> bool:
    return words.folded(word) not in _EMPTY
