"""c1: token counts as a model counts them, offline."""

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha1
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from longterm.text import tokens

RANKS_URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"

PARTS = (
    [
        "I",
        "don't",
        " ",
        "\n",
        "\n\n  ",
        "tea",
        "Straße",
        "今日は",
        "😀",
        "12345",
        "3.14",
        "foo_bar",
    ],
    [
        "<|endoftext|>",
        "!!",
        "?",
        "...",
        "「笑」",
        "e\u0301",
        "\u00a0",
        "\r\n",
        "\t",
        "'ll",
        "naïve",
    ],
)
WORDS = st.lists(st.sampled_from([*PARTS[0], *PARTS[1]]), max_size=40).map("".join)
TEXTS = st.one_of(WORDS, st.text())


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The file is read before Hypothesis starts its watch."""
    tokens.is_exact()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tiktoken.Encoding]:
    """cl100k_base as tiktoken itself makes it, its cache filled so that it downloads nothing."""
    folder = tmp_path_factory.mktemp("tiktoken")
    ranks = tokens.ranks_file()
    assert ranks is not None
    name = sha1(RANKS_URL.encode(), usedforsecurity=False).hexdigest()
    (folder / name).write_bytes(gzip.decompress(ranks.read_bytes()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield tiktoken.get_encoding("cl100k_base")


# The first four are in OpenAI's own documents.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("", 0),
        ("hello world", 2),
        ("a" * 1_000, 125),
    ],
)
def test_known_texts_have_known_counts(text: str, expected: int) -> None:
    assert tokens.count(text) == expected


def test_the_count_is_exact_in_this_installation() -> None:
    assert tokens.is_exact()


def test_a_special_token_in_a_text_is_plain_text() -> None:
    assert tokens.count("<|endoftext|>") == 7


def test_half_a_character_is_counted_and_not_refused() -> None:
    assert tokens.count("\ud83d") >= 1
    assert tokens.estimate("\ud83d") >= 1


@given(text=TEXTS)
def test_counts_are_those_of_tiktoken(reference: tiktoken.Encoding, text: str) -> None:
    assert tokens.count(text) == len(reference.encode(text, disallowed_special=()))


@pytest.mark.parametrize(
    "unit",
    [
        "I've 12 cats. ",
        "今日は、いい天気ですね。",
        "def f(x):\n    return x\n\n",
        "word\n\n   word\t",
    ],
)
def test_a_long_text_is_counted_exactly_when_it_has_words(
    reference: tiktoken.Encoding, unit: str
) -> None:
    text = unit * 4_000

    assert tokens.count(text) == len(reference.encode_ordinary(text))


@pytest.mark.parametrize("unit", ["a", " ", "\n", "1", "!", "中", "😀", "a'", "\u00a0"])
def test_a_long_text_without_words_is_at_most_a_token_off_per_ten_thousand_characters(
    reference: tiktoken.Encoding, unit: str
) -> None:
    text = unit * 50_003

    difference = tokens.count(text) - len(reference.encode_ordinary(text))

    assert abs(difference) <= len(text) // 10_000


@given(first=TEXTS, second=TEXTS)
def test_two_texts_after_a_word_count_as_much_as_each_alone(first: str, second: str) -> None:
    """The words' end is where long texts are cut: nothing may be lost or gained there."""
    assert tokens.count(f"{first}x {second}") == tokens.count(f"{first}x") + tokens.count(
        f" {second}"
    )


@given(first=TEXTS, second=TEXTS)
def test_joining_two_texts_costs_next_to_nothing(first: str, second: str) -> None:
    """Joining can change the tokens at the seam, for the worse too: ` ` + `\\n` may not merge."""
    assert tokens.count(first + second) <= tokens.count(first) + tokens.count(second) + 8


@given(text=TEXTS)
def test_there_are_at_most_as_many_tokens_as_bytes_and_none_only_in_nothing(text: str) -> None:
    size = len(text.encode())

    assert (0 < tokens.count(text) <= size) or text == ""
    assert (0 < tokens.estimate(text) <= size) or text == ""


def test_threads_that_come_first_together_get_the_same_count() -> None:
    with ThreadPoolExecutor(8) as pool:
        counts = set(pool.map(tokens.count, ["the same words for everyone"] * 64))

    assert counts == {5}


def test_without_the_rank_file_there_is_no_encoding(tmp_path: Path) -> None:
    assert tokens.load(tmp_path / "missing.gz") is None


@pytest.mark.parametrize(
    "content", [b"", b"no gzip at all", gzip.compress(b"IQ== 0\n", mtime=0), b"\x1f\x8b"]
)
def test_a_wrong_rank_file_makes_no_encoding(tmp_path: Path, content: bytes) -> None:
    ranks = tmp_path / "ranks.gz"
    ranks.write_bytes(content)

    assert tokens.load(ranks) is None


def test_a_rank_file_that_was_cut_short_makes_no_encoding(tmp_path: Path) -> None:
    installed = tokens.ranks_file()
    assert installed is not None
    ranks = tmp_path / "ranks.gz"
    ranks.write_bytes(installed.read_bytes()[:-1_000])

    assert tokens.load(ranks) is None


def test_the_estimate_is_a_quarter_of_the_bytes() -> None:
    assert [tokens.estimate(text) for text in ("", "a", "abcd", "abcde", "中中")] == [0, 1, 1, 2, 2]
