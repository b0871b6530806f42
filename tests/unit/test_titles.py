"""d5: a title is made from the first words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.text.titles import from_message


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("What is Python?", "What is Python?"),
        ("My name is Alex. I like tea.", "My name is Alex."),
        ("  first line\nsecond line", "first line"),
        ("Version 3.11 is out", "Version 3.11 is out"),
        (
            "I would like to know, in some detail, how the vacuum of PostgreSQL works inside",
            "I would like to know, in some detail, how the vacuum of…",
        ),
        ("x" * 100, "x" * 59 + "…"),
        ("今日はいい天気ですね。 散歩に行きましょう。", "今日はいい天気ですね。"),
    ],
)
def test_a_title_is_the_first_sentence(content: str, title: str) -> None:
    assert from_message(content) == title


@given(st.text(min_size=1).filter(str.strip))
def test_a_title_is_short_and_never_blank(content: str) -> None:
    title = from_message(content)

    assert 1 <= len(title) <= 60
    assert title.strip()
