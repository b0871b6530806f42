"""Words: what the index and the query agree on."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.text import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hiking, hiked; HIKES!", ["hike", "hike", "hike"]),
        ("Ana's boots", ["ana", "boot"]),
        ("Ana\u2019s boots", ["ana", "boot"]),
        ("don't", ["dont"]),
        ("snake_case and x2", ["snake", "case", "and", "x2"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("iPhoneを買う", ["iphon", "を買", "買う"]),
        ("Привет, мир", ["привет", "мир"]),
        ("", []),
    ],
)
def test_words_are_folded_cut_and_stemmed(text: str, found: list[str]) -> None:
    assert words.terms(text) == found


def test_a_query_loses_its_stop_words_and_repetitions() -> None:
    assert words.query_terms("Where did we hike, and with whom did we go hiking?") == ["hike", "go"]


def test_a_query_of_stop_words_keeps_them() -> None:
    assert words.query_terms("What is it?") == ["what", "is", "it"]


@given(st.text())
def test_a_query_with_any_word_has_terms(text: str) -> None:
    assert bool(words.query_terms(text)) == bool(words.terms(text))


@given(st.text())
def test_what_a_query_looks_for_is_in_the_index_of_the_same_text(text: str) -> None:
    assert set(words.query_terms(text)) <= set(words.terms(text))


@given(st.text())
def test_words_do_not_depend_on_capitals(text: str) -> None:
    assert words.terms(text.casefold()) == words.terms(text)


def test_threads_do_not_mix_their_words() -> None:
    many = [f"{start}{middle}ings" for start in "bcdfghjklm" for middle in ("ask", "unt", "ill")]
    alone = [words.stem.__wrapped__(word) for word in many]

    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(words.stem.__wrapped__, many * 200))

    assert together == alone * 200
