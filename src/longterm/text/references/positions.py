"""References by position: "the second option", "#2", "the latter", "la segunda"."""

import re
from collections.abc import Iterator, Sequence

from longterm.text.references import lists
from longterm.text.references.edits import Edit, folded, masked
from longterm.text.references.exchange import Exchange
from longterm.text.references.lexicon import AUXILIARIES

_PLACES = {
    word: place
    for place, words in enumerate(
        (
            "first 1st erste primer primera primero premier première",
            "second 2nd zweite segundo segunda deuxième second seconde",
            "third 3rd dritte tercer tercera tercero troisième",
            "fourth 4th vierte cuarto cuarta quatrième",
            "fifth 5th fünfte quinto quinta cinquième",
            "sixth 6th sechste sexto sexta sixième",
            "seventh 7th siebte séptimo séptima septième",
            "eighth 8th achte octavo octava huitième",
            "ninth 9th neunte noveno novena neuvième",
            "tenth 10th zehnte décimo décima dixième",
        ),
        start=1,
    )
    for word in words.split()
}
_LAST = {"last": 0, "letzte": 0, "último": 0, "última": 0, "dernier": 0, "dernière": 0}
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_ORDINALS = _PLACES | _LAST

# Nouns that say nothing but "member of a list".
_MEMBER_WORDS = """
    one option choice item suggestion point idea alternative possibility step answer entry result
    recommendation proposal variant option vorschlag punkt möglichkeit opción sugerencia punto
    alternativa idée proposition choix suggestion
"""
_MEMBER = frozenset(_MEMBER_WORDS.split())
_ORDINAL = re.compile(
    rf"(?<![\w-])(?:(?P<article>the|that|your|der|die|das|den|dem|el|la|lo|le)\s+)?"
    rf"(?P<ordinal>{'|'.join(_ORDINALS)})(?:(?<=te)[nrsm])?(?![\w'-])"
    rf"(?:\s+(?P<many>{'|'.join(_NUMBERS)})(?![\w'-]))?"
    rf"(?:\s+(?P<member>(?:{'|'.join(sorted(_MEMBER))})s?)(?![\w'-]))?"
    r"(?:\s+(?:of|from|in|on)\s+(?:them|those|these|(?:the|your|that)\s+list)(?![\w'-]))?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<![\w#-])(?:(?:the|la|el|die|l['\u2019])\s*)?"
    r"(?:#|(?:number|no\.|nr\.|nummer|número|numéro|option|opción|choice|item|suggestion|point|step"
    r"|vorschlag)\s+#?)(?P<mark>\d{1,2}|[a-h](?=\W*$|[?!.,]|\s+(?:or|and|is|please|instead)\b))"
    r"(?![\w.-]*\w)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?<!\w)the (?P<which>former|latter)(?: (?:one|option))?(?!\w)", re.IGNORECASE)
_ALONE = re.compile(r"\s*\(?(?P<mark>\d{1,2}|[a-hA-H])\s*[.)]?\s*")

_NEXT = re.compile(r"\s+([^\W_]+)")
_SELF_WORDS = """
    and or but then please instead again too with without for in on at from by vs versus as if
    sounds seems looks cost costs take takes work works mean means bitte por est ist y et und
    better best cheaper more because who open closed free cheap
"""
_SELF = frozenset(_SELF_WORDS.split())


def may_refer(query: str) -> bool:
    """Whether `query` names a position, of whatever."""
    is_alone = bool(_ALONE.fullmatch(query))
    return is_alone or any(form.search(query) for form in (_ORDINAL, _NUMBERED, _PAIR))


def find(query: str, recent: Sequence[Exchange]) -> list[Edit]:
    """The positions that `query` names, each with the item of the newest list that has it."""
    text = masked(query)
    if not may_refer(text):
        return []
    texts = (text for exchange in recent for text in (exchange.question, exchange.answer))
    items = lists.newest(texts)
    if alone := _ALONE.fullmatch(text):
        return list(_edit(alone, _marked(items, alone["mark"]), "mark"))
    found = sorted(_edits(text, items, recent), key=lambda edit: (edit.start, -edit.end))
    return [edit for at, edit in enumerate(found) if not at or edit.start >= found[at - 1].end]


def _edits(text: str, items: list[str], recent: Sequence[Exchange]) -> Iterator[Edit]:
    for match in _ORDINAL.finditer(text):
        end = _end(text, match, recent)
        if end is not None:
            for edit in _edit(match, _by_ordinal(items, match)):
                yield Edit(edit.start, end, edit.text)
    for match in _NUMBERED.finditer(text):
        yield from _edit(match, _marked(items, match["mark"]))
    for match in _PAIR.finditer(text):
        if len(items) == 2:
            yield from _edit(match, [items[match["which"].lower() == "latter"]])


def _edit(match: re.Match[str], meant: Sequence[str], group: str | int = 0) -> Iterator[Edit]:
    if meant:
        yield Edit(match.start(group), match.end(group), lists.together(meant))


def _marked(items: list[str], mark: str) -> list[str]:
    place = int(mark) if mark.isdecimal() else ord(mark.lower()) - ord("a") + 1
    return items[place - 1 : place] if place else []


def _by_ordinal(items: list[str], match: re.Match[str]) -> list[str]:
    place = _ORDINALS[folded(match["ordinal"])]
    count = _NUMBERS[folded(match["many"])] if match["many"] else 1
    if count > len(items) or (count > 1 and place > 1):
        return []
    if not place:
        return items[-count:]
    return items[place - 1 : place - 1 + count]


def _end(text: str, match: re.Match[str], recent: Sequence[Exchange]) -> int | None:
    """Where the reference ends; None if the ordinal orders something else than the list."""
    if match["member"]:
        return match.end() if match["article"] or not text[: match.start()].strip() else None
    following = _NEXT.match(text, match.end())
    if not match["article"]:
        return match.end() if match.end() - match.start() == len(text.strip(" .?!")) else None
    if following is None or following[1].lower() in _SELF | AUXILIARIES:
        return match.end()
    return following.end() if _was_asked_for(following[1], recent) else None


def _was_asked_for(noun: str, recent: Sequence[Exchange]) -> bool:
    """Whether the user asked for things called `noun`: "three restaurants", "the second"."""
    words = set(re.findall(r"[^\W_]+", recent[-1].question.lower()[:400]))
    plural = {f"{noun.lower()}s", f"{noun.lower()}es", f"{noun.lower()[:-1]}ies"}
    return bool(words & plural)
