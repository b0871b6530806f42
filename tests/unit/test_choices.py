"""Choices: the reply to "which one?" is understood, or it is said that it was not."""

from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longterm.text import choices
from longterm.text.choices import ChangedSubject, Choice, Refused


def options(*labels: str) -> list[Choice]:
    return [Choice(number, label, f"value {number}") for number, label in enumerate(labels, 1)]


def replies(table: str) -> list[str]:
    """The replies of a table, apart by bars and line ends."""
    return [reply.strip() for reply in table.replace("\n", "|").split("|") if reply.strip()]


TRIPS = options("Porto trip in May", "Porto trip in June", "Café Müller, Berlin")
PEOPLE = options("Anna Smith", "Anna Jones", "Bob Jones")
TWO = options("The red bicycle", "The blue car")
NESTED = options("Porto", "Porto airport", "Faro")
COURSES = options("Python project at work", "Python course", "The snake terrarium")
MEETINGS = options("Meeting with Paul on Monday", "Meeting with Paula on Tuesday")
YEARS = options("Invoice 2023", "Invoice 2024")

PICKED = [
    *(
        (TRIPS, reply, 2)
        for reply in replies("""
            2|#2|2.|2)|(2)|02|two|Two!|option 2|Option two|number 2|no. 2|nr 2|B|b)|option B|B please
            the second|second|second one please|The second one.|the 2nd|I'd take the second one
            I mean number two|ok, 2|no, the second|yes, the second option|hmm, I think 2
            the second of the three|I think the second one would suit me|The second one, it's warmer
            der zweite|die zweite bitte|Nummer 2|zwei|la segunda|el segundo|la opción 2|dos
            la deuxième|le deuxième|l'option 2|la seconde|deux
            Porto trip in June|porto TRIP in june|June|the one in June|june please|the June trip
            Porto in June|the trip in June, please
        """)
    ),
    (TRIPS, "the last", 3),
    (TRIPS, "last one", 3),
    (TRIPS, "der letzte", 3),
    (TRIPS, "la última", 3),
    (TRIPS, "la dernière", 3),
    (TRIPS, "cafe muller", 3),
    (TRIPS, "CAFÉ MÜLLER BERLIN", 3),
    (TRIPS, "Berlinn", 3),
    (TRIPS, "the cafe", 3),
    (TRIPS, "May", 1),
    (TRIPS, "the top one", 1),
    (TRIPS, "a", 1),
    (TRIPS, "option a", 1),
    (PEOPLE, "Bob", 3),
    (PEOPLE, "smith", 1),
    (PEOPLE, "Anna Jones", 2),
    (PEOPLE, "the one called Bob", 3),
    (PEOPLE, "Anna Smiht", 1),
    (TWO, "the former", 1),
    (TWO, "the latter", 2),
    (TWO, "red", 1),
    (TWO, "the bicicle", 1),
    (TWO, "I meant my blue one", 2),
    (TWO, "Do you mean the car?", 2),
    (TWO, "cars", 2),
    (NESTED, "Porto", 1),
    (NESTED, "the airport", 2),
    (NESTED, "Porto airport please", 2),
    (YEARS, "2024", 2),
    (COURSES, "the third one of course", 3),
    (COURSES, "terarium", 3),
    (COURSES, "I was asking about the programming course", 2),
    (COURSES, "the second, the course", 2),
    (MEETINGS, "Paul", 1),
    (MEETINGS, "Paula", 2),
    (MEETINGS, "Mon", 1),
    (MEETINGS, "the monday meeting", 1),
    (YEARS, "the 2023 invoice", 1),
]

OPEN = [
    *(
        (TRIPS, reply)
        for reply in replies("""
            hmm|Hmm...|not sure|I'm not sure|I don't know|idk|no idea|maybe|whichever|either one|both
            you choose|which one is cheaper?|what's the difference?|what?|ok|yes|that one
            weiß nicht|keine Ahnung|no sé|je ne sais pas|porto|Porto trip|the trip|7|99|the tenth
            1 or 2|1 and 3|not 2|not the second one|not Berlin|H
        """)
    ),
    (TRIPS, ""),
    (TRIPS, " \n"),
    (TRIPS, "?!"),
    (PEOPLE, "Anna"),
    (PEOPLE, "Jones"),
    (PEOPLE, "Anna or Bob"),
    (TRIPS, "the latter"),
    (TRIPS, "the cheaper one"),
    (COURSES, "the first one, the course"),
    (MEETINGS, "the later one"),
]

REFUSED = replies("""
    none|None of them.|neither|neither of those|no|nope|No thanks|forget it|Never mind|nevermind
    cancel|skip|nothing|none of the above|nein|keiner|keines davon|vergiss es|ninguno|olvídalo|nada
    aucun|laisse tomber|non merci|something else|no, not that one
""")

CHANGED_SUBJECT = replies("""
    What's the weather in Rome?|I like pizza|Tell me a joke|How old is my sister?|Madrid
    How long is the flight to Porto?|Can you remind me to call Paul tomorrow?|My name is Ada
    Wie ist das Wetter heute?|¿Qué hora es?|Quelle heure est-il ?|the first time I saw snow
""")


@pytest.mark.parametrize(("given_options", "reply", "number"), PICKED)
def test_a_reply_picks_the_option_it_means(
    given_options: list[Choice], reply: str, number: int
) -> None:
    assert choices.pick(reply, given_options) == given_options[number - 1]


@pytest.mark.parametrize(("given_options", "reply"), OPEN)
def test_a_reply_that_fits_several_or_none_yet_leaves_the_question_open(
    given_options: list[Choice], reply: str
) -> None:
    assert choices.pick(reply, given_options) is None


@pytest.mark.parametrize("reply", REFUSED)
def test_a_refusal_is_told_from_silence(reply: str) -> None:
    assert choices.pick(reply, TRIPS) == Refused()


@pytest.mark.parametrize("reply", CHANGED_SUBJECT)
def test_what_shares_nothing_with_the_options_changes_the_subject(reply: str) -> None:
    assert choices.pick(reply, TRIPS) == ChangedSubject()


def test_who_writes_at_length_has_changed_the_subject() -> None:
    reply = "We had a lovely time in Berlin, and I must tell you everything about it. " * 6

    assert choices.pick(reply, TRIPS) == ChangedSubject()


def test_the_question_is_asked_with_a_line_for_each_option() -> None:
    asked = choices.ask("Which one? ", options("The\nred bicycle", "The blue car"))

    assert asked == "Which one?\n\n1. The red bicycle\n2. The blue car"


def test_a_question_without_options_is_asked_as_it_is() -> None:
    assert choices.ask("Which one?", []) == "Which one?"


def test_options_may_have_other_numbers_than_their_places() -> None:
    given_options = [Choice(4, "Tea", "tea"), Choice(7, "Coffee", "coffee")]

    assert choices.pick("7", given_options) == given_options[1]
    assert choices.pick("the first", given_options) == given_options[0]
    assert choices.pick("1", given_options) is None


ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
LABEL = st.text(st.sampled_from("bcdfgklmnprstvz"), min_size=3, max_size=12)
LABELS = st.lists(
    st.lists(LABEL, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=10, unique=True
)
ANY_LABELS = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=10)


@given(labels=ANY_LABELS, data=st.data())
def test_every_option_can_be_picked_by_its_number_and_its_ordinal(
    labels: list[str], data: st.DataObject
) -> None:
    given_options = options(*labels)
    option = data.draw(st.sampled_from(given_options))

    assert choices.pick(str(option.number), given_options) == option
    assert choices.pick(f"the {ORDINALS[option.number - 1]} one", given_options) == option


@given(labels=LABELS, data=st.data())
def test_every_option_can_be_picked_by_its_whole_label(
    labels: list[str], data: st.DataObject
) -> None:
    given_options = options(*labels)
    option = data.draw(st.sampled_from(given_options))
    assume(option.label not in {"hmm", "nr"})

    assert choices.pick(option.label, given_options) == option
    assert choices.pick(f"{option.label.upper()}!", given_options) == option


@given(reply=st.text(max_size=400), labels=st.lists(st.text(max_size=30), max_size=5))
def test_any_reply_to_any_options_has_a_result(reply: str, labels: list[str]) -> None:
    result = choices.pick(reply, options(*labels))

    assert result is None or isinstance(result, Choice | ChangedSubject | Refused)


@pytest.mark.parametrize("piece", ["a", "1 ", "the second ", "no ", "which ", "porto ", "é", "\n"])
def test_a_long_reply_costs_little(piece: str) -> None:
    start = process_time()
    choices.pick((piece * 100_000)[:100_000], options(*("Porto trip " * 20 for _ in range(20))))

    assert process_time() - start < 1
