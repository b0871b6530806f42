"""§3 Yours: with a forgotten message goes what it taught, and what it replaced holds again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from longterm import AsyncTenant
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.planted import found_in_tables
from tests.outside import Raw

JANUARY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def mem(runtime: Runtime, tenant_id: int) -> AsyncTenant:
    """With vectors that cost nothing."""
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    return AsyncTenant(replace(runtime.parts, embedders=embedders), Scope(tenant_id))


async def test_what_a_forgotten_message_replaced_holds_again(mem: AsyncTenant, raw: Raw) -> None:
    await mem.add_message("ada", "user", "My name is Alice.", created_at=JANUARY)
    second = await mem.add_message(
        "ada", "user", "My name is Zelda.", created_at=JANUARY + timedelta(days=1)
    )
    await mem.digest((await mem.current_conversation("ada")).id)
    (fact,) = await mem.list_facts("ada")
    assert fact.content == "Zelda"
    here = (await mem.current_conversation("ada")).id

    await mem.forget_message("ada", second)
    await mem.digest(here)

    (fact,) = await mem.list_facts("ada")
    assert (fact.content, fact.version, fact.valid_to) == ("Alice", 1, None)
    assert [item.text for item in (await mem.recall("ada", "my name", kinds=("fact",))).items]
    assert await found_in_tables(raw, ["Zelda", "zelda"]) == set()


async def test_a_fact_that_others_said_too_stays_and_rests_on_them(mem: AsyncTenant) -> None:
    first = await mem.add_message("ada", "user", "My name is Alice.", created_at=JANUARY)
    second = await mem.add_message(
        "ada", "user", "My name is Alice.", created_at=JANUARY + timedelta(days=1)
    )
    third = await mem.add_message(
        "ada", "user", "My name is Alice.", created_at=JANUARY + timedelta(days=2)
    )
    await mem.digest((await mem.current_conversation("ada")).id)

    await mem.forget_message("ada", third)
    assert [one.said_count for one in await mem.list_facts("ada")] == [2]

    await mem.forget_message("ada", first)
    (fact,) = await mem.list_facts("ada")
    assert (fact.content, fact.source_message_id, fact.said_count) == ("Alice", second, 1)
    assert fact.valid_from == JANUARY + timedelta(days=1)

    await mem.forget_message("ada", second)
    assert await mem.list_facts("ada") == []


async def test_what_a_person_said_stays(mem: AsyncTenant) -> None:
    message = await mem.add_message("ada", "user", "My name is Alice.", created_at=JANUARY)
    await mem.digest((await mem.current_conversation("ada")).id)
    (fact,) = await mem.list_facts("ada")
    await mem.add_fact("ada", "likes tea")
    await mem.update_fact("ada", fact.id, content="Alicia")

    await mem.forget_message("ada", message)

    assert {one.content for one in await mem.list_facts("ada")} == {"Alicia", "likes tea"}
    assert [one.content for one in await mem.fact_history("ada", fact.id)] == ["Alicia"]
    assert "Alice" not in repr([entry async for entry in _trail(mem)])


async def _trail(mem: AsyncTenant):
    for entry in await mem.list_audit("ada", limit=100):
        yield entry


async def test_what_a_forgotten_message_ended_goes_on(mem: AsyncTenant) -> None:
    await mem.add_message("ada", "user", "I live in Rome.", created_at=JANUARY)
    ended = await mem.add_message(
        "ada", "user", "I no longer live in Rome.", created_at=JANUARY + timedelta(days=1)
    )
    await mem.digest((await mem.current_conversation("ada")).id)
    known = [fact.content for fact in await mem.list_facts("ada")]
    if known:
        pytest.fail(f"the rules do not take this for an end any more: {known}")

    await mem.forget_message("ada", ended)

    assert [fact.content for fact in await mem.list_facts("ada")] == ["Rome"]
