"""The commonest of them in German, French and Spanish."""

import re
from datetime import date

from longterm.text.dates import calendar
from longterm.text.dates.rules import Rule, Span, rule

_DAYS = (
    {"vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2}
    | {"avant-hier": -2, "hier": -1, "aujourd'hui": 0, "demain": 1, "après-demain": 2}
    | {"anteayer": -2, "ayer": -1, "hoy": 0, "mañana": 1, "pasado mañana": 2}
)
# Its first letters tell the unit in each language.
_UNITS = (
    {"tag": "day", "jou": "day", "día": "day", "dia": "day"}
    | {"woc": "week", "sem": "week", "wee": "weekend", "fin": "weekend"}
    | {"mon": "month", "moi": "month", "mes": "month"}
    | {"jah": "year", "ann": "year", "an": "year", "ans": "year", "año": "year"}
)
_UNIT = (
    r"(?P<unit>tag(?:en)?|wochenende|wochen?|monat(?:en)?|jahr(?:en)?"
    r"|jours?|semaines?|week-?end|mois|années?|ans?|días?|semanas?|fin de semana|mes(?:es)?|años?)"
)
_NUMBERS = (
    {"ein": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6}
    | {"un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6}
    | {"una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6}
)
_NUMBER = rf"(?P<number>[0-9]{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"

_WEEKDAYS = (
    ("montag", "lundi", "lunes"),
    ("dienstag", "mardi", "martes"),
    ("mittwoch", "mercredi", "miércoles"),
    ("donnerstag", "jeudi", "jueves"),
    ("freitag", "vendredi", "viernes"),
    ("samstag", "samedi", "sábado"),
    ("sonntag", "dimanche", "domingo"),
)
_WEEKDAY_NUMBERS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names}
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAY_NUMBERS)})"

_LAST = r"(?P<last>letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?|derni(?:er|ère)|passée?|pasad[oa])"
_NEXT = r"(?P<next>nächste[nrs]?|kommende[nrs]?|prochaine?|próxim[oa]|que viene)"
_THIS = r"(?P<this>diese[nmrs]?|cette|cet?|est[ea])"

# "hier" is "here" in German: it is French only beside French words.
_FRENCH = re.compile(
    r"\b(?:je|j'ai|nous|vous|c'était|était|suis|avons|avec|soir|matin|est|été)\b", re.I
)


def _day(match: re.Match[str], today: date) -> Span | None:
    word = " ".join(match[0].split())
    near = match.string[max(0, match.start() - 60) : match.end() + 60]
    if word.lower() == "hier" and not _FRENCH.search(near):
        return None
    # "Morgen" is the morning.
    return None if word == "Morgen" else calendar.day(today, _DAYS[word.lower()])


def _unit_name(match: re.Match[str]) -> str:
    unit = match["unit"].lower()
    if unit.startswith("wochenend"):
        return "weekend"
    return _UNITS[unit[:3]]


def _which(match: re.Match[str]) -> int:
    found = match.groupdict()
    return -1 if found.get("last") else 1 if found.get("next") else 0


def _unit(match: re.Match[str], today: date) -> Span | None:
    unit = _unit_name(match)
    return None if unit == "day" else calendar.UNITS[unit](today, _which(match))


def _weekday(match: re.Match[str], today: date) -> Span:
    number = _WEEKDAY_NUMBERS[match["weekday"].lower()]
    if _which(match) < 0:
        return calendar.nearest_weekday(today, number, is_past=True)
    return calendar.weekday(today, number, _which(match))


def _ago(match: re.Match[str], today: date) -> Span:
    number = _amount(match)
    return calendar.away(today, _unit_name(match), -number, -number)


def _ahead(match: re.Match[str], today: date) -> Span:
    number = _amount(match)
    return calendar.away(today, _unit_name(match), number, number)


def _amount(match: re.Match[str]) -> int:
    word = match["number"].lower()
    return _NUMBERS[word] if word in _NUMBERS else int(word)


RULES: tuple[Rule, ...] = (
    rule(
        r"(?<!guten )(?<!heute )(?<!gestern )(?<!la )(?<!esta )(?<!jeden )"
        rf"(?:{'|'.join(sorted(_DAYS, key=len, reverse=True))})",
        _day,
    ),
    rule(rf"(?:{_LAST}|{_NEXT}|{_THIS})\s+{_UNIT}", _unit),
    rule(rf"{_UNIT}\s+(?:{_LAST}|{_NEXT})", _unit),
    rule(rf"(?:{_LAST}|{_NEXT}|{_THIS})\s+{_WEEKDAY}", _weekday),
    rule(rf"{_WEEKDAY}\s+(?:{_LAST}|{_NEXT})", _weekday),
    rule(rf"(?:vor|il y a|hace)\s+{_NUMBER}\s+{_UNIT}", _ago),
    rule(rf"(?:in|dans|dentro de)\s+{_NUMBER}\s+{_UNIT}", _ahead),
)

SIGNS = (
    *_DAYS,
    *("tag", "woche", "monat", "jahr", "jour", "semaine", "week-end", "mois", "ann", "ans"),
    *("día", "semana", "mes", "año", *_WEEKDAY_NUMBERS),
)
