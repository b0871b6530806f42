"""Dates that count from the day they are said on: yesterday, last Tuesday, two weeks ago."""

import re
from datetime import date

from longterm.text.dates import calendar
from longterm.text.dates.rules import (
    MONTH,
    MONTHS,
    NUMBER,
    SHORT_WEEKDAY,
    WEEKDAY,
    WEEKDAYS,
    Rule,
    Span,
    amount,
    month_number,
    rule,
    weekday_number,
)
from longterm.text.dates.tense import is_past

_DAYS = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "yesterday": -1,
    "last night": -1,
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
}
_OFFSETS = {"last": -1, "previous": -1, "this": 0, "next": 1}
_UNIT = r"(?P<unit>day|weekend|week|month|year)"
_WHICH = r"(?P<which>last|previous|this\s+past|this\s+coming|this|next)"
_DAY_NAME = rf"(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})"
_SEASON = rf"(?P<season>{'|'.join(calendar.SEASONS)})"

# "Black Friday" and the like have dates of their own; "every Friday" and "Fridays" have none.
_NOT_NAMED = r"(?<!black )(?<!good )(?<!cyber )(?<!ash )(?<!every )(?<!each )(?<!easter )(?<!palm )"


def _offset(match: re.Match[str]) -> int:
    words = match["which"].lower().split()
    if words[-1] in {"past", "coming"}:
        return -1 if words[-1] == "past" else 1
    return _OFFSETS[words[0]]


def _day(match: re.Match[str], today: date) -> Span:
    return calendar.day(today, _DAYS[" ".join(match[0].lower().split())])


def _unit(match: re.Match[str], today: date) -> Span | None:
    unit = match["unit"].lower()
    offset = _offset(match)
    if unit == "weekend" and match["which"].lower().endswith("coming"):
        offset = 0
    return None if unit == "day" else calendar.UNITS[unit](today, offset)


def _second_next(match: re.Match[str], today: date) -> Span:
    offset = -2 if match["side"].lower() == "before last" else 2
    return calendar.UNITS[match["unit"].lower()](today, offset)


def _rolling(match: re.Match[str], today: date) -> Span:
    """The last two weeks: the days up to today. The next two: the days from today."""
    _, most = amount(match["number"] or "one")
    unit = match["unit"].lower()
    is_back = match["side"].lower() in {"last", "past"}
    edge = _same_day(today, unit, -most if is_back else most)
    return (edge, today) if is_back else (today, edge)


def _same_day(today: date, unit: str, offset: int) -> date:
    """The same day of another week, month or year, or the last one before it that there is."""
    if unit in {"day", "week"}:
        return calendar.day(today, offset * (7 if unit == "week" else 1))[0]
    first, last = calendar.month(today, offset * (12 if unit == "year" else 1))
    return first.replace(day=min(today.day, last.day))


def _ago(match: re.Match[str], today: date) -> Span:
    least, most = amount(match["number"])
    return calendar.away(today, match["unit"].lower(), -least, -most)


def _ahead(match: re.Match[str], today: date) -> Span | None:
    # "In two days I had read it" and "the first time in two years" are no dates.
    if is_past(match):
        return None
    least, most = amount(match["number"])
    return calendar.away(today, match["unit"].lower(), least, most)


def _which_weekday(match: re.Match[str], today: date) -> Span:
    """Last: the one before today. This: of this week. Next: of next week."""
    number = weekday_number(match["weekday"])
    words = match["which"].lower().split()
    if words[0] in {"last", "previous"} or words[-1] == "past":
        return calendar.nearest_weekday(today, number, is_past=True)
    if words[-1] == "coming":
        return calendar.nearest_weekday(today, number, is_past=False)
    return calendar.weekday(today, number, _offset(match))


def _weekday_of_week(match: re.Match[str], today: date) -> Span:
    return calendar.weekday(today, weekday_number(match["weekday"]), _offset(match))


def _some_weekday(match: re.Match[str], today: date) -> Span:
    number = weekday_number(match["weekday"])
    return calendar.nearest_weekday(today, number, is_past=is_past(match))


def _which_month(match: re.Match[str], today: date) -> Span | None:
    number = month_number(match["month"])
    if _is_word(match["month"]):
        return None
    offset = _offset(match)
    if offset == 0:
        return calendar.month(today.replace(day=1, month=number))
    # Said in March, "last March" is a year ago.
    start = calendar.month(today, offset)[0]
    return calendar.nearest_month(start, number, is_past=offset < 0)


def _some_month(match: re.Match[str], today: date) -> Span | None:
    if _is_word(match["month"]):
        return None
    return calendar.nearest_month(today, month_number(match["month"]), is_past=is_past(match))


def _is_word(month: str) -> bool:
    return month in {"may", "march"}


def _which_season(match: re.Match[str], today: date) -> Span:
    """Last: the one that ended last. Next: the one that begins next. This: of this year."""
    name, offset = match["season"].lower(), _offset(match)
    if offset == 0:
        return calendar.season(name, today.year)
    spans = [calendar.season(name, today.year + years) for years in (-2, -1, 0, 1)]
    if offset < 0:
        return max(span for span in spans if span[1] < today)
    return min(span for span in spans if span[0] > today)


def _day_of_month(match: re.Match[str], today: date) -> Span:
    number = int(match["day"])
    step = -1 if is_past(match) else 1
    for offset in (0, step, 2 * step):
        first, last = calendar.month(today, offset)
        if number <= last.day and (first.replace(day=number) - today).days * step >= 0:
            return calendar.day(first.replace(day=number))
    raise ValueError("There is no such day near.")


def _month_of_year(match: re.Match[str], today: date) -> Span | None:
    if _is_word(match["month"]):
        return None
    year = calendar.year(today, _offset(match))[0]
    return calendar.month(year.replace(month=month_number(match["month"])))


RULES: tuple[Rule, ...] = (
    rule("|".join(day.replace(" ", r"\s+") for day in sorted(_DAYS, key=len, reverse=True)), _day),
    rule(rf"(?:the\s+)?{_UNIT}\s+(?P<side>before\s+last|after\s+next)", _second_next),
    rule(
        rf"(?:the|these|in|over|during)\s+(?P<said>(?P<side>last|past|next|coming)\s+"
        rf"(?P<number>{NUMBER}\s+)?(?P<unit>day|week|month|year)s?)(?!\s+of\b)",
        _rolling,
    ),
    rule(
        rf"(?P<side>last|past|next)\s+(?P<number>{NUMBER}\s+)(?P<unit>day|week|month|year)s",
        _rolling,
    ),
    rule(rf"{_WHICH}\s+{_UNIT}(?!\s+of\b)(?!-)", _unit),
    rule(rf"(?P<number>{NUMBER})\s+{_UNIT}s?\s+(?:ago|back)", _ago),
    rule(
        rf"(?<!time )in\s+(?P<said>(?P<number>{NUMBER})\s+{_UNIT}s?)(?:['\u2019]s?)?(?!\s+of\b)(?!-)",
        _ahead,
    ),
    rule(rf"(?P<number>{NUMBER})\s+{_UNIT}s?\s+from\s+(?:now|today)", _ahead),
    rule(rf"{_WHICH}\s+{_DAY_NAME}", _which_weekday),
    rule(rf"(?P<weekday>{WEEKDAY})\s+(?:of\s+)?{_WHICH}\s+week", _weekday_of_week),
    rule(rf"{_WHICH}\s+week,?\s+(?:on\s+)?(?P<weekday>{WEEKDAY})", _weekday_of_week),
    rule(
        rf"(?:on|by|since|until|till|before|after|for|from|you)\s+{_NOT_NAMED}(?P<said>{_DAY_NAME})"
        r"(?!\s+(?:the\s+[0-9]|last|next|this))",
        _some_weekday,
    ),
    rule(rf"(?P<month>{MONTH}),?\s+(?:of\s+)?{_WHICH}\s+year", _month_of_year),
    rule(rf"{_WHICH}\s+(?P<month>{MONTH})(?!\s+[0-9])", _which_month),
    rule(
        rf"(?:in|since|until|till|during|by|early|mid|late|of|for)[\s-]+(?:early\s+|mid-?\s?|late\s+)?"
        rf"(?P<said>(?P<month>{MONTH}))(?!\s+[0-9])(?!\s+(?-i:[A-Z])[a-z])",
        _some_month,
    ),
    rule(rf"{_WHICH}\s+{_SEASON}(?!\s+(?:break|of\b))", _which_season),
    rule(
        r"on\s+(?P<said>the\s+(?P<day>[0-9]{1,2})(?:st|nd|rd|th))"
        r"(?=\s*(?:[.,;!?)]|$|at\b|i\b|we\b|and\b|because\b|so\b))",
        _day_of_month,
    ),
)

SIGNS = (
    *("day", "night", "morning", "afternoon", "evening", "tomorrow", "week", "month", "year"),
    *("last", "next", "this", "on the", *MONTHS, *calendar.SEASONS),
    *(name[:3] for name in WEEKDAYS),
)
