"""e4: what is learned from messages in the background, with nothing but rules."""

import asyncio
from dataclasses import replace

import psycopg
import pytest

from longterm import AsyncTenant
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import ledger


@pytest.fixture
def mem(runtime: Runtime, tenant_id: int) -> AsyncTenant:
    """With vectors that cost nothing: rules do not look at them."""
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    return AsyncTenant(replace(runtime.parts, embedders=embedders), Scope(tenant_id))


async def say(mem: AsyncTenant, *contents: str) -> str:
    conversation = await mem.create_conversation("ada")
    for content in contents:
        await mem.add_message("ada", "user", content, conversation_id=conversation.id)
    return conversation.id


async def known(mem: AsyncTenant) -> dict[str, str]:
    return {str(fact.key): fact.content for fact in await mem.get_active_facts("ada")}


async def test_a_fact_is_learned_with_its_source_and_the_words_it_rests_on(
    mem: AsyncTenant,
) -> None:
    conversation_id = await say(mem, "Hi! My name is Alex and the weather is nice.")

    await mem.digest(conversation_id)

    (fact,) = await mem.get_active_facts("ada")
    (message,) = await mem.get_messages(conversation_id)
    assert (fact.category, fact.key, fact.content) == ("identity", "name", "Alex")
    assert (fact.origin, fact.source_message_id) == ("rules", message.id)
    assert "Alex" in message.content[fact.span_start : fact.span_end]
    assert fact.said_at == fact.valid_from == message.created_at


async def test_what_the_assistant_says_is_not_learned(mem: AsyncTenant) -> None:
    """No echo: 200 turns in which every answer repeats what memory said."""
    conversation_id = await say(mem, "My name is Alex.")
    for _ in range(200):
        await mem.add_message(
            "ada",
            "assistant",
            "My name is Bob. Your name is Alex.",
            conversation_id=conversation_id,
        )
    await mem.digest(conversation_id)

    assert await known(mem) == {"name": "Alex"}
    assert len(await mem.list_facts("ada")) == 1


async def test_digesting_twice_or_by_two_at_once_learns_once(mem: AsyncTenant) -> None:
    conversation_id = await say(mem, *(["My name is Alex."] * 3))

    await asyncio.gather(*(mem.digest(conversation_id) for _ in range(4)))
    await mem.digest(conversation_id)

    (fact,) = await mem.get_active_facts("ada")
    assert fact.said_count == 3


async def test_a_correction_takes_the_place_of_what_was_known(mem: AsyncTenant) -> None:
    """e5"""
    conversation_id = await say(mem, "My name is Alex.", "Actually, my name is Alexander.")

    await mem.digest(conversation_id)

    assert (await known(mem))["name"] == "Alexander"


async def test_the_ledger_tells_what_came_of_each_message(
    mem: AsyncTenant, raw: psycopg.AsyncConnection, tenant_id: int
) -> None:
    conversation_id = await say(mem, "My name is Alex.", "What time is it?")
    await mem.set_user_state("ada", "paused")
    await mem.digest(await say(mem, "I live in Rome."))
    await mem.set_user_state("ada", "active")
    await mem.digest(conversation_id)

    cursor = await raw.execute(
        "SELECT outcome, facts FROM ledger WHERE tenant_id = %s ORDER BY message_id", [tenant_id]
    )
    assert await cursor.fetchall() == [("extracted", 1), ("nothing", 0), ("skipped", 0)]
    assert await known(mem) == {"name": "Alex"}


async def test_a_worker_that_dies_before_it_commits_has_learned_nothing(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await say(mem, "My name is Alex.")

    async def die(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "write", die)
        with pytest.raises(asyncio.CancelledError):
            await mem.digest(conversation_id)
    before = await known(mem)
    await runtime.tenant(Scope(tenant_id)).digest(conversation_id)

    assert before == {}
    assert await known(mem) == {"name": "Alex"}
