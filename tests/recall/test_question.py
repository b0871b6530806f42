"""Questions: whom, when and what they ask."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.recall.question import understand
from tests.recall.samples import NOW, asking


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("What did Ana buy?", "What did I buy?"),
        ("What is Ana's dog called?", "What is my dog called?"),
        ("When did ana sell her car?", "When did I sell my car?"),
        ("Where did Anabel live?", "Where did Anabel live?"),
        ("What did I buy?", "What did I buy?"),
    ],
)
def test_a_question_is_embedded_as_its_person_would_say_it(query: str, form: str) -> None:
    assert asking(query).forms == (form,)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What did Ana buy?", ("Ana",)),
        ("What did Ben tell Ana?", ("Ben", "Ana")),
        ("What did Ana tell Ben about Ana's dog?", ("Ana", "Ben")),
        ("What did ANA buy?", ("Ana",)),
        ("Which banana?", ()),
    ],
)
def test_a_question_is_about_those_it_names(query: str, names: tuple[str, ...]) -> None:
    assert asking(query).asked.names == names


def test_a_speaker_is_named_by_their_first_name_too() -> None:
    assert asking("Where does Ana live?", ["Ana Maria Silva"]).asked.names == ("Ana Maria Silva",)


@pytest.mark.parametrize("name", ["user", "Assistant", "", " ", "AI"])
def test_the_name_of_a_role_is_nobody(name: str) -> None:
    assert asking(f"What did the {name} say?", [name]).asked.names == ()


@pytest.mark.parametrize(
    ("query", "role"),
    [
        ("Where did I park?", "user"),
        ("What's my dog called?", "user"),
        ("Which book did you recommend to me?", "assistant"),
        ("What was your advice on my knee?", "assistant"),
        ("the recipe you gave me", "assistant"),
        ("Do you know where I parked?", "user"),
        ("Did you know that I moved?", "user"),
        ("Which book was it?", ""),
    ],
)
def test_without_names_a_question_is_about_the_user_or_the_assistant(query: str, role: str) -> None:
    assert asking(query, []).asked.role == role


def test_dates_are_days_of_the_askers_time_zone() -> None:
    [period] = understand(
        "What did I do yesterday?", speakers=(), said_at=NOW, timezone="Asia/Tokyo"
    ).periods

    assert period.start == datetime(2023, 5, 15, 15, tzinfo=UTC)
    assert period.end == datetime(2023, 5, 16, 15, tzinfo=UTC)
    assert period.said == "yesterday"


def test_quoted_words_are_phrases() -> None:
    assert asking('Who wrote "The Long  Way" and “Dune”?').phrases == ("the long  way", "dune")


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("When did Ana move?", True),
        ("Which year was it?", True),
        ("Do you remember when was the party?", True),
        ("How did Ana feel when she won?", False),
        ("What did Ana buy?", False),
    ],
)
def test_asking_for_a_date_is_understood(query: str, asks: bool) -> None:
    assert asking(query).asks_when is asks


@given(
    st.text() | st.text(alphabet="anABI'\"“”\u2019. ?0123456789:/-"),
    st.lists(st.text(max_size=8), max_size=4),
    st.sampled_from(["UTC", "Asia/Tokyo", "America/New_York"]),
)
def test_any_text_is_understood(query: str, speakers: list[str], timezone: str) -> None:
    question = understand(query, speakers=speakers, said_at=NOW, timezone=timezone)

    assert question.text == query
    assert len(question.forms) == 1
    assert all(period.start < period.end for period in question.periods)


@pytest.mark.parametrize("query", ["on 0001-01-01", "on 9999-12-31", "in 9999"])
@pytest.mark.parametrize("timezone", ["Asia/Tokyo", "America/New_York"])
def test_the_ends_of_the_calendar_are_no_error(query: str, timezone: str) -> None:
    understand(query, speakers=(), said_at=NOW, timezone=timezone)
