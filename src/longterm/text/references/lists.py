"""The items of the newest list in an answer: numbered, bulleted, lettered, a table or inline."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longterm.text import sentences
from longterm.text.references.lexicon import FUNCTION_WORDS, VERBS

_LONGEST = 20_000
_LONGEST_ITEM = 80

_MARKED = re.compile(
    r"(?P<indent>[ \t]{0,12})(?:>[ \t]?)?(?:#{1,6}[ \t]+)?"
    r"(?:(?P<bullet>[-*+•–])[ \t]+|(?:\*\*|__)?(?:(?:option|step|day|week|part|phase|plan|tag)[ \t]+)?\(?"
    r"(?P<mark>\d{1,3}|[a-zA-Z])(?:[.)]|:)(?:\*\*)?[ \t]+)"
    r"(?P<item>\S.*)",
    re.IGNORECASE,
)
_ROW = re.compile(r"[ \t]*\|(?P<cell>[^|]*)\|.*")
_RULE = re.compile(r"[ \t]*\|[-:| \t]+")
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_EMPHASIS = re.compile(r"\*\*|__|[*`]")
_LABEL_END = re.compile(r"[:(]|[ \t][-–—][ \t]|[ \t]→|(?<=[^\W\d])[.;!?](?:[ \t]|$)|,[ \t]")

_INLINE = re.compile(r"(?:, (?:and|or|und|oder|y|o|et|ou) | (?:and|or|und|oder|et|ou) |, )")
_CONNECTED = re.compile(r",? (?:and|or|und|oder|y|o|et|ou) ")
_CAPITAL = r"[A-ZÀ-Þ][\w'-]*+"
_LINKS = r"(?: (?:de|da|do|dos|das|del|di|du|la|of|the|van|von|der))?"
_NAME_START = re.compile(rf"{_CAPITAL}(?:{_LINKS} (?:{_CAPITAL}|\d+))*")
_NAME_END = re.compile(rf"(?<![\w'-])(?:the )?{_NAME_START.pattern}$")
_INTRODUCTION = re.compile(r"^.*[:(–—]")


@dataclass(slots=True)
class _List:
    """The items so far, how deep they stand, and the line of the last."""

    items: list[str] = field(default_factory=list[str])
    indent: int = 0
    last_line: int = -1

    def add(self, item: str, line: int) -> None:
        self.items.append(label(item))
        self.last_line = line


def newest(texts: Iterable[str]) -> list[str]:
    """The items of the last list in the newest of `texts`, oldest first, that has one."""
    for whole in reversed(list(texts)):
        text = whole[-_LONGEST:]
        if items := _block(text) or _inline(text):
            return items
    return []


def written(text: str) -> list[str]:
    """The items of the last list of `text` that stands on lines of its own."""
    return _block(text[-_LONGEST:])


def together(items: Sequence[str]) -> str:
    """Items as one phrase."""
    return " and ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else items[0]


def label(item: str) -> str:
    """What an item is called: its first words, without emphasis and explanation."""
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", _CHECKBOX.sub("", item))).strip()
    cut = _LABEL_END.search(plain, 1)
    name = (plain[: cut.start()] if cut else plain).strip().rstrip(".")
    if len(name) > _LONGEST_ITEM:
        name = name[:_LONGEST_ITEM].rpartition(" ")[0] or name[:_LONGEST_ITEM]
    return name


class _Reader:
    """Reads lines, and keeps the numbered list, the bulleted list and the table apart."""

    def __init__(self) -> None:
        self.marked, self.bulleted, self.table = _List(), _List(), _List()
        self._is_below_mark = False
        self._has_text_since = True

    def read(self, number: int, line: str) -> None:
        if row := _ROW.fullmatch(line):
            self._read_row(number, line, row["cell"])
        elif item := _MARKED.fullmatch(line):
            self._read_item(number, item)
        elif line and not line[0].isspace():
            self._is_below_mark = False
            self._has_text_since = True

    def _read_row(self, number: int, line: str, cell: str) -> None:
        if _RULE.fullmatch(line):
            # What stood above the rule is the heading of the column.
            self.table = _List(last_line=number)
        elif self.table.last_line == number - 1 and label(cell):
            self.table.add(cell, number)

    def _read_item(self, number: int, item: re.Match[str]) -> None:
        indent = len(item["indent"])
        if item["bullet"]:
            if not self._is_below_mark:
                self._read_bullet(number, indent, item["item"])
            return
        place = _place(item["mark"])
        if self.marked.items and indent > self.marked.indent:
            return
        if place == 1:
            self.marked = _List(indent=indent)
        if place == len(self.marked.items) + 1:
            self.marked.add(item["item"], number)
            self._is_below_mark = True

    def _read_bullet(self, number: int, indent: int, item: str) -> None:
        if self._has_text_since:
            self.bulleted = _List(indent=indent)
            self._has_text_since = False
        if indent <= self.bulleted.indent:
            self.bulleted.add(item, number)


def _block(text: str) -> list[str]:
    reader = _Reader()
    for number, line in enumerate(text.split("\n")):
        reader.read(number, line.rstrip())
    found = [one for one in (reader.marked, reader.bulleted, reader.table) if len(one.items) > 1]
    return max(found, key=lambda one: one.last_line).items if found else []


def _place(mark: str) -> int:
    return int(mark) if mark.isdecimal() else ord(mark.lower()) - ord("a") + 1


def _inline(text: str) -> list[str]:
    """The items of the last sentence that has "A, B or C", or two names with "or"."""
    for start, end in reversed(sentences.split(text)):
        items = _in_sentence(text[start:end])
        if items:
            return items
    return []


def _in_sentence(sentence: str) -> list[str]:
    connected = _CONNECTED.search(sentence)
    if connected is None or len(sentence) > 400:
        return []
    body = _INTRODUCTION.sub("", sentence[: connected.start()]) + sentence[connected.start() :]
    parts = [part.strip(" .?!*)\"'") for part in _INLINE.split(body)]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return []
    return _trimmed(parts)


def _without_verb(name: str) -> str:
    """A name that opens a sentence, without the verb that has a capital only for that."""
    verb, _, rest = name.partition(" ")
    return rest if rest and verb.lower() in VERBS | FUNCTION_WORDS else name


def _trimmed(parts: list[str]) -> list[str]:
    """Items without the words before the first and after the last."""
    first, last = _NAME_END.search(parts[0]), _NAME_START.match(parts[-1])
    if first and last:
        items = [_without_verb(first[0]), *parts[1:-1], last[0]]
    elif len(parts) > 2:
        width = max(len(part.split()) for part in parts[1:-1])
        items = [
            " ".join(parts[0].split()[-width:]),
            *parts[1:-1],
            " ".join(parts[-1].split()[:width]),
        ]
    else:
        return []
    return items if all(len(item.split()) <= 5 for item in items) else []
