"""d4, e: recall, chat and streams, and what is of the tenant, through every door."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from longterm import ConflictError, HaltedError, InvalidInputError, MemoryNotFoundError
from longterm.client import AsyncClient
from tests.contract.conftest import House


async def test_recall_finds_the_same(mem: AsyncClient, house: House) -> None:
    """e1"""
    await mem.add_fact("ada", "Ada lives in Lisbon")
    await mem.add_message("ada", "user", "I went hiking in Sintra.")
    await house.memory.digest((await mem.current_conversation("ada")).id)

    found = await mem.recall("ada", "Where did I go hiking?", limit=5, kinds=["turn", "fact"])
    same = await house.memory.recall(
        "ada", "Where did I go hiking?", limit=5, kinds=["turn", "fact"]
    )

    assert "Sintra" in found.text
    assert _timeless(found.items) == _timeless(same.items)
    assert (found.stable_prefix, found.turn_tail) == (same.stable_prefix, same.turn_tail)
    assert found.tokens == same.tokens
    assert set(found.timings_ms) == set(same.timings_ms)
    none = await mem.recall("ada", "hiking", after=datetime.now(UTC) + timedelta(days=1))
    assert none.turns == ()
    with pytest.raises(InvalidInputError):
        await mem.recall("ada", "hiking", kinds=[])


async def test_an_exchange_is_answered_and_kept(mem: AsyncClient, house: House) -> None:
    """d4"""
    reply = await mem.chat("ada", "hello")

    assert (reply.answer, reply.error, reply.degraded) == ("You said hello", None, False)
    assert reply.memories is not None
    kept = await mem.get_recent_messages("ada")
    assert [message.id for message in kept] == [reply.message_id, reply.answer_id]
    assert reply.answer_id is not None
    used = await mem.get_memories_used("ada", reply.answer_id)
    assert used == await house.memory.get_memories_used("ada", reply.answer_id)
    temporary = await mem.chat("ada", "hush", temporary=True)
    assert temporary.message_id is None
    assert await mem.count_messages("ada") == 2


async def test_an_answer_comes_in_events(mem: AsyncClient) -> None:
    """d4"""
    words = "one two \u2028 three\n\nfour"

    events = [event async for event in mem.stream("ada", words)]

    assert [events[0].kind, events[-1].kind] == ["start", "done"]
    spoken = "".join(event.text for event in events if event.kind == "delta")
    assert spoken == f"You said {words}"
    reply = events[-1].reply
    assert reply is not None
    assert (reply.answer, reply.conversation_id) == (spoken, events[0].ids["conversation_id"])
    assert reply.message_id is not None
    again = [event async for event in mem.follow("ada", reply.message_id, after=4)]
    assert "".join(event.text for event in again) == spoken[4:]
    assert await mem.stop_answer("ada", reply.message_id) is False


async def test_a_halted_user_is_not_answered(mem: AsyncClient) -> None:
    """a3"""
    await mem.set_user_state("ada", "halted")

    with pytest.raises(HaltedError):
        await mem.chat("ada", "hello")
    with pytest.raises(HaltedError):
        _ = [event async for event in mem.stream("ada", "hello")]
    with pytest.raises(MemoryNotFoundError):
        _ = [event async for event in mem.follow("ada", 2**60)]


async def test_settings_are_kept(mem: AsyncClient, house: House) -> None:
    settings = await mem.update_settings(
        conversation_retention=timedelta(days=3), session_retention="keep", model_calls_per_day=5
    )

    assert settings.conversation_retention == timedelta(days=3)
    assert await mem.get_settings() == settings == await house.memory.get_settings()
    with pytest.raises(InvalidInputError):
        await mem.update_settings(session_retention=-1)


async def test_keys_are_made_and_revoked(mem: AsyncClient, house: House) -> None:
    issued = await mem.create_key("phone", "user", "ada")

    assert issued.secret.startswith("lt_")
    listed = {key.id: key for key in await mem.list_keys()}
    assert listed[issued.key.id] == issued.key
    assert await mem.revoke_key(issued.key.id) is True
    assert await mem.revoke_key(issued.key.id) is False


async def test_numbers_and_users_of_a_tenant(mem: AsyncClient, house: House) -> None:
    await mem.add_message("ada", "user", "Hello")
    await mem.add_message("bob", "user", "Hello")

    users = await mem.list_users(limit=1)

    assert [one.id for one in users] == ["ada"]
    assert [one.id for one in await mem.list_users(1, users.next_cursor)] == ["bob"]
    assert await mem.get_stats() == await house.memory.get_stats()
    assert await mem.get_changes("ada") == await house.memory.get_changes("ada")
    await mem.chat("ada", "hello")
    insight, same = await mem.get_insight("ada"), await house.memory.get_insight("ada")
    assert replace(insight, queue=same.queue) == same
    assert insight.usage[0].cost
    cleaned = await mem.cleanup()
    assert (cleaned.sessions_deleted, cleaned.errors) == (0, ())


async def test_the_demo_comes_and_goes(mem: AsyncClient) -> None:
    demo = await mem.load_demo("ada")

    assert await mem.get_conversation("ada", demo.id) == demo
    assert await mem.remove_demo("ada") == 1
    await mem.add_fact("ada", "Ada lives in Lisbon")
    with pytest.raises(ConflictError, match="nothing is known yet"):
        await mem.load_demo("ada")


def _timeless(items: tuple[object, ...]) -> list[tuple[object, ...]]:
    names = ("kind", "id", "text", "why", "conversation_id", "message_ids", "turn_start", "said_at")
    return [tuple(getattr(item, name) for name in names) for item in items]
