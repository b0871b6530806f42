"""What a rule for dates is, and the words that all of them share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

Span: TypeAlias = tuple[date, date]
"""The first and the last day that is meant."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of words, and how to read it against the day it was said on.

    The mention is the group `said`, or all that matched. The reader answers None, or raises
    ValueError or OverflowError as `date` does, when the words name no day after all.
    """

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date], Span | None]


def rule(pattern: str, read: Callable[[re.Match[str], date], Span | None]) -> Rule:
    """A rule whose words stand by themselves, in capitals or not."""
    return Rule(re.compile(rf"(?<![\w'\u2019-])(?:{pattern})(?!\w)", re.IGNORECASE), read)


WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
# "Sun", "sat" and "wed" are words: the short forms count only after "last", "on" and the like.
SHORT_WEEKDAY = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"

_MONTHS = "january february march april may june july august september october november december"
MONTHS = _MONTHS.split()
MONTH = rf"(?:{'|'.join(MONTHS)})"
SHORT_MONTH = r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"

_COUNT = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_NUMBERS = {word: number for number, word in enumerate(_COUNT.split(), start=1)} | _TENS
NUMBER = (
    rf"(?:[0-9]{{1,4}}|an?|{'|'.join(_NUMBERS)}"
    r"|(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several)"
)


def weekday_number(word: str) -> int:
    """0 for Monday, from any form that begins with its three letters."""
    return [name[:3] for name in WEEKDAYS].index(word[:3].lower())


def month_number(word: str) -> int:
    """1 for January, from any English form that begins with its three letters."""
    return [name[:3] for name in MONTHS].index(word[:3].lower()) + 1


def amount(words: str) -> tuple[int, int]:
    """The least and the most that a number can mean: "a few" is two to five."""
    word = " ".join(words.lower().split()).removeprefix("a ").removesuffix(" of")
    if word == "couple":
        return 2, 2
    if word in {"few", "several"}:
        return 2, 5
    number = 1 if word in {"a", "an"} else _NUMBERS.get(word) or int(word)
    return number, number
