"""Dates that name their day, month or year: 2023-05-03, 3 May 2023, May 3rd, in 2021."""

import re
from datetime import date

from longterm.text.dates import calendar
from longterm.text.dates.rules import MONTH, SHORT_MONTH, SHORT_WEEKDAY, WEEKDAY, Rule, Span, rule
from longterm.text.dates.rules import month_number as english_month
from longterm.text.dates.tense import is_past

_YEAR = r"(?:19|20)[0-9]{2}"
_ORDINAL = r"(?:st|nd|rd|th)"

# German writes them with a capital, French and Spanish without; "mars" and "Mars" differ so.
_GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
_FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_SPANISH = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_FOREIGN = {
    name: number
    for names in (_GERMAN, _FRENCH, _SPANISH)
    for number, name in enumerate(names.split(" "), start=1)
}
_FOREIGN_MONTH = rf"(?:{'|'.join(_FOREIGN)})"

_ENGLISH = re.compile(rf"{MONTH}|{SHORT_MONTH}", re.IGNORECASE)
# Words that are months only when written so, unless a year follows.
_NEEDS_CAPITAL = re.compile(r"may|march|" + SHORT_MONTH)

_COUNTED = r"(?!\s*(?:%|:[0-9]|[ap]\.?m\b|miles?|km|people|times|hours?|minutes?|percent|of\s+us))"


def _month(word: str, *, has_year: bool) -> int | None:
    if word in _FOREIGN:
        return _FOREIGN[word]
    is_word = not has_year and _NEEDS_CAPITAL.fullmatch(word)
    return english_month(word) if _ENGLISH.fullmatch(word) and not is_word else None


def _iso(match: re.Match[str], _: date) -> Span:
    return calendar.day(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _iso_month(match: re.Match[str], _: date) -> Span:
    return calendar.month(date(int(match["year"]), int(match["month"]), 1))


def _numeric(match: re.Match[str], today: date) -> Span:
    """Day first, as most of the world writes, unless only month first makes a date."""
    first, second = int(match["first"]), int(match["second"])
    if second > 12:
        first, second = second, first
    year = int(match["year"])
    if year < 100:
        # Up to ten years ahead it is this century: nobody plans further in two digits.
        century = today.year - today.year % 100
        year += century if century + year <= today.year + 10 else century - 100
    return calendar.day(date(year, second, first))


def _day_and_month(match: re.Match[str], today: date) -> Span | None:
    year = match["year"]
    month = _month(match["month"], has_year=bool(year))
    if month is None:
        return None
    first = int(match["day"])
    last = int(match["until"] or first)
    if year:
        return date(int(year), month, first), date(int(year), month, last)
    start = calendar.nearest_date(today, month, first, is_past=is_past(match))
    return start, start.replace(day=last)


def _month_and_year(match: re.Match[str], _: date) -> Span | None:
    month = _month(match["month"], has_year=True)
    return calendar.month(date(int(match["year"]), month, 1)) if month else None


def _year(match: re.Match[str], _: date) -> Span:
    return calendar.year(date(int(match["year"]), 1, 1))


def _years(match: re.Match[str], _: date) -> Span:
    return date(int(match["year"]), 1, 1), date(int(match["until"]), 12, 31)


def _decade(match: re.Match[str], today: date) -> Span:
    number = int(match["decade"])
    if number < 100:
        number += 2000 if 2000 + number <= today.year else 1900
    return date(number, 1, 1), date(number + 9, 12, 31)


def _quarter(match: re.Match[str], _: date) -> Span:
    return calendar.months(date(int(match["year"]), 1, 1), 3 * int(match["quarter"]) - 3, 3)


def _season(match: re.Match[str], _: date) -> Span:
    return calendar.season(match["season"].lower(), int(match["year"]))


_WEEKDAY_BEFORE = rf"(?:(?:{WEEKDAY}|{SHORT_WEEKDAY})\.?,?\s+(?:the\s+)?)?"
_EDGE = r"(?![/.-][0-9])"

RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![./])(?P<year>[0-9]{4})([-/])(?P<month>[0-9]{2})\2(?P<day>[0-9]{2})"
        r"(?:T[0-9:.]+Z?)?(?![-/][0-9])",
        _iso,
    ),
    rule(rf"(?<![./])(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])(?![-/])" + _EDGE, _iso_month),
    rule(
        r"(?<![./])(?P<first>[0-9]{1,2})(?:/(?P<second>[0-9]{1,2})/(?P<year>[0-9]{4}|[0-9]{2}))"
        + _EDGE,
        _numeric,
    ),
    rule(
        r"(?<![./])(?P<first>[0-9]{1,2})([.-])(?P<second>[0-9]{1,2})\2(?P<year>[0-9]{4})" + _EDGE,
        _numeric,
    ),
    rule(
        _WEEKDAY_BEFORE + rf"(?<![.:,/])(?P<day>[0-9]{{1,2}})(?:{_ORDINAL}|er|\.)?"
        rf"(?:\s?[-–]\s?(?P<until>[0-9]{{1,2}})(?:{_ORDINAL}|\.)?)?\s+(?:of\s+|de\s+)?"
        rf"(?P<month>{MONTH}|{SHORT_MONTH}|{_FOREIGN_MONTH})\b\.?"
        rf"(?:,?\s+(?:del?\s+)?(?P<year>{_YEAR}))?",
        _day_and_month,
    ),
    rule(
        _WEEKDAY_BEFORE + rf"(?P<month>{MONTH}|{SHORT_MONTH})\.?\s+(?:the\s+)?"
        rf"(?P<day>[0-9]{{1,2}}){_ORDINAL}?(?:\s?[-–]\s?(?P<until>[0-9]{{1,2}}){_ORDINAL}?)?"
        rf"(?![\w:])(?:,?\s+(?P<year>{_YEAR}))?(?![.,/-][0-9])" + _COUNTED,
        _day_and_month,
    ),
    rule(
        rf"(?P<month>{MONTH}|{SHORT_MONTH}|{_FOREIGN_MONTH})\.?,?\s+(?:of\s+|del?\s+)?"
        rf"(?P<year>{_YEAR})" + _EDGE,
        _month_and_year,
    ),
    rule(
        rf"(?:from|between)\s+(?P<said>(?P<year>{_YEAR})\s+(?:to|and|until|till)\s+"
        rf"(?P<until>{_YEAR}))" + _EDGE,
        _years,
    ),
    rule(
        rf"(?:in|since|until|till|during|by|before|after|from|(?:the\s+)?year|early|mid|late|end\s+of"
        rf"|beginning\s+of|start\s+of|en|im\s+jahre?|seit|depuis|desde)[\s-]+(?P<said>(?P<year>{_YEAR}))"
        r"(?![-/:]|[.,][0-9]|\s*(?:%|[a-z]+s\b(?<!\bwas)(?<!\bis)))",
        _year,
    ),
    rule(
        r"(?:in|during|since|of|from|early|mid|late)[\s-]+(?:the\s+)?(?:early\s+|mid-?\s?|late\s+)?"
        r"(?P<said>'?(?P<decade>(?:19|20)?[0-9]0)'?s)",
        _decade,
    ),
    rule(rf"q(?P<quarter>[1-4])\s+(?:of\s+)?(?P<year>{_YEAR})" + _EDGE, _quarter),
    rule(
        rf"(?P<season>{'|'.join(calendar.SEASONS)})\s+(?:of\s+)?(?P<year>{_YEAR})" + _EDGE, _season
    ),
)
