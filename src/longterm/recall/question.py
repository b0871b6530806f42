"""What a question asks: the words and the meaning to look for, about whom, and about when."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from longterm.recall import asker
from longterm.recall.asker import Asked
from longterm.text import dates, words

_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|«([^»\n]{2,80})»")

_ASKS_WHEN = re.compile(
    r"\b(?:when|(?:what|which)\s+(?:date|day|month|year|week|time)|how\s+(?:long|recently)"
    r"|since\s+when|wann|quand|quando|cuándo)\b",
    re.IGNORECASE,
)

# What asks for a moment without asking about it: "how did Ana feel when she won?"
_WHEN_INSIDE = re.compile(
    r"(?!^)\bwhen\b(?!\s+(?:did|does|do|is|are|was|were|will|has|have|had)\b)", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The time from `start` up to, and not including, `end`."""

    start: datetime
    end: datetime
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query, understood."""

    text: str
    forms: tuple[str, ...]
    """What to embed: the similarity of a passage is the best of these."""
    terms: dict[str, float]
    """Stems to look for in the index of words, with their weights."""
    phrases: tuple[str, ...] = ()
    asked: Asked = field(default_factory=Asked)
    periods: tuple[Period, ...] = ()
    asks_when: bool = False


def understand(
    query: str, *, speakers: Collection[str], said_at: datetime, timezone: str = "UTC"
) -> Question:
    """Read a query that was asked at `said_at`, by whoever `timezone` belongs to.

    `speakers` are the names of those who speak in the conversations that are searched.
    """
    asked = asker.read(query, speakers)
    return Question(
        text=query,
        forms=(asker.in_first_person(query, asked) or query,),
        terms=dict.fromkeys(words.query_terms(query), 1.0),
        phrases=tuple(
            words.folded(next(filter(None, found))).strip() for found in _QUOTED.findall(query)
        ),
        asked=asked,
        periods=_periods(query, said_at, timezone),
        asks_when=bool(_ASKS_WHEN.search(query)) and not _WHEN_INSIDE.search(query),
    )


def _periods(query: str, said_at: datetime, timezone: str) -> tuple[Period, ...]:
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)
    found: list[Period] = []
    for mention in dates.resolve(query, said_at=said_at, timezone=timezone):
        try:
            first = datetime(
                mention.first.year, mention.first.month, mention.first.day, tzinfo=zone
            )
            last = datetime(mention.last.year, mention.last.month, mention.last.day, tzinfo=zone)
            found.append(
                Period(
                    start=first.astimezone(UTC),
                    end=(last + timedelta(days=1)).astimezone(UTC),
                    said=query[mention.start : mention.end],
                )
            )
        except OverflowError:
            # The first or the last year of the calendar, moved by a time zone.
            continue
    return tuple(found)
