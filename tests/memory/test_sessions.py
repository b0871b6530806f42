"""b1, b2, b3: sessions and their turns."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.errors import MemoryNotFoundError
from longterm.recall.context import WINDOW
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.text.prompt_data import block
from tests.outside import Raw, rows_of


async def session_of(mem: AsyncTenant, turns: int, user_id: str = "ada") -> str:
    """A session with turns `q1`/`a1`, `q2`/`a2` and so on; returns its id."""
    session_id = await mem.create_session(user_id)
    for number in range(1, turns + 1):
        await mem.store_turn(session_id, user_id, f"q{number}", f"a{number}")
    return session_id


async def test_create_session(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")

    session = await mem.get_conversation("ada", session_id)

    assert str(UUID(session_id)) == session_id
    assert (session.kind, session.user_id, session.turn_count) == ("session", "ada", 0)
    assert session.expires_at is not None


async def test_store_turn(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")

    first = await mem.store_turn(session_id, "ada", "What?", "That.", {"intent": "x", "n": 1.0})
    second = await mem.store_turn(UUID(session_id), "ada", "Why?", "Because.")

    assert (first.session_id, first.user_id, first.turn_number) == (session_id, "ada", 1)
    assert (first.query_text, first.response_text) == ("What?", "That.")
    assert repr(first.metadata) == "{'intent': 'x', 'n': 1.0}"
    assert (second.turn_number, second.metadata) == (2, {})
    assert second.created_at > first.created_at
    assert await mem.get_session_history(session_id) == [first, second]


async def test_get_session_history(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await session_of(mem, turns=55)

    default = await mem.get_session_history(session_id)
    two = await mem.get_session_history(session_id, limit=2)
    most = await mem.get_session_history(session_id, 50)

    assert [turn.turn_number for turn in default] == list(range(36, 56))
    assert [turn.turn_number for turn in two] == [54, 55]
    assert [turn.turn_number for turn in most] == list(range(6, 56))
    assert all(turn.query_text == f"q{turn.turn_number}" for turn in most)


@pytest.mark.parametrize("limit", [51, 0, -1, 2**40, 1.5, True, "20"])
async def test_a_session_history_has_1_to_50_turns(mem: AsyncTenant, limit: Any) -> None:
    """b2"""
    session_id = await session_of(mem, turns=1)

    with pytest.raises(InvalidInputError, match="limit"):
        await mem.get_session_history(session_id, limit)


async def test_the_installation_decides_how_many_turns_are_read_when_nothing_is_said(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    """b2"""
    session_id = await session_of(mem, turns=5)
    parts = replace(runtime.parts, rules=replace(runtime.parts.rules, history_limit=3))

    turns = await AsyncTenant(parts, Scope(tenant_id)).get_session_history(session_id)

    assert [turn.turn_number for turn in turns] == [3, 4, 5]


async def test_delete_session(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    """b2"""
    session_id, other = await session_of(mem, turns=3), await session_of(mem, turns=1)

    assert await mem.delete_session(session_id) == 3

    assert await mem.get_session_history(session_id) == []
    assert len(await mem.get_session_history(other)) == 1
    assert len((await rows_of(raw, tenant_id))["messages"]) == 2


async def test_deleting_a_session_that_is_not_there_deletes_nothing(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """b2"""
    other = new_tenant()
    others = await session_of(other, turns=2)

    assert await mem.delete_session(uuid4()) == 0
    assert await mem.delete_session(others) == 0
    assert len(await other.get_session_history(others)) == 2


async def test_get_context_for_query(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await session_of(mem, turns=2)

    context = await mem.get_context_for_query(session_id, "and then?")

    assert (context.session_id, context.query) == (session_id, "and then?")
    assert context.turns == tuple(await mem.get_session_history(session_id))
    assert context.text == block(
        WINDOW, ["- user: q1", "- assistant: a1", "- user: q2", "- assistant: a2"]
    )


async def test_the_context_has_the_query_with_its_references_resolved(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")
    await mem.store_turn(
        session_id, "ada", "Which cheese goes into fondue?", "Gruyère and Vacherin."
    )

    context = await mem.get_context_for_query(session_id, "How long does it keep?")

    assert context.query == "How long does it keep?"
    assert context.resolved_query.startswith("How long does it keep? [")
    assert "fondue" in context.resolved_query


async def test_the_context_leaves_out_what_was_never_said(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")
    await mem.add_message("ada", "assistant", "Welcome!", conversation_id=session_id)
    await mem.add_message("ada", "user", "Hello?", conversation_id=session_id)

    context = await mem.get_context_for_query(session_id, "and?")

    assert context.text == block(WINDOW, ["- assistant: Welcome!", "- user: Hello?"])
    assert [(turn.query_text, turn.response_text) for turn in context.turns] == [
        ("", "Welcome!"),
        ("Hello?", ""),
    ]


async def test_an_empty_session_has_no_turns_and_no_context(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")

    assert await mem.get_session_history(session_id) == []
    assert (await mem.get_context_for_query(session_id, "and?")).text == ""


async def test_a_session_that_is_not_there_has_no_turns_and_no_context(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """b1"""
    others = await session_of(new_tenant(), turns=1)

    for session_id in (str(uuid4()), others):
        assert await mem.get_session_history(session_id) == []
        assert (await mem.get_context_for_query(session_id, "and?")).turns == ()


async def test_a_turn_for_an_unknown_session_makes_it(mem: AsyncTenant) -> None:
    """b1"""
    session_id = str(uuid4())

    turn = await mem.store_turn(session_id, "ada", "question", "answer")

    assert (turn.session_id, turn.turn_number) == (session_id, 1)
    assert (await mem.get_conversation("ada", session_id)).kind == "session"


async def test_a_session_of_another_tenant_is_an_unknown_one(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """b1, a5"""
    other = new_tenant()
    session_id = await session_of(other, turns=2)

    turn = await mem.store_turn(session_id, "ada", "question", "answer")

    assert turn.turn_number == 1
    assert await mem.get_session_history(session_id) == [turn]
    assert len(await other.get_session_history(session_id)) == 2


async def test_a_turn_for_another_users_session_is_refused(mem: AsyncTenant) -> None:
    """b1"""
    session_id = await session_of(mem, turns=1, user_id="bob")

    with pytest.raises(MemoryNotFoundError):
        await mem.store_turn(session_id, "ada", "question", "answer")

    assert len(await mem.get_session_history(session_id)) == 1


@pytest.mark.parametrize("blank", ["", " ", "\n\t\r\f\v", "\u00a0\u2003\u3000", "\x1c\x1d\x1e\x1f"])
@pytest.mark.parametrize("which", ["query", "response"])
async def test_query_and_response_are_not_blank(
    mem: AsyncTenant, raw: Raw, tenant_id: int, which: str, blank: str
) -> None:
    """b3"""
    query, response = (blank, "answer") if which == "query" else ("question", blank)

    with pytest.raises(InvalidInputError, match=f"{which} must not be blank"):
        await mem.store_turn(uuid4(), "ada", query, response)

    assert not any((await rows_of(raw, tenant_id)).values())


@pytest.mark.parametrize(
    "malformed", ["", "1", "not-a-uuid", "6f9619ff-8b86-d011-b42d-00c04fc9", 7]
)
async def test_a_malformed_session_id_is_refused(mem: AsyncTenant, malformed: Any) -> None:
    """b1"""
    calls = (
        lambda: mem.store_turn(malformed, "ada", "question", "answer"),
        lambda: mem.get_session_history(malformed),
        lambda: mem.delete_session(malformed),
        lambda: mem.get_context_for_query(malformed, "and?"),
    )

    for call in calls:
        with pytest.raises(InvalidInputError, match="session_id must be"):
            await call()


async def test_very_long_questions_and_answers_are_kept_whole(mem: AsyncTenant) -> None:
    """b2"""
    session_id = await mem.create_session("ada")

    await mem.store_turn(session_id, "ada", "q" * 1_000_000, "é" * 500_000)

    (turn,) = await mem.get_session_history(session_id)
    assert (len(turn.query_text), len(turn.response_text)) == (1_000_000, 500_000)


async def test_turns_of_messages_and_stored_turns_are_numbered_together(mem: AsyncTenant) -> None:
    """b3, SPEC 1"""
    session_id = await mem.create_session("ada")
    ways = itertools.cycle(
        (
            lambda: mem.store_turn(session_id, "ada", "q", "a"),
            lambda: mem.add_message("ada", "user", "q", conversation_id=session_id),
        )
    )

    for way in itertools.islice(ways, 6):
        await way()

    turns = await mem.get_session_history(session_id)
    assert [turn.turn_number for turn in turns] == [1, 2, 3, 4, 5, 6]
