"""b10: the properties of seed b that need an exchange: 5, 8, 9 and 12."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longterm import Settings, UnavailableError
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.faults.test_outage import Switch
from tests.memory.test_clarification import DOGS
from tests.properties.said import user_ids, words

hundred = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
anything = st.one_of(
    st.none(), st.text(max_size=60), st.uuids().map(str), st.integers(), st.binary(max_size=20)
)


@pytest.fixture(scope="module")
async def runtime(conninfo: str) -> AsyncIterator[Runtime]:
    """One whose vectors cost nothing: no property is about meaning."""
    async with Runtime(Settings(database_url=conninfo), embedder=ScriptedEmbedder()) as running:
        yield running


@hundred
@given(session_id=anything, query=words, user_id=user_ids)
async def test_property_05_invalid_session_handling(
    runtime: Runtime,
    new_tenant_id: Callable[[], int],
    session_id: object,
    query: str,
    user_id: str,
) -> None:
    """b1, b10: whatever is named as a session, a new one begins, and there is an answer."""
    mem = runtime.tenant(Scope(new_tenant_id()))

    reply = await mem.chat_in_session(user_id, query, session_id)  # pyright: ignore[reportArgumentType]
    again = await mem.chat_in_session(user_id, query, reply.conversation_id)

    assert reply.error is None
    assert reply.conversation_id != session_id
    assert again.conversation_id == reply.conversation_id
    assert len(await mem.get_session_history(str(reply.conversation_id))) == 2


@pytest.fixture(scope="module")
async def away(
    server: str,
    new_database: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Runtime]:
    """A Longterm whose database went away, and comes back at the end."""
    conninfo = new_database("longterm_away")
    model = ScriptedModel(lambda prompt: f"You said: {prompt.messages[-1].text}")
    given_ = Settings(
        database_url=conninfo,
        journal_dir=tmp_path_factory.mktemp("away"),
        journal_max_records=1_000_000,
    )
    switch = Switch(server, conninfo)
    async with Runtime(given_, llm=model, embedder=ScriptedEmbedder()) as running:
        await asyncio.to_thread(switch.off)
        try:
            yield running
        finally:
            await asyncio.to_thread(switch.on)


@hundred
@given(queries=st.lists(words, min_size=1, max_size=4), user_id=user_ids)
async def test_property_08_graceful_degradation_on_database_failure(
    away: Runtime, new_tenant_id: Callable[[], int], queries: list[str], user_id: str
) -> None:
    """b7, b10: with the database gone every query is answered, and kept."""
    mem = away.tenant(Scope(new_tenant_id()))
    before = away.parts.outage.pending

    replies = [await mem.chat_in_session(user_id, query) for query in queries]

    assert [reply.answer for reply in replies] == [f"You said: {query}" for query in queries]
    assert all(reply.degraded and reply.error is None for reply in replies)
    assert away.parts.outage.pending == before + 2 * len(queries)


@hundred
@given(
    chosen=st.integers(1, len(DOGS)),
    between=st.lists(st.sampled_from(["fact", "turn", "key", "state", "recall"]), max_size=4),
    others=st.lists(words, max_size=2),
)
async def test_property_09_memory_layer_independence(
    runtime: Runtime,
    new_tenant_id: Callable[[], int],
    chosen: int,
    between: list[str],
    others: list[str],
) -> None:
    """b5, b10: a question of ours that waits, and long-term memory, leave each other alone."""
    mem = runtime.tenant(Scope(new_tenant_id()))
    for dog in DOGS:
        await mem.add_fact("ada", dog)
    other = await mem.create_session("ada")
    for one in others:
        await mem.store_turn(other, "ada", one, one)
    asked = await mem.chat("ada", "How old is my dog?")
    facts = await mem.list_facts("ada")

    for what in between:
        if what == "fact":
            await mem.add_fact("bob", "has a cat")
        elif what == "turn":
            await mem.store_turn(await mem.create_session("ada"), "ada", "a", "b")
        elif what == "key":
            await mem.set_memory("ada", "key", {"a": 1})
        elif what == "state":
            await mem.set_user_state("ada", "active")
        else:
            await mem.recall("ada", "dog")
    resolved = await mem.chat("ada", str(chosen), conversation_id=asked.conversation_id)

    assert asked.options == DOGS
    assert resolved.options == ()
    assert resolved.memories is not None
    assert DOGS[chosen - 1] in resolved.memories.query
    await runtime.parts.aside.finish()
    assert [fact.content for fact in await mem.list_facts("ada")] == [one.content for one in facts]
    assert len(await mem.get_session_history(other)) == len(others)


@hundred
@given(user_id=user_ids, session_id=st.uuids().map(str), query=words)
async def test_property_12_error_logging_with_context(
    away: Runtime,
    new_tenant_id: Callable[[], int],
    caplog: pytest.LogCaptureFixture,
    user_id: str,
    session_id: str,
    query: str,
) -> None:
    """b9, b10: what fails is logged with session, user, operation and error, and no content."""
    tenant_id = new_tenant_id()
    caplog.clear()

    with caplog.at_level(logging.ERROR), pytest.raises(UnavailableError):
        await away.tenant(Scope(tenant_id)).store_turn(session_id, user_id, query, "the answer")

    events: list[dict[str, Any]] = [
        cast("dict[str, Any]", record.msg)
        for record in caplog.records
        if "operation failed" in str(record.msg)
    ]
    (event,) = [one for one in events if one["tenant"] == tenant_id]
    assert (event["tenant"], event["user"], event["conversation"]) == (
        tenant_id,
        user_id,
        session_id,
    )
    assert event["operation"] == "store_turn"
    assert event["error"]
    assert "the answer" not in str(event)


async def test_after_the_properties_all_that_was_acknowledged_is_there(
    server: str, new_database: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """b7: in order, once each."""
    conninfo = new_database("longterm_back")
    options = Settings(database_url=conninfo, journal_dir=tmp_path_factory.mktemp("back"))
    switch = Switch(server, conninfo)
    async with Runtime(options, llm=ScriptedModel(lambda _: "Fine.")) as running:
        mem = running.tenant(Scope(1))
        session = await mem.create_session("ada")
        await asyncio.to_thread(switch.off)
        for number in range(30):
            await mem.chat_in_session("ada", f"number {number}", session)
        await asyncio.to_thread(switch.on)
        async with asyncio.timeout(120):
            while running.parts.outage.is_on:
                await asyncio.sleep(0.05)

        turns = await mem.get_session_history(session, limit=50)

    assert [turn.query_text for turn in turns] == [f"number {number}" for number in range(30)]
    assert {turn.response_text for turn in turns} == {"Fine."}
