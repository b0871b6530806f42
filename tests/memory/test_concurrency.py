"""Many writers at once: numbers without gap or double, and nothing lost."""

from asyncio import gather
from collections import Counter
from collections.abc import Awaitable
from typing import Any, TypeVar
from uuid import uuid4

import pytest

from longterm import AsyncTenant
from longterm.errors import MemoryNotFoundError
from longterm.records.message import Message
from tests.outside import Raw, expire, rows_of

T = TypeVar("T")

WRITERS = 50


async def all_messages(mem: AsyncTenant, conversation_id: str) -> list[Message]:
    """Every message of a conversation."""
    return list(await mem.get_messages(conversation_id, limit=1000))


async def at_once(*calls: Awaitable[T], fair: type[Exception] | None = None) -> list[T]:
    """What came of calls that ran at once; an error that is not fair fails the test."""
    came = await gather(*calls, return_exceptions=True)
    errors = [one for one in came if isinstance(one, BaseException)]
    if unfair := [error for error in errors if fair is None or not isinstance(error, fair)]:
        raise BaseExceptionGroup(f"{len(unfair)} of {len(came)} calls failed", unfair)
    return [one for one in came if not isinstance(one, BaseException)]


async def test_50_writers_to_one_conversation_number_it_without_gap_or_double(
    mem: AsyncTenant,
) -> None:
    """SPEC 1, b3"""
    id_ = (await mem.create_conversation("ada")).id

    def write(number: int) -> Awaitable[Any]:
        if number % 2:
            return mem.store_turn(id_, "ada", f"query {number}", f"response {number}")
        role = "user" if number % 4 else "assistant"
        return mem.add_message("ada", role, f"message {number}", conversation_id=id_)

    await at_once(*(write(number) for number in range(WRITERS)))

    messages = await all_messages(mem, id_)
    turns = [message.turn for message in messages]
    count = (await mem.get_conversation("ada", id_)).turn_count
    assert sorted(set(turns)) == list(range(1, count + 1))
    assert turns == sorted(turns)
    assert max(Counter((message.turn, message.role) for message in messages).values()) == 1
    assert {message.content for message in messages} == {
        *(f"query {number}" for number in range(1, WRITERS, 2)),
        *(f"response {number}" for number in range(1, WRITERS, 2)),
        *(f"message {number}" for number in range(0, WRITERS, 2)),
    }
    assert len(messages) == WRITERS // 2 * 3


async def test_50_stored_turns_at_once_keep_each_question_with_its_answer(
    mem: AsyncTenant,
) -> None:
    """b3"""
    session_id = await mem.create_session("ada")

    told = await at_once(
        *(mem.store_turn(session_id, "ada", f"q {n}", f"a {n}") for n in range(WRITERS))
    )

    stored = await mem.get_session_history(session_id, limit=50)
    assert sorted(told, key=lambda turn: turn.turn_number) == stored
    assert [turn.turn_number for turn in stored] == list(range(1, WRITERS + 1))
    assert {(turn.query_text, turn.response_text) for turn in stored} == {
        (f"q {number}", f"a {number}") for number in range(WRITERS)
    }


async def test_in_a_conversation_ids_rise_with_turns_however_many_write(mem: AsyncTenant) -> None:
    """d1"""
    id_ = (await mem.create_conversation("ada")).id

    await at_once(
        *(mem.add_message("ada", "user", f"{n}", conversation_id=id_) for n in range(WRITERS))
    )

    messages = await all_messages(mem, id_)
    assert [message.id for message in messages] == sorted(message.id for message in messages)
    assert [message.turn for message in messages] == list(range(1, WRITERS + 1))


@pytest.mark.parametrize("known", [False, True])
async def test_50_first_messages_at_once_make_one_conversation(
    mem: AsyncTenant, known: bool
) -> None:
    """a1"""
    if known:
        await mem.set_user_state("ada", "active")

    await at_once(*(mem.add_message("ada", "user", f"{n}") for n in range(WRITERS)))

    (conversation,) = await mem.list_conversations("ada", archived=None)
    messages = await all_messages(mem, conversation.id)
    assert [message.turn for message in messages] == list(range(1, WRITERS + 1))
    assert {message.content for message in messages} == {f"{n}" for n in range(WRITERS)}


async def test_the_current_conversation_asked_for_by_many_at_once_is_one(mem: AsyncTenant) -> None:
    """a1"""
    await mem.set_user_state("ada", "active")

    found = await at_once(*(mem.current_conversation("ada") for _ in range(WRITERS)))

    assert len({conversation.id for conversation in found}) == 1


async def test_first_messages_of_many_users_at_once_make_one_conversation_each(
    mem: AsyncTenant,
) -> None:
    """a1"""
    users = [f"user {number}" for number in range(10)]

    await at_once(*(mem.add_message(user, "user", "hello") for user in users * 3))

    for user in users:
        (conversation,) = await mem.list_conversations(user)
        assert conversation.turn_count == 3


async def test_making_and_using_conversations_at_once_loses_nothing(mem: AsyncTenant) -> None:
    """a1"""
    made = [await mem.create_conversation("ada") for _ in range(3)]

    def work(number: int) -> Awaitable[Any]:
        if number % 3 == 0:
            return mem.create_conversation("ada")
        if number % 3 == 1:
            return mem.add_message("ada", "user", f"{number}")
        id_ = made[number % len(made)].id
        return mem.add_message("ada", "user", f"{number}", conversation_id=id_)

    await at_once(*(work(number) for number in range(90)))

    assert await mem.count_messages("ada") == 60
    assert len(await mem.list_conversations("ada", limit=1000)) == 33


async def test_20_values_for_one_key_at_once_leave_one_row_with_one_of_them(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """a3"""
    ids = await at_once(*(mem.set_memory("ada", "key", {"value": n}) for n in range(20)))

    value = await mem.get_memory("ada", "key")
    assert value in [{"value": n} for n in range(20)]
    assert len(set(ids)) == 1
    assert len((await rows_of(raw, tenant_id))["user_memory"]) == 1


@pytest.mark.parametrize("expired", [False, True])
async def test_20_turns_at_once_for_a_session_that_is_not_there_make_one(
    mem: AsyncTenant, raw: Raw, tenant_id: int, expired: bool
) -> None:
    """b1, b3"""
    session_id = str(uuid4())
    if expired:
        await mem.store_turn(session_id, "ada", "old", "old")
        await expire(raw, session_id)

    await at_once(*(mem.store_turn(session_id, "ada", f"{n}", "answer") for n in range(20)))

    turns = await mem.get_session_history(session_id, limit=50)
    assert [turn.turn_number for turn in turns] == list(range(1, 21))
    assert {turn.query_text for turn in turns} == {f"{n}" for n in range(20)}
    assert len((await rows_of(raw, tenant_id))["conversations"]) == 1


async def test_a_session_that_two_users_want_at_once_is_one_users_alone(mem: AsyncTenant) -> None:
    """b1"""
    session_id = str(uuid4())
    users = ["ada", "bob"] * 10

    stored = await at_once(
        *(mem.store_turn(session_id, user, user, "answer") for user in users),
        fair=MemoryNotFoundError,
    )

    turns = await mem.get_session_history(session_id, limit=50)
    assert len({turn.user_id for turn in turns}) == 1
    assert len(turns) == len(stored) == 10


async def test_20_versions_of_a_template_at_once_are_numbered_without_gap(
    mem: AsyncTenant,
) -> None:
    """a6"""
    templates = await at_once(*(mem.set_template("t", f"body {n}") for n in range(20)))

    assert sorted(template.version for template in templates) == list(range(1, 21))
    newest = await mem.get_template("t")
    assert newest in templates
    assert newest.version == 20


async def test_settings_and_states_set_at_once_for_a_new_tenant_are_all_there(
    mem: AsyncTenant,
) -> None:
    """a4, b4"""

    def work(number: int) -> Awaitable[Any]:
        if number % 2:
            return mem.update_settings(session_retention=1)
        return mem.set_user_state(f"user {number}", "halted")

    await at_once(*(work(number) for number in range(40)))

    states = [await mem.get_user_state(f"user {n}") for n in range(0, 40, 2)]
    assert all(state is not None and state.mode == "halted" for state in states)


async def test_writing_while_the_history_is_cleared_fails_nobody(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """a1"""

    def work(number: int) -> Awaitable[Any]:
        if number % 4 == 0:
            return mem.clear_conversation_history("ada")
        return mem.add_message("ada", "user", f"{number}")

    for _ in range(5):
        await at_once(*(work(number) for number in range(40)))

    left = await mem.count_messages("ada")
    assert len((await rows_of(raw, tenant_id))["messages"]) == left


async def test_storing_turns_while_the_session_is_deleted_fails_nobody(mem: AsyncTenant) -> None:
    """b2"""
    session_id = str(uuid4())

    def work(number: int) -> Awaitable[Any]:
        if number % 4 == 0:
            return mem.delete_session(session_id)
        return mem.store_turn(session_id, "ada", f"{number}", "answer")

    for _ in range(5):
        await at_once(*(work(number) for number in range(40)))

    turns = await mem.get_session_history(session_id, limit=50)
    numbers = [turn.turn_number for turn in turns]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_cleanups_at_once_share_the_work_and_count_each_turn_once(
    mem: AsyncTenant, raw: Raw
) -> None:
    """b4"""
    for _ in range(10):
        session_id = await mem.create_session("ada")
        for _ in range(3):
            await mem.store_turn(session_id, "ada", "question", "answer")
        await expire(raw, session_id)

    results = await at_once(*(mem.cleanup() for _ in range(5)))

    assert sum(result.sessions_deleted for result in results) == 10
    assert sum(result.turns_deleted for result in results) == 30
    assert not any(result.errors for result in results)


async def test_trims_at_once_count_each_message_once(mem: AsyncTenant) -> None:
    """a7"""
    for number in range(30):
        await mem.add_message("ada", "user", f"{number}")

    trimmed = await at_once(*(mem.trim_history("ada", keep_last=10) for _ in range(5)))

    assert sum(trimmed) == 20
    left = await mem.get_recent_messages("ada", 1000)
    assert [message.content for message in left] == [f"{number}" for number in range(20, 30)]
