"""A rule, what it makes of a clause, and which captured words make a value."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cache

from longterm.learn.rules.clauses import Clause
from longterm.learn.rules.masking import MASK
from longterm.records.proposal import Category, Proposal

Accept = Callable[[str], list[str]]

_LONGEST_VALUE = 120
_LONGEST_KEY = 48


def whole(captured: str) -> list[str]:
    """Take what was captured, when it is nothing but words."""
    value = trim(captured)
    return [value] if value else []


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern anchored at the start of a clause, in any case; its group `v` holds the value.

    `{}` in the key stands for the value, `{name}` for another group, both as slugs.
    """

    pattern: str
    category: Category
    key: str
    accept: Accept = whole
    _: KW_ONLY
    confidence: float = 0.9
    importance: float = 0.6
    prefix: str = ""

    def read(self, clause: Clause) -> Iterator[Proposal]:
        """Propose what the clause says, nothing when it says something else."""
        found = _compiled(self.pattern).match(clause.text)
        if found is None:
            return
        groups = {name: slug(text or "") for name, text in found.groupdict().items()}
        prefix = f"{found[self.prefix].lower()} " if self.prefix else ""
        for value in self.accept(found["v"]):
            key = self.key.format(slug(value), **groups)
            yield propose(
                clause,
                self.category,
                key,
                prefix + value,
                confidence=self.confidence,
                importance=self.importance,
            )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile when it is used: all take a sixth of a second, and many programs learn nothing."""
    return re.compile(pattern, re.IGNORECASE)


def apply(rules: Iterable[Rule], clause: Clause) -> Iterator[Proposal]:
    """Read the clause with each rule."""
    for each in rules:
        yield from each.read(clause)


def propose(
    clause: Clause,
    category: Category,
    key: str,
    value: str,
    *,
    confidence: float,
    importance: float,
) -> Proposal:
    """A proposal that rests on the clause."""
    return Proposal(
        category=category,
        key=key,
        value=" ".join(value.split()),
        confidence=confidence,
        importance=importance,
        start=clause.start,
        end=clause.end,
        correction=clause.correction,
        ended=clause.ended,
    )


_ARTICLE = re.compile(
    r"(?i)^(?:an?|the|my|some|all|any|der|die|das|le|la|les|l'|el|los|las|o|os|i|il|lo|"
    r"gli)[\s']+"
)
_NOT_SLUG = re.compile(r"[^\w+#]+")


def slug(text: str) -> str:
    """Name the words as part of a key: `dark chocolate` is `dark_chocolate`."""
    plain = _ARTICLE.sub("", text.casefold().replace("'", ""))
    return _NOT_SLUG.sub("_", plain).strip("_")[:_LONGEST_KEY].strip("_")


_TAIL = re.compile(
    r"""(?ix) [\s,]+ (?:
        right\snow | now | sort\sof | kind\sof | at\sall | atm | rn | currently | nowadays | these\sdays |
            too | as\swell | also | btw |
        by\sthe\sway | actually | though | lol | haha+ | please | thanks | thank\syou | so\smuch |
        a\slot | very\smuch | the\smost | more\sthan\sanything | most\sof\sall | as\syou\sknow |
        fyi | tbh | to\sbe\shonest | honestly | so\sfar | in\sgeneral | by\snow | instead | anyway |
        in\sfact | after\sall | myself | just\sso\syou\sknow | if\sthat\shelps | obviously |
        unfortunately | luckily | especially\b.* | not\s.* | but\b.* | because\b.* | so\b.* |
            since\b.* |
        although\b.* | while\b.* | which\b.* | who\b.* | where\b.* | rather\sthan\b.* |
        instead\sof\b.* | more\sthan\b.* | for\s(?:now|(?:over\s|about\s|almost\s|nearly\s|
        more\sthan\s|the\s(?:last|past)\s)?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|
        ten|many|several|some|twenty|fifteen)\s(?:years?|months?|weeks?|decades?|days?|while)\b.*|
        years\b.*|ages\b.*|decades\b.*|a\sliving)
    ) $"""
)
_MOST_TAILS = 3


def trim(text: str) -> str:
    """Cut what follows a value without belonging to it."""
    for _ in range(_MOST_TAILS):
        shorter = _TAIL.sub("", text)
        if shorter == text:
            break
        text = shorter
    text = text.strip(" ,.!:'\"*_~-")
    return "" if MASK in text or len(text) > _LONGEST_VALUE else text


_LIST = re.compile(
    r"(?i)\s*,\s*(?:and |or |& |und |et |y |e )?|\s+(?:and|or|&|as well as|und|et|y|e|ou|"
    r"o)\s+"
)
_TOGETHER = re.compile(
    r"(?i)\b(?:mac and cheese|rock and roll|rock & roll|salt and|bread and butter|fish and chips|"
    r"arts and crafts|drum and bass|peanut butter and|science and tech|dungeons|r&b|"
    r"black and white|cookies and cream|track and field|food and drink|between)\b"
)


def several(captured: str) -> list[str]:
    """Split an enumeration into its members."""
    text = trim(captured)
    if not text:
        return []
    if _TOGETHER.search(text):
        return [text]
    return [part for part in map(trim, _LIST.split(text)) if part]


_PARTICLES = frozenset(
    [
        "de",
        "da",
        "do",
        "dos",
        "van",
        "von",
        "der",
        "den",
        "di",
        "del",
        "la",
        "le",
        "bin",
        "al",
        "el",
        "ten",
        "st",
    ]
)
_TITLES = frozenset({"Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St."})


def capitalised(text: str, most: int = 4) -> str:
    """The leading words of a proper noun."""
    taken: list[str] = []
    for word in text.split()[:most]:
        plain = word if word in _TITLES else word.strip(",.()!")
        proper = plain[:1].isupper() or (bool(taken) and plain.casefold() in _PARTICLES)
        if not proper:
            break
        taken.append(plain)
        if word != plain:
            break
    while taken and taken[-1].casefold() in _PARTICLES and taken[-1].islower():
        taken.pop()
    return " ".join(taken)
