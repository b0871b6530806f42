"""The options that a text offers: items of a list, headings, columns of a table, "A or B"."""

import re
from dataclasses import dataclass

from longterm.text import sentences
from longterm.text.references.lexicon import FUNCTION_WORDS

_LONGEST = 8_000
_MOST = 20
_LONGEST_LABEL = 80

_FENCED = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(
    r"(?P<indent>[ \t]{0,12})(?:#{1,6}[ \t]+)?(?:\*\*)?(?:(?:option|step|day|week|part|phase|plan"
    r"|schritt|tag)[ \t]+)?\(?(?P<mark>\d{1,2}|[a-hA-H])[.):](?:\*\*)?[ \t]+(?P<item>\S.*)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?P<indent>)(?:#{1,6}[ \t]+|(?=\*\*[^*]))(?P<item>\S.*)")
_BULLET = re.compile(r"(?P<indent>[ \t]{0,12})[-*+•–][ \t]+(?P<item>\S.*)")
_LABEL_END = re.compile(r":|[ \t][-–—(][ \t(]?|[ \t]→|(?<=[^\W\d])[.;!?](?:[ \t]|$)|,[ \t]|[ \t]\(")
_JOINED = re.compile(r",?[ \t](?:or|vs\.?|versus|oder|ou|o|oppure)[ \t]|,[ \t]")
_OR = re.compile(r"[ \t](?:or|vs\.?|versus|oder|ou|o|oppure)[ \t]")
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra|fra)[ \t]+([^,.;?!\n]{2,40}?)[ \t]+(?:and|und|et|y|e)[ \t]+"
    r"([^,.;?!\n]{2,40})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Option:
    """The name of an option, and what the text says of it."""

    label: str
    text: str


def find(text: str) -> list[Option]:
    """The options of `text`, if it offers at least two."""
    text = _FENCED.sub("", text[:_LONGEST])
    lines = text.split("\n")
    found = _table(lines)
    for pattern in (_NUMBERED, _HEADING, _BULLET):
        found = found or _items(lines, pattern)
    return (found or _in_prose(text))[:_MOST]


def _items(lines: list[str], pattern: re.Pattern[str]) -> list[Option]:
    """The last list whose items begin as `pattern` says; deeper items belong to their parent."""
    found: list[list[str]] = []
    indent, is_open = 0, False
    for line in lines:
        item = pattern.match(line)
        if item is None or (found and len(item["indent"]) > indent):
            is_open = is_open and bool(line.strip())
            if is_open:
                found[-1].append(line)
            continue
        is_open = True
        if item.groupdict().get("mark", "").lower() in {"1", "a"} or not found:
            found, indent = [], len(item["indent"])
        found.append([item["item"]])
    return [Option(label(item[0]), " ".join(item)) for item in found] if len(found) > 1 else []


def label(item: str) -> str:
    """The first words of an item, without marks and explanation."""
    plain = item.replace("**", "").replace("__", "").replace("`", "").strip()
    end = _LABEL_END.search(plain, 1)
    return (plain[: end.start()] if end else plain)[:_LONGEST_LABEL].strip(" .*")


def _table(lines: list[str]) -> list[Option]:
    """The columns of a table whose first heading is empty, else its rows."""
    rows = [
        [cell.strip(" *") for cell in line.strip().strip("|").split("|")]
        for line in lines
        if line.lstrip().startswith("|") and line.strip("|-: \t")
    ]
    if len(rows) < 2:
        return []
    if lines and not rows[0][0]:
        columns = range(1, len(rows[0]))
        return [
            Option(rows[0][at], " ".join(row[at] for row in rows if at < len(row)))
            for at in columns
        ]
    found = [Option(row[0], " ".join(row)) for row in rows[1:] if row[0]]
    return found if len(found) > 1 else []


def _in_prose(text: str) -> list[Option]:
    """The options of the last sentence with "A, B or C", "A or B" or "between A and B"."""
    for start, end in reversed(sentences.split(text)[-40:]):
        sentence = text[start:end].strip(" ?!.")
        if len(sentence) > 400:
            continue
        if between := _BETWEEN.search(sentence):
            return _trimmed(list(between.groups()))
        if _OR.search(sentence):
            return _trimmed(_JOINED.split(sentence))
    return []


def _trimmed(parts: list[str]) -> list[Option]:
    """Options without the words of the sentence before the first and after the last."""
    ends = [_run(parts[0].split()[::-1])[::-1], *(part.split() for part in parts[1:-1])]
    words = [*ends, _run(parts[-1].split())]
    if any(not 0 < len(each) <= 5 for each in words):
        return []
    return [Option(" ".join(each), " ".join(each)) for each in words]


def _run(words: list[str]) -> list[str]:
    """The words up to the first function word, of which the first one is skipped."""
    kept: list[str] = []
    for word in words[:5]:
        if word.lower().strip(".,:") not in FUNCTION_WORDS:
            kept.append(word)
        elif kept:
            break
    return kept
