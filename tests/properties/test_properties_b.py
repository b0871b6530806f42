"""b10: seed b's correctness properties that hold without a chat, by their numbers there."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, LiteralString, cast
from uuid import UUID

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import sql
from psycopg.errors import CheckViolation, UniqueViolation

from longterm import InvalidInputError, InvalidRoleError, Longterm, Tenant
from tests.properties import said

Superuser = psycopg.Connection[tuple[Any, ...]]

HUNDRED = settings(max_examples=100)

INSERT = """
    INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content, said_at)
    SELECT tenant_id, id, user_id, %(turn)s, %(role)s, %(content)s, %(said_at)s
      FROM conversations
     WHERE id = %(session_id)s
"""


@HUNDRED
@given(user_id=said.user_ids, query=said.words, response=said.words, metadata=said.json_objects)
def test_property_01_turn_storage_completeness(
    new_memory: Callable[[], Tenant],
    user_id: str,
    query: str,
    response: str,
    metadata: dict[str, Any],
) -> None:
    """Any valid turn is found again with all its fields."""
    mem = new_memory()
    session_id = mem.create_session(user_id)

    told = mem.store_turn(session_id, user_id, query, response, metadata)

    (turn,) = mem.get_session_history(session_id)
    assert turn == told
    assert (turn.session_id, turn.user_id, turn.turn_number) == (session_id, user_id, 1)
    assert (turn.query_text, turn.response_text) == (query, response)
    assert said.same(turn.metadata, metadata)
    assert turn.id
    assert turn.created_at.utcoffset() == timedelta(0)


@HUNDRED
@given(user_ids=st.lists(said.user_ids, min_size=1, max_size=3))
def test_property_02_session_id_uniqueness_and_format(
    new_memory: Callable[[], Tenant], user_ids: list[str]
) -> None:
    """Each session made has an id of its own, which is a UUID and in every answer."""
    mem = new_memory()

    session_ids = [mem.create_session(user_id) for user_id in user_ids * 2]

    assert len(set(session_ids)) == len(session_ids)
    assert all(str(UUID(session_id)) == session_id for session_id in session_ids)
    for session_id, user_id in zip(session_ids, user_ids, strict=False):
        assert mem.store_turn(session_id, user_id, "query", "response").session_id == session_id
        assert mem.get_context_for_query(session_id, "query").session_id == session_id
        assert mem.get_session_history(session_id)[0].session_id == session_id


@HUNDRED
@given(
    owners=st.lists(st.sampled_from(["ada", "bob"]), min_size=2, max_size=4),
    writes=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["same", "other"])), max_size=8),
)
def test_property_03_session_isolation(
    new_memory: Callable[[], Tenant], owners: list[str], writes: list[tuple[int, str]]
) -> None:
    """However turns of sessions alternate, each session has its own and no other."""
    mem = new_memory()
    session_ids = [mem.create_session(owner) for owner in owners]
    expected: list[list[tuple[int, str, str]]] = [[] for _ in owners]

    for number, words in writes:
        place = number % len(owners)
        turn = mem.store_turn(session_ids[place], owners[place], words, f"to {place}")
        expected[place].append((turn.turn_number, words, f"to {place}"))

    for session_id, owner, turns in zip(session_ids, owners, expected, strict=True):
        history = mem.get_session_history(session_id)
        assert [(t.turn_number, t.query_text, t.response_text) for t in history] == turns
        assert [t.turn_number for t in history] == list(range(1, len(turns) + 1))
        assert {(t.session_id, t.user_id) for t in history} <= {(session_id, owner)}


SPELLINGS: list[Callable[[str], str | UUID]] = [
    str,
    str.upper,
    UUID,
    lambda id_: UUID(id_).hex,
    lambda id_: UUID(id_).urn,
    lambda id_: "{" + id_ + "}",
]


@HUNDRED
@given(
    earlier=st.lists(said.words, max_size=3),
    later=st.lists(said.words, min_size=1, max_size=2),
    spell=st.sampled_from(SPELLINGS),
)
def test_property_04_session_continuity(
    new_memory: Callable[[], Tenant],
    earlier: list[str],
    later: list[str],
    spell: Callable[[str], str | UUID],
) -> None:
    """A session that is named goes on, however its id is spelled."""
    mem = new_memory()
    session_id = mem.create_session("ada")
    for query in earlier:
        mem.store_turn(session_id, "ada", query, "answer")

    for query in later:
        assert mem.store_turn(spell(session_id), "ada", query, "answer").session_id == session_id

    history = mem.get_session_history(spell(session_id))
    assert [turn.query_text for turn in history] == earlier + later
    assert [turn.turn_number for turn in history] == list(range(1, len(history) + 1))
    assert [session.id for session in mem.list_conversations("ada")] == [session_id]


# A session whose last turn is 24 hours old is over, at 24 hours sharp too; the ten minutes before
# that are left out, because the test itself takes time.
DAY = timedelta(hours=24)
over = st.one_of(
    st.sampled_from([DAY, DAY + timedelta(microseconds=1)]), st.timedeltas(DAY, 10_000 * DAY)
)
alive = st.one_of(
    st.just(DAY - timedelta(minutes=10)), st.timedeltas(timedelta(0), DAY - timedelta(minutes=10))
)


@HUNDRED
@given(
    sessions=st.lists(st.tuples(st.one_of(over, alive, st.none()), st.integers(0, 2)), max_size=5)
)
def test_property_06_ttl_enforcement(
    new_memory: Callable[[], Tenant],
    superuser: Superuser,
    sessions: list[tuple[timedelta | None, int]],
) -> None:
    """A cleanup deletes every session whose last turn is 24 hours old, and no other."""
    mem = new_memory()
    ages, counts = dict[str, timedelta | None](), dict[str, int]()
    for age, turns in sessions:
        session_id = mem.create_session("ada")
        for _ in range(turns):
            mem.store_turn(session_id, "ada", "question", "answer")
        ages[session_id], counts[session_id] = age, turns
        superuser.execute(
            "UPDATE conversations SET expires_at = now() - %s::interval + interval '24 hours'"
            " WHERE id = %s",
            [age, session_id],
        )
    gone = {id_ for id_, age in ages.items() if age is not None and age >= DAY}

    seen_before = {session.id for session in mem.list_conversations("ada")}
    result = mem.cleanup()

    assert seen_before == set(ages) - gone
    assert result.sessions_deleted == len(gone)
    assert result.turns_deleted == sum(counts[id_] for id_ in gone)
    assert result.errors == ()
    for id_, turns in counts.items():
        assert len(mem.get_session_history(id_)) == (0 if id_ in gone else turns)
    left = superuser.execute(
        "SELECT id::text FROM conversations WHERE id = ANY(%s::uuid[])", [list(ages)]
    ).fetchall()
    assert {id_ for (id_,) in left} == set(ages) - gone


# Python has no time before the year 1 in UTC, and our own checks let none in.
MOMENTS = st.datetimes(
    datetime(2, 1, 1),  # noqa: DTZ001
    datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.timezones(),
)


@HUNDRED
@given(
    order=st.integers(1, 8).flatmap(lambda most: st.permutations(range(1, most + 1))),
    moments=st.lists(MOMENTS, min_size=1, max_size=3),
    limit=st.integers(1, 8),
)
def test_property_07_chronological_ordering(
    new_memory: Callable[[], Tenant],
    superuser: Superuser,
    order: list[int],
    moments: list[Any],
    limit: int,
) -> None:
    """Turns come in the order of their numbers, however they were stored and timed."""
    mem = new_memory()
    session_id = mem.create_session("ada")
    for place, turn in enumerate(order):
        for role in ("assistant", "user") if place % 2 else ("user", "assistant"):
            values = {
                "session_id": session_id,
                "turn": turn,
                "role": role,
                "content": f"{role} {turn}",
                "said_at": moments[place % len(moments)],
            }
            superuser.execute(INSERT, values)

    history = mem.get_session_history(session_id, limit)

    newest = sorted(order)[-limit:]
    assert [turn.turn_number for turn in history] == newest
    assert [turn.query_text for turn in history] == [f"user {turn}" for turn in newest]
    assert [turn.response_text for turn in history] == [f"assistant {turn}" for turn in newest]


@HUNDRED
@given(
    turns=st.lists(st.tuples(said.words, said.words), min_size=1, max_size=3),
    metadata=said.json_objects,
)
def test_property_10_long_term_memory_persistence(
    restarted: Longterm,
    new_tenant_id: Callable[[], int],
    turns: list[tuple[str, str]],
    metadata: dict[str, Any],
) -> None:
    """What was stored is there after a restart, and the numbering goes on."""
    mem = restarted.tenant(tenant_id := new_tenant_id())
    session_id = mem.create_session("ada")
    stored = [mem.store_turn(session_id, "ada", *turn, metadata) for turn in turns]

    restarted.close()
    restarted.open()

    mem = restarted.tenant(tenant_id)
    history = mem.get_session_history(session_id)
    next_ = mem.store_turn(session_id, "ada", "and now?", "still here")
    assert history == stored
    assert next_.turn_number == len(turns) + 1


@HUNDRED
@given(
    blank=said.blank,
    words=said.words,
    negative=st.integers(-(2**31), 0),
    role=st.sampled_from(["user", "assistant"]),
    wrong_role=said.words.filter(lambda text: text not in ("user", "assistant")),
)
def test_property_11_database_constraint_compliance(
    new_memory: Callable[[], Tenant],
    superuser: Superuser,
    blank: str,
    words: str,
    negative: int,
    role: str,
    wrong_role: str,
) -> None:
    """Blank text, bad numbers and unknown roles are refused by the code and by the database."""
    mem = new_memory()
    session_id = mem.create_session("ada")
    before = [mem.store_turn(session_id, "ada", words, words)]

    for query, response in ((blank, words), (words, blank), (blank, blank)):
        with pytest.raises(InvalidInputError, match="must not be blank"):
            mem.store_turn(session_id, "ada", query, response)
    with pytest.raises(InvalidInputError, match="must not be blank"):
        mem.add_message("ada", role, blank, conversation_id=session_id)
    with pytest.raises(InvalidRoleError):
        mem.add_message("ada", wrong_role, words, conversation_id=session_id)
    with pytest.raises(CheckViolation, match="content_is_not_blank"):
        _insert(superuser, session_id, turn=2, role=role, content=blank)
    with pytest.raises(CheckViolation, match="turn_is_positive"):
        _insert(superuser, session_id, turn=negative, role=role, content=words)
    with pytest.raises(CheckViolation, match="role_is_known"):
        _insert(superuser, session_id, turn=2, role=wrong_role, content=words)
    with pytest.raises(UniqueViolation, match="one_message_per_role"):
        _insert(superuser, session_id, turn=1, role=role, content=words)

    assert mem.get_session_history(session_id) == before
    assert mem.get_conversation("ada", session_id).turn_count == 1


def _insert(superuser: Superuser, session_id: str, *, turn: int, role: str, content: str) -> None:
    values = {"session_id": session_id, "turn": turn, "role": role, "content": content}
    superuser.execute(INSERT, {**values, "said_at": "2024-01-01T00:00:00Z"})


def test_what_the_database_takes_for_blank_is_what_the_code_takes_for_blank(
    superuser: Superuser,
) -> None:
    """Property 11 for every character there is: no refusal by the database comes as a surprise."""
    (constraint,) = superuser.execute(
        "SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint"
        " WHERE conname = 'content_is_not_blank'"
    ).fetchone() or ("",)
    query = sql.SQL(
        "SELECT code FROM generate_series(1, 1114111) AS code,"
        " LATERAL (SELECT chr(code) AS content, NULL::json AS tool_calls) AS one"
        " WHERE code NOT BETWEEN 55296 AND 57343 AND NOT ({})"
    ).format(sql.SQL(cast("LiteralString", constraint)))

    refused = superuser.execute(query).fetchall()

    assert {chr(code) for (code,) in refused} == set(said.BLANKS)
