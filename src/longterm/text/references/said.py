"""What the assistant said: "what you said about X", "the X you mentioned", "your earlier idea"."""

import re
from collections.abc import Callable, Iterator

from longterm.text.references.edits import Edit, masked

_TOLD = (
    r"(?:said|told\s+me|mentioned|suggested|recommended|wrote|explained|proposed|listed|named"
    r"|described|advised|gave\s+me)"
)

_EARLIER = re.compile(
    r"\byour\s+(?P<when>earlier|previous|last|first|original)\s+(?P<noun>suggestion|answer"
    r"|recommendation|idea|advice|point|reply|message|list|plan|example|explanation)"
    r"(?P<many>s?)\b",
    re.IGNORECASE,
)

_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            rf"\b(?P<lead>what|as|like|everything|anything|the\s+[^\W_]+(?:\s+[^\W_]+){{0,3}}?)"
            rf"\s+(?:that\s+|which\s+)?you(?:\s+had|['\u2019]d)?(?:\s+just)?\s+(?P<told>{_TOLD})\b",
            re.IGNORECASE,
        ),
        lambda match: f"{match['lead']} the assistant {match['told']}",
    ),
    (
        re.compile(
            r"\b(?P<lead>what)\s+did\s+you\s+(?P<told>say|tell\s+me|mention|suggest|recommend"
            r"|write|advise)\b",
            re.IGNORECASE,
        ),
        lambda match: f"{match['lead']} did the assistant {match['told']}",
    ),
    (
        _EARLIER,
        lambda match: f"the assistant's {match['when']} {match['noun']}{match['many']}",
    ),
    (
        re.compile(r"\bwas\s+du\s+(?P<what>über\s+[^?.!\n]{1,60}?)\s+gesagt\s+hast\b", re.I),
        lambda match: f"was der Assistent {match['what']} gesagt hat",
    ),
    (
        re.compile(r"\blo\s+que\s+(?:me\s+)?dijiste\b", re.IGNORECASE),
        lambda _: "lo que dijo el asistente",
    ),
    (
        re.compile(r"\bce\s+que\s+(?:tu\s+as|vous\s+avez)\s+dit\b", re.IGNORECASE),
        lambda _: "ce que l'assistant a dit",
    ),
)


def find(query: str) -> list[Edit]:
    """The words of `query` that mean the assistant, made to say so."""
    found = sorted(_edits(masked(query)), key=lambda edit: edit.start)
    return [edit for at, edit in enumerate(found) if not at or edit.start >= found[at - 1].end]


def names_what(query: str) -> bool:
    """Whether more is said than "your earlier suggestion" to find it by."""
    return not _EARLIER.search(query)


def _edits(text: str) -> Iterator[Edit]:
    for pattern, rewritten in _FORMS:
        for match in pattern.finditer(text):
            yield Edit(match.start(), match.end(), rewritten(match))
