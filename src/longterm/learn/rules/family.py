"""Who belongs to the user: family and pets, by name."""

import re
from collections.abc import Iterator

from longterm.learn.rules import foreign
from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.shapes import capitalised, propose, slug, trim
from longterm.learn.rules.words import KIN, NOT_NAMES
from longterm.records.proposal import Proposal

_KINDS = {word: kind for kind, listed in KIN.items() for word in listed.split()}
_PLURALS = {
    "sons": "child", "daughters": "child", "children": "child", "kids": "child", "boys": "child",
    "girls": "child", "twins": "child", "brothers": "sibling", "sisters": "sibling",
    "siblings": "sibling", "dogs": "pet", "cats": "pet", "puppies": "pet", "kittens": "pet",
    "pets": "pet", "rabbits": "pet", "horses": "pet", "parrots": "pet", "hamsters": "pet",
    "guinea pigs": "pet", "birds": "pet", "turtles": "pet", "snakes": "pet", "ferrets": "pet",
    "goldfish": "pet",
}  # fmt: skip
_ONE = "|".join(sorted((*_KINDS, "guinea pig"), key=len, reverse=True))
_PETS = "|".join(KIN["pet"].split())
_MANY = "|".join(sorted(_PLURALS, key=len, reverse=True))
_WORDS = r"(?:(?!is\b|are\b|was\b|fav|[\w-]+'s\b)[\w'-]+ ){0,3}?"
_NAME = r"(?-i:[A-ZÀ-Þ])[\w'-]+"
_OURS = rf"(?:my|our) (?!ex\b|ex-|late\b|friend|neighbou?r|boss){_WORDS}"
_NAMED = re.compile(
    "(?i)(?:"
    + "|".join(
        [
            rf"(?:{_OURS}|(?=(?:wife|husband|son|daughter|dog|cat|partner)'?s name))(?P<kin>{_ONE})(?:'s name(?:'s| is)|s name is|(?:'s|s)?(?: is)? (?:called|"
            r"named)) (?P<name>.+)",
            rf"{_OURS}(?P<kin2>{_ONE}) is (?P<name2>{_NAME})$",
            rf"{_OURS}(?P<kin3>{_ONE})(?: (?P<name3>{_NAME})(?:,? .+)?|, (?P<name7>{_NAME}),(?! and\b).*)$",
            r"(?:i|we)(?: also| just| recently)?(?: have|'ve|'ve got| have got| adopted| got| own)"
            rf" (?:an?|one) {_WORDS}"
            rf"(?P<kin4>{_ONE})(?:,| who is| who's| that is| that's)?"
            r"(?P<called>(?: called| named|'s name is| by the name of|,?(?: and)? (?:his|her|its|"
            r"their) name(?:'s| is))?) (?P<name4>.+)",
            rf"{_OURS}(?P<kin8>{_PETS}), (?P<name8>{_NAME})$",
            rf"(?P<name5>{_NAME}) is my {_WORDS}(?P<kin5>{_ONE})$",
            r"(?:i'm|im|i am|i(?:'ve| have)? (?:just |recently )?(?:got|gotten))(?: happily| now| recently)?"
            r" (?:married|engaged) to (?:my"
            rf" {_WORDS}(?P<kin6>{_ONE}) )?"
            rf"(?P<name6>{_NAME})(?:,? .*)?$",
        ]
    )
    + ")"
)
_CALLED = re.compile(r"(?i)\b(?:called|named|name is|name's)\b")
_SEVERAL = re.compile(
    r"(?i)(?:(?:i|we)(?:'ve| have|'ve got| have got| also have)+ (?:\w+"
    rf" ){{0,3}}?(?P<kin>{_MANY})(?:,| named| called| -|:)+ "
    rf"|(?:my|our) (?:\w+ ){{0,2}}?(?P<kin2>{_MANY})(?: are|' names are|'s names are| names"
    r" are)(?: called| named)? "
    rf"|(?:my|our) (?:\w+ ){{0,2}}?(?P<kin3>{_MANY}),? (?=(?-i:[A-ZÀ-Þ])[\w'-]+ (?:and|&)"
    r" (?-i:[A-ZÀ-Þ])))(?P<names>.+)"
)
# "I took my dog Rex to the vet": named in passing, whatever the clause is about.
_IN_PASSING = re.compile(
    rf"(?i)(?<!naming )(?<!name )(?<!call )(?<!calling )\b(?:my|our) (?:(?:oldest|older|youngest|younger|little|big|old) )?(?P<kin>{_ONE}) "
    rf"(?P<name>{_NAME})(?!-)"
)
# "I have a son named Leo and a daughter named Ida".
_AND_ANOTHER = re.compile(
    rf"(?i)\band (?:an?|one) {_WORDS}(?P<kin>{_ONE})(?:,? (?:called|named)|,) (?P<name>{_NAME})"
)
_COUNTED = re.compile(
    r"(?i)(?:i|we)(?:'ve| have|'ve got| have got| also have| am the (?:mother|father|mom|"
    r"dad) of|'m a (?:mom|mother|dad|father) of)+ (?P<value>(?:two|three|four|five|six|"
    r"seven|\d|a couple of|twin)"
    rf" (?:[\w-]+ )?(?:{_MANY}))(?=$|,| and\b| at\b| who\b| under\b| aged\b| ages\b| with\b)"
)
_UNNAMED = re.compile(
    r"(?i)(?:i|we)(?:'ve| have|'ve got| have got| also have| own)+ (?:an?|one)"
    rf" (?P<value>(?:[\w'-]+ ){{0,3}}?(?:{'|'.join(KIN['pet'].split())}|guinea pig|"
    r"daughter|son|baby|brother|sister))(?=$|,| and\b| who\b| at\b| that\b)"
)
_MARRIED = re.compile(
    r"(?i)(?:(?:i|we)(?:'ve| have) been(?= (?:happily )?married (?:for|since|\d))|i'm|im|i am|(?:i|we)(?:'ve| have)?(?: (?:just|recently))? got)"
    r"(?: (?:happily|now|recently|newly|also|still))*"
    r" (?P<value>married|divorced|engaged|widowed)(?=$|,| with\b| and\b| for\b| since\b| \d)"
)


def read(clause: Clause) -> Iterator[Proposal]:
    """Propose the family and the pets that the clause names."""
    found = _NAMED.match(clause.text) or _IN_PASSING.search(clause.text)
    named = list(_one(clause, found)) if found else []
    if found and named:
        for other in _AND_ANOTHER.finditer(clause.text):
            named += _one(clause, other)
        yield from named
        return
    abroad = foreign.NAMED.match(clause.text)
    if abroad:
        kin = abroad["kin"] or abroad["kin2"]
        yield _kin(clause, foreign.RELATIVES[kin.lower()], kin, abroad["name"])
    found = _SEVERAL.match(clause.text)
    if found:
        kin = next(filter(None, (found["kin"], found["kin2"], found["kin3"]))).lower()
        for name in _names(found["names"]):
            kind = _PLURALS[kin]
            yield _propose(clause, f"{kind}:{slug(name)}", f"{name} ({kin})", 0.85)
        return
    yield from _unnamed(clause)


def _one(clause: Clause, found: re.Match[str]) -> Iterator[Proposal]:
    groups = found.groupdict()
    kin = next((text for name, text in groups.items() if name.startswith("kin") and text), None)
    captured = next(text for name, text in groups.items() if name.startswith("name") and text)
    kin = " ".join((kin or "").lower().split())
    kind = _KINDS.get(kin, "pet") if kin else "spouse"
    name = _name(captured, lower=bool(groups.get("called") or _CALLED.search(found[0])))
    if name:
        yield _kin(clause, kind, kin, name)


def _kin(clause: Clause, kind: str, kin: str, name: str) -> Proposal:
    key = kind if kind in {"spouse", "mother", "father"} else f"{kind}:{slug(name)}"
    return _propose(clause, key, f"{kin} {name}".strip(), 0.85)


def _unnamed(clause: Clause) -> Iterator[Proposal]:
    counted = _COUNTED.match(clause.text)
    if counted:
        word = counted["value"].split()[-1].lower()
        kind = _PLURALS.get(word, "pet")
        key = {"child": "children", "sibling": "siblings", "pet": f"pet:{slug(word)}"}[kind]
        yield _propose(clause, key, counted["value"], 0.8)
    unnamed = _UNNAMED.match(clause.text)
    if unnamed and not re.search(r"(?i)\b(?:hot|mouse pad|big day)\b", unnamed["value"]):
        word = unnamed["value"].split()[-1].lower()
        kind = _KINDS.get(word, "pet")
        key = {"child": "children", "sibling": "siblings"}.get(kind, f"pet:{slug(word)}")
        yield _propose(clause, key, unnamed["value"], 0.8)
    married = _MARRIED.match(clause.text)
    if married:
        yield _propose(clause, "relationship", married["value"], 0.8)


_AFTER_NAMES = re.compile(
    r"\s+(?:who|which|that|aged|they|both|from|at|in|are|is|love|hate)\b.*|,\s+(?!and\b)[a-z].*"
)


def _names(captured: str) -> list[str]:
    listed = _AFTER_NAMES.sub("", captured)
    parts = [part for part in re.split(r"\s*,\s*(?:and )?|\s+(?:and|&)\s+", listed) if part]
    named = [_name(part, lower=False) for part in parts]
    return [name for name in named if name] if all(named) else []


def _name(captured: str, *, lower: bool) -> str:
    text = trim(captured)
    name = capitalised(text, 3)
    if not name and lower:
        word = re.match(r"[^\W\d_][\w'-]*(?=$|,|\s+(?:and|who|but|she|he)\b)", text)
        name = word[0] if word else ""
    return (
        ""
        if not name
        or name.split()[0].casefold() in NOT_NAMES - {"april", "june", "august", "leo", "gemini"}
        else name
    )


def _propose(clause: Clause, key: str, value: str, confidence: float) -> Proposal:
    return propose(clause, "identity", key, value, confidence=confidence, importance=0.7)
