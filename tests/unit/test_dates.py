"""Time: "last Tuesday" becomes a date, from the time of the message."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.text import dates

# A Wednesday.
SAID_AT = datetime(2023, 5, 17, 12, 0, tzinfo=UTC)


def resolved(text: str, said_at: datetime = SAID_AT, timezone: str = "UTC") -> list[str]:
    """Each mention as `words = first` or `words = first..last`."""
    return [
        f"{text[mention.start : mention.end]} = {mention.first}"
        + (f"..{mention.last}" if mention.last != mention.first else "")
        for mention in dates.resolve(text, said_at=said_at, timezone=timezone)
    ]


DAYS = [
    ("met on 2023-05-03", "2023-05-03 = 2023-05-03"),
    ("logged at 2023-05-03T10:15:00Z", "2023-05-03T10:15:00Z = 2023-05-03"),
    ("2021/12/31 was cold", "2021/12/31 = 2021-12-31"),
    ("on 3 May 2023 we met", "3 May 2023 = 2023-05-03"),
    ("the 3rd of May, 2023", "3rd of May, 2023 = 2023-05-03"),
    ("May 3rd, 2023", "May 3rd, 2023 = 2023-05-03"),
    ("Sept 5, 2022", "Sept 5, 2022 = 2022-09-05"),
    ("Friday, 5 May 2023", "Friday, 5 May 2023 = 2023-05-05"),
    ("Fri, May 5 2023", "Fri, May 5 2023 = 2023-05-05"),
    ("3 may 2023", "3 may 2023 = 2023-05-03"),
    ("03/05/2023", "03/05/2023 = 2023-05-03"),
    ("12/25/2022", "12/25/2022 = 2022-12-25"),
    ("25/12/22", "25/12/22 = 2022-12-25"),
    ("1/2/99", "1/2/99 = 1999-02-01"),
    ("am 3.5.2023", "3.5.2023 = 2023-05-03"),
    ("03-05-2023", "03-05-2023 = 2023-05-03"),
    ("Our trip is on May 20th", "May 20th = 2023-05-20"),
    ("We moved on May 20th", "May 20th = 2022-05-20"),
    ("My birthday is 2 March", "2 March = 2024-03-02"),
    ("I was born on 29 February 1996", "29 February 1996 = 1996-02-29"),
    ("The party is on 29 February", "29 February = 2024-02-29"),
    ("yesterday I slept", "yesterday = 2023-05-16"),
    ("Today is fine", "Today = 2023-05-17"),
    ("dinner tonight", "tonight = 2023-05-17"),
    ("last night was loud", "last night = 2023-05-16"),
    ("tomorrow's exam", "tomorrow = 2023-05-18"),
    ("the day before yesterday", "the day before yesterday = 2023-05-15"),
    ("the day after tomorrow", "the day after tomorrow = 2023-05-19"),
    ("last Tuesday", "last Tuesday = 2023-05-16"),
    ("last Wednesday", "last Wednesday = 2023-05-10"),
    ("last Friday night", "last Friday = 2023-05-12"),
    ("this Friday", "this Friday = 2023-05-19"),
    ("this past Monday", "this past Monday = 2023-05-15"),
    ("this coming Monday", "this coming Monday = 2023-05-22"),
    ("next Friday", "next Friday = 2023-05-26"),
    ("next Mon at noon", "next Mon = 2023-05-22"),
    ("Friday next week", "Friday next week = 2023-05-26"),
    ("next week on Tuesday", "next week on Tuesday = 2023-05-23"),
    ("I have a dentist on Friday", "Friday = 2023-05-19"),
    ("I went to the dentist on Friday", "Friday = 2023-05-12"),
    ("What did I eat on Monday?", "Monday = 2023-05-15"),
    ("We will meet on Wednesday", "Wednesday = 2023-05-24"),
    ("I was ill, but we will meet on Friday", "Friday = 2023-05-19"),
    ("3 days ago", "3 days ago = 2023-05-14"),
    ("a couple of days ago", "a couple of days ago = 2023-05-15"),
    ("in three days", "three days = 2023-05-20"),
    ("ten days from now", "ten days from now = 2023-05-27"),
    ("see you on the 20th!", "the 20th = 2023-05-20"),
    ("rent is due on the 5th.", "the 5th = 2023-06-05"),
    ("he called on the 20th.", "the 20th = 2023-04-20"),
]

RANGES = [
    ("May 3-5, 2023", "May 3-5, 2023 = 2023-05-03..2023-05-05"),
    ("3–5 June 2023", "3–5 June 2023 = 2023-06-03..2023-06-05"),
    ("in 2023-02", "2023-02 = 2023-02-01..2023-02-28"),
    ("March 2024", "March 2024 = 2024-03-01..2024-03-31"),
    ("Feb. of 2024", "Feb. of 2024 = 2024-02-01..2024-02-29"),
    ("30 February 2023", "February 2023 = 2023-02-01..2023-02-28"),
    ("in 2021", "2021 = 2021-01-01..2021-12-31"),
    ("since 2019", "2019 = 2019-01-01..2019-12-31"),
    ("from 2015 to 2018", "2015 to 2018 = 2015-01-01..2018-12-31"),
    ("in the 90s", "90s = 1990-01-01..1999-12-31"),
    ("Q3 2022", "Q3 2022 = 2022-07-01..2022-09-30"),
    ("summer of 2020", "summer of 2020 = 2020-06-01..2020-08-31"),
    ("winter 2020", "winter 2020 = 2020-12-01..2021-02-28"),
    ("two weeks ago", "two weeks ago = 2023-05-01..2023-05-07"),
    ("a few days ago", "a few days ago = 2023-05-12..2023-05-15"),
    ("a month ago", "a month ago = 2023-04-01..2023-04-30"),
    ("2 years ago", "2 years ago = 2021-01-01..2021-12-31"),
    ("two weekends ago", "two weekends ago = 2023-05-06..2023-05-07"),
    ("in two weeks", "two weeks = 2023-05-29..2023-06-04"),
    ("last week", "last week = 2023-05-08..2023-05-14"),
    ("this week", "this week = 2023-05-15..2023-05-21"),
    ("next week", "next week = 2023-05-22..2023-05-28"),
    ("last month", "last month = 2023-04-01..2023-04-30"),
    ("next month", "next month = 2023-06-01..2023-06-30"),
    ("last year", "last year = 2022-01-01..2022-12-31"),
    ("this weekend", "this weekend = 2023-05-20..2023-05-21"),
    ("last weekend", "last weekend = 2023-05-13..2023-05-14"),
    ("next weekend", "next weekend = 2023-05-27..2023-05-28"),
    ("the week before last", "the week before last = 2023-05-01..2023-05-07"),
    ("the last two weeks", "last two weeks = 2023-05-03..2023-05-17"),
    ("over the past month", "past month = 2023-04-17..2023-05-17"),
    ("the next 3 days", "next 3 days = 2023-05-17..2023-05-20"),
    ("I'm moving in March", "March = 2024-03-01..2024-03-31"),
    ("I moved in March", "March = 2023-03-01..2023-03-31"),
    ("In May I was ill", "May = 2023-05-01..2023-05-31"),
    ("last March", "last March = 2023-03-01..2023-03-31"),
    ("last May", "last May = 2022-05-01..2022-05-31"),
    ("next June", "next June = 2023-06-01..2023-06-30"),
    ("August last year", "August last year = 2022-08-01..2022-08-31"),
    ("last summer", "last summer = 2022-06-01..2022-08-31"),
    ("last winter", "last winter = 2022-12-01..2023-02-28"),
    ("next fall", "next fall = 2023-09-01..2023-11-30"),
    ("this summer", "this summer = 2023-06-01..2023-08-31"),
]

FOREIGN = [
    ("gestern war ich krank", "gestern = 2023-05-16"),
    ("vorgestern", "vorgestern = 2023-05-15"),
    ("bis morgen!", "morgen = 2023-05-18"),
    ("letzte Woche", "letzte Woche = 2023-05-08..2023-05-14"),
    ("letzten Freitag", "letzten Freitag = 2023-05-12"),
    ("vor zwei Wochen", "vor zwei Wochen = 2023-05-01..2023-05-07"),
    ("in drei Tagen", "in drei Tagen = 2023-05-20"),
    ("am 3. Mai 2021", "3. Mai 2021 = 2021-05-03"),
    ("hier soir nous avons mangé", "hier = 2023-05-16"),
    ("la semaine dernière", "semaine dernière = 2023-05-08..2023-05-14"),
    ("il y a trois jours", "il y a trois jours = 2023-05-14"),
    ("le 3 mars 2021", "3 mars 2021 = 2021-03-03"),
    ("ayer comí mucho", "ayer = 2023-05-16"),
    ("el viernes pasado", "viernes pasado = 2023-05-12"),
    ("hace dos meses", "hace dos meses = 2023-03-01..2023-03-31"),
    ("el 3 de mayo de 2021", "3 de mayo de 2021 = 2021-05-03"),
]

TRAPS = """
May I ask you something?
It may rain, and we may go.
they march on
a march in the rain
in may
Wait a second
the second one
I was 30 in total
Python 3.11.7 and version 1.2.3
v1.2.2023
at 10:30, or 3 pm
1/2 cup of milk
mix 1/2 and 3/4
We did it
The sun is out and the cat sat
They wed in a church
Fridays are fun
every Friday
on Fridays
Black Friday sales
31/02/2023
2023-13-45
30 February
in 2000 words
call 555-2010-12
10.12.2020.1
192.168.1.2020
the last week of school
the last time
for the first time in two years
in two days I had read it
on the 5th floor
on the 2nd try
in 5 minutes
in a day-long meeting
3 Mars bars
the August heat
April said hello
with June and May
fall down
next to me
this is it
last but not least
a week
two days
Hier ist es schön
Guten Morgen
por la mañana
550e8400-e29b-41d4-a716-446655440000
room 2021
9999 years ago
$2023
""".strip().splitlines()


def test_the_tables_are_as_large_as_they_should_be() -> None:
    assert len(DAYS) + len(RANGES) + len(FOREIGN) + len(TRAPS) >= 80


@pytest.mark.parametrize(("text", "expected"), [*DAYS, *RANGES, *FOREIGN])
def test_a_date_is_found_and_counted_from_the_day_it_was_said(text: str, expected: str) -> None:
    assert resolved(text) == [expected]


@pytest.mark.parametrize("text", TRAPS)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert resolved(text) == []


def test_all_dates_of_a_message_are_found_in_order() -> None:
    text = "Yesterday we booked the flight for 3 June 2023. In 2021 we went by train."

    assert resolved(text) == [
        "Yesterday = 2023-05-16",
        "3 June 2023 = 2023-06-03",
        "2021 = 2021-01-01..2021-12-31",
    ]


@pytest.mark.parametrize(
    ("timezone", "yesterday"),
    [
        ("UTC", "2023-05-16"),
        ("Asia/Tokyo", "2023-05-17"),
        ("Pacific/Kiritimati", "2023-05-17"),
        ("America/Los_Angeles", "2023-05-16"),
    ],
)
def test_the_day_is_that_of_the_speaker(timezone: str, yesterday: str) -> None:
    late = datetime(2023, 5, 17, 23, 30, tzinfo=UTC)

    assert resolved("yesterday", late, timezone) == [f"yesterday = {yesterday}"]


def test_after_midnight_in_london_it_is_still_the_day_before_in_new_york() -> None:
    early = datetime(2023, 5, 17, 1, 0, tzinfo=UTC)

    assert resolved("today", early, "America/New_York") == ["today = 2023-05-16"]


@pytest.mark.parametrize(
    ("said_on", "text", "expected"),
    [
        ("2024-02-29", "a year ago", "a year ago = 2023-01-01..2023-12-31"),
        ("2024-02-29", "over the last year", "last year = 2023-02-28..2024-02-29"),
        ("2024-02-28", "tomorrow", "tomorrow = 2024-02-29"),
        ("2023-03-31", "last month", "last month = 2023-02-01..2023-02-28"),
        ("2023-03-31", "over the last month", "last month = 2023-02-28..2023-03-31"),
        ("2023-01-01", "yesterday", "yesterday = 2022-12-31"),
        ("2023-01-01", "last month", "last month = 2022-12-01..2022-12-31"),
        ("2023-12-31", "next week", "next week = 2024-01-01..2024-01-07"),
        ("2023-05-21", "this weekend", "this weekend = 2023-05-20..2023-05-21"),
        ("2023-05-21", "last weekend", "last weekend = 2023-05-13..2023-05-14"),
        ("2023-05-21", "last Friday", "last Friday = 2023-05-19"),
        ("2023-05-21", "next Friday", "next Friday = 2023-05-26"),
        ("2023-01-15", "last winter", "last winter = 2021-12-01..2022-02-28"),
        ("2023-07-04", "last summer", "last summer = 2022-06-01..2022-08-31"),
        ("2023-01-31", "we left on the 31st.", "the 31st = 2023-01-31"),
        ("2023-03-30", "we left on the 31st.", "the 31st = 2023-01-31"),
    ],
)
def test_edges_of_weeks_months_and_years(said_on: str, text: str, expected: str) -> None:
    assert resolved(text, datetime.fromisoformat(f"{said_on}T12:00:00+00:00")) == [expected]


MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC)
)
WORDS = st.sampled_from(
    [text for text, _ in (*DAYS, *RANGES, *FOREIGN)]
    + TRAPS
    + [
        "9999",
        "0",
        "last",
        "next",
        "in",
        "on",
        "ago",
        "weeks",
        "Friday",
        "May",
        "31",
        ".",
        "-",
        "/",
    ]
)
TEXTS = st.one_of(
    st.text(), st.lists(WORDS, max_size=6).map(" ".join), st.lists(WORDS).map("".join)
)


@given(text=TEXTS, said_at=MOMENTS)
def test_mentions_are_in_order_inside_the_text_and_begin_before_they_end(
    text: str, said_at: datetime
) -> None:
    end_before = 0
    for mention in dates.resolve(text, said_at=said_at):
        assert end_before <= mention.start < mention.end <= len(text)
        assert mention.first <= mention.last
        end_before = mention.end


@given(day=st.dates(), style=st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y"]))
def test_a_date_in_figures_is_itself(day: date, style: str) -> None:
    text = day.strftime(style)
    if day.year < 1000:
        return

    assert [(mention.first, mention.last) for mention in dates.resolve(text, said_at=SAID_AT)] == [
        (day, day)
    ]


@given(said_at=MOMENTS, days=st.integers(0, 3000))
def test_so_many_days_ago_is_so_many_days_ago(said_at: datetime, days: int) -> None:
    found = dates.resolve(f"{days} days ago", said_at=said_at)

    if (said_at.date() - date.min).days >= days:
        assert [mention.first for mention in found] == [said_at.date() - timedelta(days=days)]


@pytest.mark.parametrize(
    "unit", ["a", " ", "1", "1/", "May ", "in ", "last ", "on Friday ", "3 May ", "the "]
)
def test_a_long_monotonous_text_is_searched_without_a_fuss(unit: str) -> None:
    text = unit * (50_000 // len(unit))

    assert len(dates.resolve(text, said_at=SAID_AT)) <= len(text)
