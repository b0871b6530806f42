"""Whether a sentence speaks of the past: "on Friday I went" and "on Friday I go" are a week apart."""

import re

_BEFORE = 120
_AFTER = 80
_BOUNDARY = re.compile(r"[.!?\n]\s|\n")

_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|plan(?:s|ning)? (?:to|on)|let's|tomorrow|next|upcoming"
    r"|looking forward|can't wait|want to|have to|need to|hope to|'ll|i'm \w+ing|we're \w+ing)\b|'ll\b",
    re.IGNORECASE,
)

_PAST = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|did|didn't|went|got|saw|met|came|took|made|said|told|bought"
    r"|ate|drank|gave|found|felt|left|lost|won|ran|began|became|broke|brought|built|caught|chose"
    r"|drove|fell|flew|forgot|grew|heard|held|kept|knew|led|paid|sent|slept|sold|spoke|spent|stood"
    r"|swam|taught|thought|threw|woke|wore|wrote|been|done|gone|seen|ago|yesterday|since"
    r"|(?!need|feed|seed|speed|indeed|hundred|sacred|naked|wicked|proceed|succeed|exceed|embed)"
    r"[a-z]{2,20}ed)\b",
    re.IGNORECASE,
)


def is_past(match: re.Match[str]) -> bool:
    """Whether the sentence around the match has words of the past and none of the future."""
    sentence = _sentence(match)
    return bool(_PAST.search(sentence)) and not _FUTURE.search(sentence)


def _sentence(match: re.Match[str]) -> str:
    text, (start, end) = match.string, match.span()
    before = _BOUNDARY.split(text[max(0, start - _BEFORE) : start])[-1]
    after = _BOUNDARY.split(text[end : end + _AFTER], maxsplit=1)[0]
    return f"{before}{match[0]}{after}"
