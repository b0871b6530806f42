"""d8: the demo shows every kind of memory, and leaves nothing behind."""

import asyncio

import pytest

from longterm import AsyncTenant, ConflictError
from tests.outside import Raw, rows_of


async def test_the_demo_shows_facts_a_place_an_episode_and_a_replaced_fact(
    mem: AsyncTenant,
) -> None:
    made = await mem.load_demo("ada")
    again = await mem.load_demo("ada")

    held = await mem.list_facts("ada")
    assert made.id == again.id
    assert made.metadata == {"demo": True}
    assert len(held) >= 5
    (home,) = [fact for fact in held if fact.content == "Porto" or "Porto" in fact.content]
    before, after = await mem.fact_history("ada", home.id)
    assert "Lisbon" in before.content
    assert "Porto" in after.content
    assert [place.place_name for place in await mem.list_places("ada")] == ["Café Janis"]
    assert len(await mem.list_episodes(made.id)) == 1
    assert (await mem.get_changes("ada")).learning == 0


async def test_the_demo_is_removed_with_all_that_was_learned(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    await mem.load_demo("ada")

    removed = await mem.remove_demo("ada")

    assert removed == 1
    assert await mem.remove_demo("ada") == 0
    left = {table for table, rows in (await rows_of(raw, tenant_id)).items() if rows}
    assert left <= {"tenants", "users", "jobs", "generations", "forgettings"}
    assert (await mem.load_demo("ada")).id


async def test_who_loads_it_twice_at_once_has_one(mem: AsyncTenant) -> None:
    made = await asyncio.gather(*(mem.load_demo("ada") for _ in range(3)))

    assert len({one.id for one in made}) == 1
    assert len(await mem.list_conversations("ada")) == 1


async def test_the_demo_replaces_nothing_that_is_known(mem: AsyncTenant) -> None:
    await mem.add_fact("ada", "Ada lives in Rome")

    with pytest.raises(ConflictError, match="nothing is known"):
        await mem.load_demo("ada")

    assert await mem.count_messages("ada") == 0
