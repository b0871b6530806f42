"""Relative dates become dates, by code: "tomorrow" in a memory is wrong a day later."""

import re
from datetime import date, datetime, timedelta

from longterm.text import dates

_LONGEST_MONTH = 31

# What counts from the day it is said on. Not "in March" or "May 3rd": those would get a year
# that nobody said. Not "on Friday": that is a habit as often as a day.
_RELATIVE = re.compile(
    r"""(?ix)\b(?:today|tonight|yesterday|tomorrow|last|next|this|past|coming|previous|ago|
    in\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?)|
    heute|gestern|morgen|vorgestern|übermorgen|letzte\w*|nächste\w*|vor|
    hoy|ayer|mañana|anteayer|pasad[oa]|próxim[oa]|hace|
    aujourd'hui|hier|demain|dernier|dernière|prochain|prochaine|il\ y\ a|
    oggi|ieri|domani|scors[oa]|prossim[oa]|fa|
    hoje|ontem|amanhã|passad[oa]|há|
    vandaag|gisteren|vorige|volgende|geleden)\b"""
)


def absolute(value: str, *, said_at: datetime, timezone: str = "UTC") -> str:
    """The same words with each relative date in figures; others stay as they were said."""
    parts: list[str] = []
    done = 0
    for mention in dates.resolve(value, said_at=said_at, timezone=timezone):
        if _RELATIVE.search(value, mention.start, mention.end):
            parts += [value[done : mention.start], figures(mention.first, mention.last)]
            done = mention.end
    return "".join([*parts, value[done:]])


def figures(first: date, last: date) -> str:
    """A day as 2026-03-01, a month as 2026-03, a year as 2026, else both ends."""
    if first == last:
        return first.isoformat()
    after = last + timedelta(days=1)
    if (first.day, first.month, after) == (1, 1, date(first.year + 1, 1, 1)):
        return f"{first:%Y}"
    is_month = first.day == after.day == 1 and (after - first).days <= _LONGEST_MONTH
    return f"{first:%Y-%m}" if is_month else f"{first.isoformat()} to {last.isoformat()}"
