"""b11: a tenant that switched memory off leaves nothing behind, and nothing is remembered for it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from longterm import AsyncTenant, Settings
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import facts, taught
from tests.outside import Raw, no_database, rows_of


def model() -> ScriptedModel:
    """A model that has an answer to everything, and nothing to learn."""
    return ScriptedModel(lambda prompt: "Well." if prompt.purpose == "chat" else facts())


async def kept(raw: Raw, tenant_id: int) -> dict[str, list[str]]:
    """All that there is of a tenant, but for what its models cost."""
    rows = await rows_of(raw, tenant_id)
    return {table: found for table, found in rows.items() if table != "usage"}


async def test_chat_of_a_tenant_without_memory_reads_nothing_and_leaves_nothing(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """b11"""
    scripted = model()
    mem = taught(runtime, tenant_id, scripted)
    await mem.add_fact("ada", "Alex", category="identity", key="name")
    earlier = await mem.chat("ada", "I live in Porto.")
    await mem.digest(str(earlier.conversation_id))
    await mem.embed("ada")
    await mem.update_settings(memory=False)
    before = await kept(raw, tenant_id)

    replies = [
        await mem.chat("ada", "xyzzy"),
        await mem.chat("ada", "xyzzy", conversation_id=earlier.conversation_id),
        await mem.chat("ada", "xyzzy", temporary=True),
        await mem.chat_in_session("ada", "xyzzy"),
        await mem.chat_in_session("ada", "xyzzy", earlier.conversation_id),
    ]
    events = [event async for event in mem.stream("ada", "xyzzy")]
    await runtime.parts.aside.finish()

    assert await kept(raw, tenant_id) == before
    assert {reply.answer for reply in replies} == {"Well."}
    assert [reply.message_id for reply in replies] == [None] * 5
    assert all(reply.memories is None for reply in replies)
    assert events[-1].kind == "done"
    for prompt in scripted.prompts[-6:]:
        told = prompt.instructions + "".join(said.text for said in prompt.messages)
        assert "Alex" not in told
        assert "Porto" not in told
        assert prompt.tools == ()


async def test_a_session_of_a_tenant_without_memory_is_only_a_number(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b1, b11"""
    await mem.update_settings(memory=False)
    before = await kept(raw, tenant_id)

    first = await mem.chat_in_session("ada", "Hello")
    again = await mem.chat_in_session("ada", "Hello", first.conversation_id)

    assert first.conversation_id == again.conversation_id
    assert first.conversation_id is not None
    assert await kept(raw, tenant_id) == before


async def test_without_memory_even_what_is_in_ram_is_not_read(
    runtime: Runtime, tenant_id: int
) -> None:
    """b11: also where a request switches it off."""
    scripted = model()
    mem = taught(runtime, tenant_id, scripted)
    earlier = await mem.chat("ada", "I live in Porto.")

    await mem.chat("ada", "Where?", conversation_id=earlier.conversation_id, memory=False)

    assert [said.text for said in scripted.prompts[-1].messages] == ["Where?"]


async def test_what_an_application_stores_is_kept_but_not_indexed_and_not_learned_from(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b11"""
    await mem.update_settings(memory=False)
    await mem.add_message("ada", "user", "My name is Alex and I live in Porto.")
    place = (await mem.current_conversation("ada")).id

    await mem.digest(place)

    rows = await kept(raw, tenant_id)
    assert len(rows["messages"]) == 1
    assert rows["passages"] == rows["postings"] == rows["facts"] == rows["episodes"] == []
    assert (await mem.recall("ada", "Where do I live?")).items == ()


async def test_what_was_said_while_memory_was_off_is_not_learned_when_it_is_on_again(
    mem: AsyncTenant,
) -> None:
    """b11"""
    await mem.update_settings(memory=False)
    await mem.add_message("ada", "user", "My name is Alex.")
    place = (await mem.current_conversation("ada")).id
    await mem.digest(place)

    await mem.update_settings(memory=True)
    await mem.add_message("ada", "user", "I live in Porto.")
    await mem.digest(place)

    known = {fact.content for fact in await mem.get_active_facts("ada")}
    found = await mem.recall("ada", "Alex Porto", kinds=("turn",))
    assert "Alex" not in str(known)
    assert "Porto" in str(known)
    assert [item.text for item in found.items] == ["I live in Porto."]


@pytest.mark.parametrize("seen_before", [True, False])
async def test_during_an_outage_nothing_of_a_tenant_without_memory_reaches_the_tables(
    new_database: Callable[[str], str], server: str, tmp_path: Path, seen_before: bool
) -> None:
    """b7, b11"""
    conninfo = new_database("stateless")
    settings = Settings(database_url=conninfo, journal_dir=tmp_path)
    async with Runtime(settings, llm=model()) as runtime:
        mem = runtime.tenant(Scope(1))
        await mem.update_settings(memory=False)
        if seen_before:
            await mem.chat("ada", "Hello")

        async with no_database(server, conninfo):
            reply = await mem.chat("ada", "xyzzy")
            waiting = runtime.parts.outage.pending
        async with asyncio.timeout(60):
            while runtime.parts.outage.is_on:
                await asyncio.sleep(0.05)

        # Who was never seen here may have memory: it waits on disk, and is dropped then.
        assert (reply.answer, waiting) == ("Well.", 0 if seen_before else 2)
        assert await mem.count_messages("ada") == 0
