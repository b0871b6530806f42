"""When something was said, and which days it speaks of."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from longterm.recall.question import Period, Question
from longterm.text import dates
from longterm.text.dates import DateMention

# People tell of a day in the days after it, and plan it in the days before.
_CLOSE = timedelta(days=7)
_NEARBY = 0.5

# "In 2023" inside a text says little about a question for one week of it.
_WIDEST = timedelta(days=31)

# Reading all dates of one long answer in markdown took 0.9 ms, most of it for list numbers and
# words such as "week": only sentences with a sharper sign of a date are read.
_SENTENCES = re.compile(r"[^\n.!?]+(?:[.!?](?=\w)[^\n.!?]+)*")
_LONGEST = 2000
_LONGEST_SENTENCE = 200
_SIGNS = re.compile(
    r"\d{4}|\d[./-]\d|\d(?:st|nd|rd|th)\b|\b(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|yesterday|today|tonight|tomorrow|ago|gestern|heute|hier"
    r"|demain|ayer|hoy|mañana)\b|\b(?:last|next|past|this|coming)\s+(?:week|month|year|night|spring"
    r"|summer|autumn|fall|winter|few|couple|two|three)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|[年月日]",
    re.IGNORECASE,
)


def said_then(question: Question, said_at: datetime) -> float:
    """1 within a period of the question, a half within a week of one."""
    return max((_closeness(period, said_at) for period in question.periods), default=0.0)


def period_of(question: Question, said_at: datetime) -> Period | None:
    """The period of the question in which something was said."""
    return next((period for period in question.periods if _closeness(period, said_at) == 1), None)


@lru_cache(maxsize=4096)
def mentions(text: str, said_at: datetime) -> tuple[DateMention, ...]:
    """The dates of a text, from its sentences that look as if they had one."""
    found: list[DateMention] = []
    for sentence in _SENTENCES.findall(text[:_LONGEST]):
        if _SIGNS.search(sentence):
            found += dates.resolve(sentence[:_LONGEST_SENTENCE], said_at=said_at)
    return tuple(found)


def mentions_then(question: Question, found: Sequence[DateMention]) -> bool:
    """Whether one of the dates found lies in a period of the question."""
    return any(
        mention.first <= last and mention.last >= first
        for first, last in map(_days, question.periods)
        for mention in found
        if mention.last - mention.first <= max(_WIDEST, last - first)
    )


def _closeness(period: Period, said_at: datetime) -> float:
    if period.start <= said_at < period.end:
        return 1.0
    away = period.start - said_at if said_at < period.start else said_at - period.end
    return _NEARBY if away <= _CLOSE else 0.0


def _days(period: Period) -> tuple[date, date]:
    # Noon: the day meant, whatever the zone it was meant in made of its midnight.
    noon = timedelta(hours=12)
    return (period.start + noon).astimezone(UTC).date(), (period.end - noon).astimezone(UTC).date()
