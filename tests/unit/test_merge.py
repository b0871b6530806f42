"""e5: whether a new value takes the place of an old one, as a table."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.learn.merge import decide, gist, same
from longterm.records.fact import Closed, Fact, NewFact, Origin

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def a_new(
    content: str = "Alexander",
    *,
    confidence: float = 0.95,
    origin: Origin = "model",
    said_at: datetime = NOON + HOUR,
    correction: bool = False,
) -> NewFact:
    return NewFact(
        user_id="ada",
        type="identity",
        category="identity",
        key="name",
        content=content,
        confidence=confidence,
        importance=0.8,
        origin=origin,
        said_at=said_at,
        tokens=1,
        correction=correction,
    )


def a_fact(
    content: str = "Alex",
    *,
    confidence: float = 1.0,
    origin: Origin = "model",
    said_at: datetime = NOON,
    valid_to: datetime | None = None,
    closed: Closed | None = None,
) -> Fact:
    return Fact(
        id="00000000-0000-7000-8000-000000000000",
        version=1,
        tenant_id=1,
        user_id="ada",
        type="identity",
        category="identity",
        key="name",
        content=content,
        confidence=confidence,
        importance=0.8,
        pinned=False,
        archived=False,
        origin=origin,
        said_at=said_at,
        recorded_at=said_at,
        valid_from=said_at,
        valid_to=valid_to,
        closed=closed,
        said_count=1,
        source_conversation_id=None,
        source_message_id=None,
        span_start=None,
        span_end=None,
        extractor=None,
        tokens=1,
        access_count=0,
        last_accessed_at=None,
    )


TABLE = {
    "nothing was known": (None, a_new(), "insert"),
    "seed e: 'My name is Alex' is stored": (None, a_new("Alex", confidence=1.0), "insert"),
    "seed e: 'Call me Al' with .6 is ignored": (a_fact(), a_new("Al", confidence=0.6), "ignore"),
    "seed e: 'Alexander' with .95 replaces": (a_fact(), a_new(confidence=0.95), "replace"),
    "exactly the margin is enough": (a_fact(), a_new(confidence=0.9), "replace"),
    "a little less is not": (a_fact(), a_new(confidence=0.899), "ignore"),
    "a correction wins however unsure": (
        a_fact(),
        a_new(confidence=0.4, correction=True),
        "replace",
    ),
    "a person wins": (a_fact(), a_new(confidence=0.5, origin="person"), "replace"),
    "an agent wins": (a_fact(), a_new(confidence=0.5, origin="agent"), "replace"),
    "a person over a person": (a_fact(origin="person"), a_new(origin="person"), "replace"),
    "an extraction does not overrule a person": (
        a_fact(origin="person"),
        a_new(confidence=1.0),
        "ignore",
    ),
    "nor an agent": (a_fact(origin="agent"), a_new(confidence=1.0, origin="rules"), "ignore"),
    "but the user's own correction does": (
        a_fact(origin="person"),
        a_new(confidence=0.8, correction=True),
        "replace",
    ),
    "the application is compared by confidence": (
        a_fact(origin="person"),
        a_new(confidence=1.0, origin="api"),
        "replace",
    ),
    "the same again is confirmed": (a_fact(), a_new("alex!", confidence=0.5), "confirm"),
    "the same, said earlier, is confirmed": (
        a_fact(),
        a_new("Alex", said_at=NOON - HOUR),
        "confirm",
    ),
    "said before what is known goes into the history": (
        a_fact(),
        a_new(said_at=NOON - HOUR),
        "file",
    ),
    "even a late correction does": (
        a_fact(),
        a_new(said_at=NOON - HOUR, correction=True),
        "file",
    ),
    "said before it was closed stays out": (
        a_fact(valid_to=NOON + 2 * HOUR, closed="deactivated"),
        a_new(),
        "ignore",
    ),
    "said after it was closed opens it again": (
        a_fact(valid_to=NOON + HOUR / 2, closed="ended"),
        a_new(),
        "insert",
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_table(case: str) -> None:
    latest, new, action = TABLE[case]

    assert decide(new, latest).action == action


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["model", "rules", "api"]), st.booleans())
def test_what_was_said_earlier_never_replaces_what_was_said_later(
    new_confidence: float, old_confidence: float, origin: Origin, correction: bool
) -> None:
    new = a_new(
        confidence=new_confidence,
        origin=origin,
        said_at=NOON - HOUR,
        correction=correction,
    )

    assert decide(new, a_fact(confidence=old_confidence)).action == "file"


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("I like tea", "i like  TEA!", True),
        ("likes green tea", "likes black tea", False),
        ("Zürich", "ZÜRICH", True),
        ("¡!", "??", False),
    ],
)
def test_texts_are_the_same_but_for_case_blanks_and_punctuation(
    one: str, other: str, alike: bool
) -> None:
    assert same(one, other) is alike


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("The user likes hiking in the mountains", "likes to hike in mountains", True),
        ("User has two cats", "The user has two cats.", True),
        ("drinks milk", "drinks no milk", False),
        ("has two cats", "has three cats", False),
        ("is taller than Ana", "is not taller than Ana", False),
        ("lives in Rome", "works in Rome", False),
        ("prefers tea over coffee", "prefers coffee over tea", False),
        ("was married", "is married", False),
        ("works with Google", "works for Google", False),
        ("flew from Rome to Paris", "flew from Paris to Rome", False),
    ],
)
def test_one_gist_is_one_fact(one: str, other: str, alike: bool) -> None:
    """Near-duplicates are merged at write."""
    assert (gist(one) == gist(other)) is alike


@given(st.text(max_size=200))
def test_every_text_has_a_gist(text: str) -> None:
    assert gist(text) == gist(text)
    assert bool(gist(text)) is bool(text.strip())
