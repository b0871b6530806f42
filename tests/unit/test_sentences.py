"""Sentences: what is quoted as a source and what a summary is made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.text import sentences


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences.split(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One.", "Two!", "Three?", "Four"],
        ["Really?!", "Yes…", "No..."],
        ["I met Dr. Smith and Mrs. Jones.", "They were kind."],
        ["Bring fruit, e.g. apples.", "And water, i.e. Evian."],
        ["J. R. R. Tolkien wrote it.", "I read it."],
        ["The U.S. Senate voted.", "It passed."],
        ["So do I.", "You too."],
        ["It costs 3.50 today.", "Version 3.11.2 is out."],
        ["See https://example.com/a.b?c=d.", "It helps."],
        ["Look at example.com for it.", "Then write to me@example.com."],
        ['He said "Stop!"', "Then he left."],
        ["(It rained.)", "We stayed in."],
        ["Apples, pears, etc.", "The rest is gone."],
        ["Apples etc. were there.", "Good."],
        ["He lives at No. 5, near St. James.", "Visit him."],
        ["wait... what?", "Never mind."],
        ["It's 5 p.m. now.", "Go."],
        ["what?", "no way!", "that is great"],
        ["Ich komme z.B. morgen.", "Bis dann!"],
        ["¿Qué tal?", "Bien."],
        ["今日はいい天気ですね。", "散歩に行きましょう！", "はい"],
        ["彼は「行く。」", "と言った。"],
        ["क्या हाल है।", "ठीक है।"],
        ["a) first thing.", "Second."],
        ["Great 🎉!", "Thanks."],
        ["Meet at 10.", "Bring tea."],
    ],
)
def test_sentences_end_where_a_reader_would_end_them(expected: list[str]) -> None:
    text = " ".join(expected)

    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\r\nthree", ["one", "two", "three"]),
        ("Title\n\nText here. More.", ["Title", "Text here.", "More."]),
        ("1. Buy milk\n2. Call Bob. Then eat.", ["1. Buy milk", "2. Call Bob.", "Then eat."]),
        ("- a. b", ["- a. b"]),
        ("", []),
        (" \n\t ", []),
        (".", ["."]),
        ("...\n!!!", ["...", "!!!"]),
        ("  padded.   text  ", ["padded.   text"]),
        ("  Padded.   Text  ", ["Padded.", "Text"]),
    ],
)
def test_a_line_end_ends_a_sentence(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


def test_a_fenced_block_of_code_is_kept_whole() -> None:
    code = '```python\nprint("A. B! C?")\n\nx = 1. \n```'

    assert parts(f"Look. Here:\n{code}\nNice. Done.") == ["Look.", "Here:", code, "Nice.", "Done."]


def test_a_fence_that_never_closes_reaches_to_the_end() -> None:
    assert parts("So:\n```\na. B\n~~~\nC. D") == ["So:", "```\na. B\n~~~\nC. D"]


MARKS = st.text(alphabet="aB1 .!?\n\"')`~。「」…-", max_size=60)


@given(text=st.one_of(st.text(), MARKS))
def test_spans_are_in_order_and_hold_all_but_white_space(text: str) -> None:
    spans = sentences.split(text)

    end_before = 0
    for start, end in spans:
        assert end_before <= start < end <= len(text)
        assert text[end_before:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        end_before = end
    assert text[end_before:].strip() == ""


@given(text=MARKS)
def test_a_sentence_by_itself_does_not_grow(text: str) -> None:
    for start, end in sentences.split(text):
        assert sentences.split(text[start:end])[-1][1] == end - start


@pytest.mark.parametrize(
    "unit", [".", ". ", "a. ", "A", "```\n", "\n", " ", '."', "。", "Mr. ", "x.y", "?!"]
)
def test_a_long_monotonous_text_is_split_without_a_fuss(unit: str) -> None:
    text = unit * 100_000 + "x"

    spans = sentences.split(text)

    assert len(spans) <= 100_001
