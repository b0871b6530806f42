"""SPEC 1, b7: an answer belongs to its question, also when the database goes away in between."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.faults.test_outage import Switch, settings, until_back
from tests.pairs import QUESTIONS, check_pairs, slow_echo


@pytest.fixture
async def running(
    new_database: Callable[[str], str], server: str, tmp_path: Path
) -> AsyncIterator[tuple[Runtime, Switch]]:
    """A Longterm whose model echoes slowly, on a database that can be taken away."""
    conninfo = new_database("longterm_parallel_outage")
    switch = Switch(server, conninfo)
    async with Runtime(settings(conninfo, tmp_path), llm=slow_echo(longest_s=1.5)) as runtime:
        try:
            yield runtime, switch
        finally:
            await asyncio.to_thread(switch.on)


@pytest.mark.parametrize("cut_after_s", [None, 0.0, 0.3, 0.8])
async def test_20_questions_at_once_have_their_own_answers_when_the_database_goes_away(
    running: tuple[Runtime, Switch], tenant_id: int, cut_after_s: float | None
) -> None:
    runtime, switch = running
    mem = runtime.tenant(Scope(tenant_id))
    place = (await mem.create_conversation("ada")).id
    if cut_after_s is None:
        # Before the first question: everything goes through the journal.
        await asyncio.to_thread(switch.off)

    chats = [
        asyncio.create_task(mem.chat("ada", text, conversation_id=place)) for text in QUESTIONS
    ]
    if cut_after_s is not None:
        await asyncio.sleep(cut_after_s)
        await asyncio.to_thread(switch.off)
    replies = await asyncio.gather(*chats)
    await asyncio.to_thread(switch.on)
    await until_back(runtime)

    assert [reply.answer for reply in replies] == [f"echo: {text}" for text in QUESTIONS]
    await check_pairs(mem, place)
