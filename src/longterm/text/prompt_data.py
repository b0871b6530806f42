"""What memory puts into a prompt: data, one line for each item, between marks that it can't end."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

OPEN, CLOSE = "<longterm-memory>", "</longterm-memory>"

# Direction marks, embeddings, overrides and isolates; annotations; the byte order mark; tags,
# which nobody sees and a model reads. The joiners of emoji and of Persian (U+200C, U+200D) stay.
_HIDDEN_RANGES = (
    (0x061C, 0x061C),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
_HIDDEN = {code: None for first, last in _HIDDEN_RANGES for code in range(first, last + 1)}
_LINE_ENDS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
_UNWANTED: dict[int, str | None] = {**_HIDDEN, **_LINE_ENDS}
_KEPT_IN_TEXT = {ord("\n"): "\n", ord("\t"): "\t"}

# What begins or ends a part of our prompts, in any case, with blanks or without.
_MARK = re.compile(r"<(?= ?/? ?(?:longterm-memory|(?:messages|chat|earlier)\b))", re.IGNORECASE)


def one_line(text: str) -> str:
    """The text on one line, without control characters and those that change its direction."""
    return " ".join(text.translate(_UNWANTED).split())


def has_unwanted(text: str) -> bool:
    """Whether a text has control characters, or such that change its direction."""
    return text.translate(_UNWANTED) != text


def item(text: str) -> str:
    """The text as it may stand in a prompt: on one line, and no mark of ours in it."""
    return _MARK.sub("(", one_line(text))


def passage(text: str) -> str:
    """The same for a text whose lines mean something, where the format keeps them inside."""
    cleaned = text.translate({**_UNWANTED, **_KEPT_IN_TEXT})
    return _MARK.sub("(", cleaned)


def items_in(value: Any) -> Any:
    """A JSON value with every text in it as an item."""
    if isinstance(value, str):
        return item(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return {item(key): items_in(inner) for key, inner in pairs}
    if isinstance(value, list | tuple):
        return [items_in(inner) for inner in cast("Sequence[Any]", value)]
    return value


def block(title: str, lines: Sequence[str]) -> str:
    """Lines as a part of a prompt; empty when there are none.

    The title is ours, says that what follows is data, and may have several lines. Each of `lines`
    is made an item here, whoever made it.
    """
    if not lines:
        return ""
    return "\n".join((OPEN, title, *map(item, lines), CLOSE))
