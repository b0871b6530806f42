"""Dates in text, found by our own patterns and counted from the time of the message.

Months, weeks and years are ranges: "in March" is thirty-one days. A mention is resolved by itself:
what "since" or "before" makes of it is the reader's. Where English leaves it open:

- 03/05/2023 is 3 May, day first, unless only month first makes a date (12/25/2023).
- "last Tuesday" is the one before today, "next Tuesday" that of next week, weeks from Monday.
- "on Friday", "in March" and "May 3rd" lie ahead, unless the sentence speaks of the past.
- "two weeks ago" is the week that was, "the last two weeks" the days up to today.
- Seasons are those of the north; a winter belongs to the year it begins in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from longterm.text.dates import english, figures, foreign
from longterm.text.dates.rules import Rule

__all__ = ["DateMention", "known_zone", "resolve"]

# Rules, and the signs without which none of them finds anything: most messages have none.
_RULES = (
    (figures.RULES, tuple("0123456789")),
    (english.RULES, english.SIGNS),
    (foreign.RULES, foreign.SIGNS),
)


@dataclass(frozen=True, slots=True)
class DateMention:
    """Characters `start` to `end` of a text mean the days from `first` to `last`."""

    start: int
    end: int
    first: date
    last: date


def known_zone(name: str) -> str:
    """The name of a time zone, or UTC where there is none of that name; reads a file."""
    try:
        return str(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"


def resolve(text: str, *, said_at: datetime, timezone: str = "UTC") -> list[DateMention]:
    """The dates that a text mentions, in order and apart from each other.

    `said_at` has a time zone; the day it was said on is that of the speaker's `timezone`.
    """
    today = said_at.astimezone(UTC if timezone == "UTC" else ZoneInfo(timezone)).date()
    found = sorted(_mentions(text, today), key=lambda mention: (mention.start, -mention.end))
    apart: list[DateMention] = []
    for mention in found:
        if not apart or mention.start >= apart[-1].end:
            apart.append(mention)
    return apart


def _mentions(text: str, today: date) -> Iterator[DateMention]:
    lowered = text.lower()
    for rules, signs in _RULES:
        if any(sign in lowered for sign in signs):
            for rule in rules:
                yield from _read(rule, text, today)


def _read(rule: Rule, text: str, today: date) -> Iterator[DateMention]:
    said = "said" if "said" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        try:
            span = rule.read(match, today)
        except (ValueError, OverflowError):
            # 31 February, or five thousand years ago.
            continue
        if span and span[0] <= span[1]:
            yield DateMention(*match.span(said), *span)
