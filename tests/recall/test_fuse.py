"""Fusing: one order out of two searches, and the reasons for it."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.recall.candidate import Candidate
from longterm.recall.fuse import fuse
from tests.recall.samples import NOW, a_candidate, asking, order

A_YEAR = timedelta(days=365)


def test_nothing_found_is_nothing_ranked() -> None:
    assert fuse(asking("What did Ana buy?"), []) == []


def test_what_is_nearer_in_meaning_comes_first() -> None:
    near, far = a_candidate(2, similarity=0.7), a_candidate(1, similarity=0.2)

    assert order(asking("anything"), far, near) == [2, 1]


def test_what_has_the_words_comes_before_what_lacks_them() -> None:
    has = a_candidate(2, text="New boots for Ben.", words=4.0)
    lacks = a_candidate(1, text="New shoes for Ben.")

    assert order(asking("Which boots?"), lacks, has) == [2, 1]


def test_a_better_match_of_words_comes_first() -> None:
    more = a_candidate(2, conversation_id="a", place=2, text="Boots.", words=4.0)
    less = a_candidate(1, conversation_id="a", place=9, text="Boots.", words=2.0)

    assert order(asking("Which boots?"), less, more) == [2, 1]


def test_the_one_it_is_about_comes_before_the_one_spoken_to() -> None:
    ana, ben = a_candidate(2, speaker="Ana"), a_candidate(1, speaker="Ben")

    assert order(asking("What did Ana buy?"), ben, ana) == [2, 1]


@pytest.mark.parametrize(
    ("query", "first"), [("What did I buy?", "user"), ("What did you recommend?", "assistant")]
)
def test_who_asks_about_a_role_gets_what_that_role_said(query: str, first: str) -> None:
    said = [
        a_candidate(number, speaker=None, role=role)
        for number, role in enumerate(["user", "assistant"], start=1)
    ]

    assert fuse(asking(query, []), said)[0].candidate.role == first


def test_the_answer_to_a_matching_question_comes_before_other_talk() -> None:
    question = a_candidate(
        9, conversation_id="a", place=4, speaker="Ben", text="Which boots?", words=5, similarity=0.8
    )
    answer = a_candidate(3, conversation_id="a", place=5)
    elsewhere = a_candidate(2, conversation_id="a", place=8)

    assert order(asking("Which boots?", ()), elsewhere, answer, question)[1:] == [3, 2]


def test_the_conversation_of_a_good_match_comes_before_others() -> None:
    match = a_candidate(9, conversation_id="a", place=1, similarity=0.9)
    same = a_candidate(3, conversation_id="a", place=7)
    other = a_candidate(2, conversation_id="b", place=7)

    assert order(asking("anything"), other, same, match) == [9, 3, 2]


def test_what_was_said_then_comes_first() -> None:
    then, later = a_candidate(2, said_at=NOW - A_YEAR), a_candidate(1, said_at=NOW)

    assert order(asking("What happened in May 2022?"), later, then) == [2, 1]


def test_what_speaks_of_that_day_comes_first() -> None:
    speaks = a_candidate(2, text="It was 03/03/21.")
    silent = a_candidate(1, text="It was 14:30 now.")

    assert order(asking("What happened on 3 March 2021?"), silent, speaks) == [2, 1]


def test_who_asks_when_gets_what_tells_a_date() -> None:
    tells = a_candidate(2, text="It rained last Tuesday.")
    silent = a_candidate(1, text="It rained as usual.")

    assert order(asking("When did it rain?"), silent, tells) == [2, 1]


def test_between_people_a_question_comes_after_a_statement() -> None:
    asks, states = a_candidate(1, text="It rained?"), a_candidate(2, text="It rained.")

    assert order(asking("anything"), asks, states) == [2, 1]


def test_a_user_who_asks_an_assistant_is_not_put_back() -> None:
    asks = a_candidate(1, text="It rained?", speaker=None)
    states = a_candidate(2, text="It rained.", speaker=None)

    assert order(asking("anything"), asks, states) == [1, 2]


def test_what_says_little_comes_after_what_says_more() -> None:
    little = a_candidate(1, text="Thanks!")
    more = a_candidate(2, text="Thanks, that is very kind of you to say after such a long day.")

    assert order(asking("anything"), little, more) == [2, 1]


def test_quoted_words_come_first() -> None:
    loose = a_candidate(1, text="Read the way long!")
    quoted = a_candidate(2, text="Read the long way!")

    assert order(asking('Who read "The Long Way"?'), loose, quoted) == [2, 1]


def test_what_has_no_vector_yet_is_found_by_its_words() -> None:
    new = a_candidate(2, similarity=None, words=5.0, text="Boots!")
    old = a_candidate(1, similarity=0.4)

    assert order(asking("Which boots?"), old, new) == [2, 1]


def test_a_fact_has_no_place_and_needs_none() -> None:
    fact = a_candidate(
        1, conversation_id=None, place=None, speaker=None, role=None, text="Boots: red", words=5.0
    )
    message = a_candidate(2)

    assert order(asking("Which boots has Ana?"), message, fact) == [1, 2]


def test_each_says_why() -> None:
    said = a_candidate(1, similarity=0.618, words=3.0, text="My hiking boots.", place=1)
    reply = a_candidate(2, conversation_id="conversation 1", place=2, speaker="Ben", similarity=0)

    first, second = fuse(asking("Which boots did Ana hike in, in May 2023?"), [said, reply])

    assert first.why == ("meaning .62", "words: boot, hike", "said by Ana", "from May 2023")
    assert "near a match" in second.why


A_MOMENT = st.integers(-900, 10).map(lambda days: NOW + timedelta(days=days))
A_TEXT = st.sampled_from(
    ["It rained?", "Boots!", "I hiked in May 2022.", "Ana, last week I bought hiking boots."]
) | st.text(max_size=40)
SOME = st.builds(
    Candidate,
    passage_id=st.integers(0, 1000),
    conversation_id=st.sampled_from(["a", "b", None]),
    place=st.none() | st.integers(0, 6),
    speaker=st.sampled_from(["Ana", "Ben", "user", "", None]),
    role=st.sampled_from(["user", "assistant", None]),
    said_at=A_MOMENT,
    text=A_TEXT,
    similarity=st.none() | st.floats(-1, 1),
    words=st.floats(0, 50),
)
MANY = st.lists(SOME, max_size=12, unique_by=lambda candidate: candidate.passage_id)
QUERY = st.sampled_from(
    ["Which boots did Ana buy?", "When did I hike?", 'What of "boots" in May 2022?', "?"]
) | st.text(max_size=20)


@given(QUERY, MANY, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_the_candidates_came(
    query: str, candidates: list[Candidate], random: Random
) -> None:
    shuffled = random.sample(candidates, len(candidates))

    assert fuse(asking(query), shuffled) == fuse(asking(query), candidates)


@given(QUERY, MANY)
def test_every_candidate_is_ranked_once_with_a_score_from_0_to_1(
    query: str, candidates: list[Candidate]
) -> None:
    ranked = fuse(asking(query), candidates)

    scores = [item.score for item in ranked]
    assert sorted(item.candidate.passage_id for item in ranked) == sorted(
        candidate.passage_id for candidate in candidates
    )
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@given(QUERY, MANY, SOME, st.floats(0, 1), st.floats(0, 20))
def test_what_is_better_in_every_respect_never_ranks_below(
    query: str, others: list[Candidate], worse: Candidate, nearer: float, more: float
) -> None:
    # Alone in its conversation, so that neither has the other or a third as a neighbour.
    worse = replace(worse, passage_id=2001, conversation_id="c", similarity=worse.similarity or 0.0)
    better = replace(
        worse,
        passage_id=2000,
        conversation_id="d",
        similarity=(worse.similarity or 0.0) + nearer,
        words=worse.words + more,
    )

    ranked = order(asking(query), *others, worse, better)

    assert ranked.index(2000) < ranked.index(2001)
