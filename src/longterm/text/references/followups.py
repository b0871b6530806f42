"""Queries that go on with the last question: "continue", "why?", "what about Y?"."""

import re

from longterm.text.references import mentions
from longterm.text.references.lexicon import DETERMINERS, PREPOSITIONS, PRONOUNS
from longterm.text.references.mentions import Kind, Mention
from longterm.text.references.times import TIME

_LONGEST = 300
_MOST_WORDS = 5

_SAME = re.compile(
    r"(?:please |ok(?:ay)?,? |yes,? |and )*(?:continue|go on|keep going|go ahead|carry on|proceed"
    r"|more|tell me more|say more|elaborate|explain(?: more| further)?|expand|and|so|next|more please|more details?"
    r"|can you (?:continue|elaborate|go on|tell me more|expand)|please (?:continue|go on)"
    r"|(?:mach )?weiter|weitermachen|fahr fort|erzähl (?:mir )?mehr|mehr"
    r"|continúa|continua|sigue|más|cuéntame más|dime más"
    r"|continuez|poursuis|vas-y|dis-m'en plus|encore)"
    r"(?:,? (?:please|bitte|por favor|s'il te plaît|s'il vous plaît))?[\s.!?…]*",
    re.IGNORECASE,
)
_WITH = re.compile(
    r"(?:(?:but|and|ok(?:ay)?,?) )?(?:why(?: not| is that| so)?|how so|how come|for example"
    r"|examples?|an example|what else|anything else|such as|like what|since when|are you sure"
    r"|warum(?: nicht)?|wieso|por qué|pourquoi|pourquoi pas|was noch|qué más|quoi d'autre)"
    r"(?:,? please)?[\s.!?…]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"[¿\s]*(?:(?:and|or|but|so|ok(?:ay)?,?|und|y|et)\s+)?"
    r"(?:(?:what|how)\s+about|what\s+if\s+it(?:['\u2019]s|\s+is|\s+was)"
    r"|(?:do\s+|and\s+)?(?:the\s+)?same\s+(?:thing\s+|question\s+)?(?:for|with)"
    r"|was\s+ist\s+mit|wie\s+sieht\s+es\s+mit|qué\s+tal|et\s+pour|qu['\u2019]en\s+est-il\s+de)"
    r"\s+(?P<new>[^\n?!]+?)(?:\s+aus)?\s*[?!.\s]*",
    re.IGNORECASE,
)
_AND = re.compile(
    r"[¿\s]*(?:and|und|y|et)\s+(?P<new>(?:in|for|on|at|from|to|with|by|für|im|am|en|para|con|à|pour"
    r"|the|my|your|our)\s+[^\n?!]+?|[^\s?!]+(?:\s+[^\s?!]+){0,2}?)\s*\?\s*",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?P<word>in|for|on|at|from|to|with|by|für|im|am|en|para|con|à|pour)\s+(?P<rest>.+)",
    re.IGNORECASE,
)
_JOINT = re.compile(r" (?:and|or|und|y|et|oder|o|ou|vs\.?) ")
_REFUSED = (PRONOUNS - {"one", "y", "on"}) | {"not", "if", "when", "because", "no"}


def may_refer(query: str) -> bool:
    """Whether `query` goes on with the question before it in any way."""
    return same_question(query) or continues(query) or new_part(query) is not None


def same_question(query: str) -> bool:
    """Whether `query` only asks to go on."""
    return bool(_SAME.fullmatch(query.strip()))


def continues(query: str) -> bool:
    """Whether `query` says nothing without the question before it, but adds to that."""
    return bool(_WITH.fullmatch(query.strip(" ¿")))


def new_part(query: str) -> str | None:
    """Y of "what about Y?", "same for Y", "and in Y?"; None where `query` is another question."""
    match = _ABOUT.fullmatch(query) or _AND.fullmatch(query)
    if match is None:
        return None
    new = match["new"].strip(" .,")
    words = new.lower().split()
    if not words or len(words) > _MOST_WORDS or words[0] in _REFUSED or words[0].endswith("ing"):
        return None
    return new


def with_part(question: str, new: str) -> str:
    """`question` with `new` in the place it takes, or after it where that can't be told."""
    place = _place_of(question, new)
    if place is None:
        return f"{question} ({new})"
    start, end, text = place
    return question[:start] + text + question[end:]


def shortened(question: str) -> str:
    """`question`, cut at a word where it is long."""
    question = question.strip()
    if len(question) <= _LONGEST:
        return question
    return question[:_LONGEST].rpartition(" ")[0] or question[:_LONGEST]


def _place_of(question: str, new: str) -> tuple[int, int, str] | None:
    led = _PREPOSITION.fullmatch(new)
    if TIME.search(new):
        is_time = TIME.fullmatch(led["rest"] if led else new)
        old = list(TIME.finditer(question))
        return _time_place(question, new, old[0]) if is_time and len(old) == 1 else None
    if PREPOSITIONS & set(new.lower().split()[1:]):
        return None
    found = [mention for mention in mentions.find(question) if not _JOINT.search(mention.text)]
    if led:
        after = re.compile(rf"\b{re.escape(led['word'])}\s+$", re.IGNORECASE)
        found = [mention for mention in found if after.search(question[: mention.start])]
        return _span(found, led["rest"])
    return _span(_like(found, new), new)


def _time_place(question: str, new: str, old: re.Match[str]) -> tuple[int, int, str]:
    led = _PREPOSITION.fullmatch(new)
    before = question[: old.start()].rstrip().rpartition(" ")[2].lower()
    if led and before == led["word"].lower():
        return old.start(), old.end(), led["rest"]
    return old.start(), old.end(), new


def _like(found: list[Mention], new: str) -> list[Mention]:
    """The mentions that are of the form of `new`: a name for a name, "my" for "my"."""
    article = new.split()[0].lower()
    if article in DETERMINERS:
        alike = [mention for mention in found if mention.text.lower().startswith(f"{article} ")]
    else:
        bare = [one for one in found if one.text.split()[0].lower() not in DETERMINERS]
        alike = [mention for mention in bare if mention.is_name == new[0].isupper()]
    kind = _kind_of(new)
    return [mention for mention in alike if mention.kind is kind] if len(alike) > 1 else alike


def _kind_of(phrase: str) -> Kind | None:
    found = mentions.find(f"about {phrase}")
    return found[0].kind if found else None


def _span(found: list[Mention], new: str) -> tuple[int, int, str] | None:
    return (found[0].start, found[0].end, new) if len(found) == 1 else None
