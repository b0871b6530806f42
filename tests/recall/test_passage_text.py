"""What of a message is embedded and indexed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.recall import passage_text
from tests.recall.samples import NOW


def test_a_short_message_is_embedded_as_it_is() -> None:
    assert passage_text.to_embed("In Porto. It rained!") == ["In Porto. It rained!"]


def test_an_answer_is_embedded_with_its_question_too() -> None:
    texts = passage_text.to_embed("In Porto.", before="I love trips. Where were you? Tell me!")

    assert texts == ["In Porto.", "Where were you? In Porto."]


def test_what_follows_no_question_has_one_vector() -> None:
    assert passage_text.to_embed("In Porto.", before="I love trips.") == ["In Porto."]


def test_a_long_message_is_cut_between_sentences() -> None:
    text = " ".join(f"Number {number} of the sentences has eight words." for number in range(50))

    chunks = passage_text.to_embed(text)

    assert " ".join(chunks) == text
    assert len(chunks) > 1
    assert all(chunk.endswith("words.") and len(chunk) <= 900 for chunk in chunks)


def test_only_the_first_chunk_is_embedded_with_the_question() -> None:
    text = " ".join(f"Number {number} of the sentences has eight words." for number in range(50))

    alone = passage_text.to_embed(text)
    answer = passage_text.to_embed(text, before="How many?")

    assert answer == [*alone, f"How many? {alone[0]}"]


@given(st.text() | st.text(alphabet="ab .?\n", min_size=800, max_size=3000))
def test_chunks_hold_every_word_and_none_is_long(text: str) -> None:
    chunks = passage_text.to_embed(text)

    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert all(len(chunk) <= 900 + 1 and chunk.strip() for chunk in chunks)


def test_a_message_is_indexed_with_its_speaker_and_day() -> None:
    indexed = passage_text.to_index("I hiked.", speaker="Ana", said_at=NOW)

    assert indexed == ["ana", "17", "may", "2023", "i", "hike"]


@pytest.mark.parametrize("speaker", [None, "", "user", "Assistant"])
def test_a_role_is_not_indexed(speaker: str | None) -> None:
    assert passage_text.to_index("Hi", speaker=speaker, said_at=NOW) == ["17", "may", "2023", "hi"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where?", True),
        ("She said 'where?'", True),
        ("Who is this? [a photo of a dog]", True),
        ("どこ？", True),
        ("Where? In Porto.", False),
        ("", False),
    ],
)
def test_a_question_is_what_ends_by_asking(text: str, asks: bool) -> None:
    assert passage_text.is_question(text) is asks
