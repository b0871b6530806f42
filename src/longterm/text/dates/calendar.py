"""Days, weeks, months, years and seasons, counted from a day."""

from datetime import date, timedelta

from longterm.text.dates.rules import Span

SATURDAY = 5

# Seasons of the north, by their first month; winter ends in the next year.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


def day(moment: date, offset: int = 0) -> Span:
    """The day itself, or one before or after it."""
    shifted = moment + timedelta(days=offset)
    return shifted, shifted


def week(moment: date, offset: int = 0) -> Span:
    """Monday to Sunday."""
    monday = moment - timedelta(days=moment.weekday() - 7 * offset)
    return monday, monday + timedelta(days=6)


def weekend(moment: date, offset: int = 0) -> Span:
    """Saturday and Sunday of the week."""
    monday, sunday = week(moment, offset)
    return monday + timedelta(days=SATURDAY), sunday


def month(moment: date, offset: int = 0) -> Span:
    """From the first to the last day of a month."""
    return months(moment, offset, 1)


def months(moment: date, offset: int, count: int) -> Span:
    """Several months, the first of them `offset` months away."""
    first = moment.year * 12 + moment.month - 1 + offset
    after = first + count
    # Not "the first of the next month, less a day": there is none after December 9999.
    last = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return date(first // 12, first % 12 + 1, 1), last


def year(moment: date, offset: int = 0) -> Span:
    """From 1 January to 31 December."""
    number = moment.year + offset
    return date(number, 1, 1), date(number, 12, 31)


UNITS = {"day": day, "week": week, "weekend": weekend, "month": month, "year": year}


def season(name: str, of_year: int) -> Span:
    """The three months of a season that begins in the year."""
    return months(date(of_year, SEASONS[name], 1), 0, 3)


def away(moment: date, unit: str, least: int, most: int) -> Span:
    """`least` to `most` units away, as exact as the unit: two weeks ago is a week, not a day."""
    spans = [UNITS[unit](moment, offset) for offset in (least, most)]
    return min(span[0] for span in spans), max(span[1] for span in spans)


def weekday(moment: date, number: int, weeks: int) -> Span:
    """A weekday of this week, or of one that is so many weeks away."""
    return day(week(moment, weeks)[0], number)


def nearest_weekday(moment: date, number: int, *, is_past: bool) -> Span:
    """The last or next such weekday, today not being one."""
    if is_past:
        return day(moment, -((moment.weekday() - number - 1) % 7 + 1))
    return day(moment, (number - moment.weekday() - 1) % 7 + 1)


def nearest_month(moment: date, number: int, *, is_past: bool) -> Span:
    """The last or next such month, this one counting as both."""
    distance = number - moment.month
    return month(moment, -(-distance % 12) if is_past else distance % 12)


def nearest_date(moment: date, month_number: int, day_number: int, *, is_past: bool) -> date:
    """The last or next such day of the year, today counting as both; leap days are waited for."""
    years = range(9) if not is_past else range(0, -9, -1)
    for offset in years:
        try:
            candidate = date(moment.year + offset, month_number, day_number)
        except ValueError:
            continue
        if candidate <= moment if is_past else candidate >= moment:
            return candidate
    raise ValueError("There is no such day in any year.")
