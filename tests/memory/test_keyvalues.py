"""a3: key-value memory."""

from collections.abc import Callable
from typing import Any

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.errors import MemoryNotFoundError
from tests.outside import Raw, rows_of


async def test_set_memory(mem: AsyncTenant, tenant_id: int) -> None:
    """a3"""
    memory_id = await mem.set_memory("ada", "preferences", {"language": "en"})

    (memory,) = await mem.get_all_memory("ada")

    assert (memory.id, memory.tenant_id, memory.user_id) == (memory_id, tenant_id, "ada")
    assert (memory.key, memory.value) == ("preferences", {"language": "en"})


async def test_get_memory(mem: AsyncTenant) -> None:
    """a3"""
    await mem.set_memory("ada", "context", {"topic": "async", "asked": 3})
    await mem.set_memory("ada", "other", {})
    await mem.set_memory("bob", "context", {"topic": "sync"})

    assert await mem.get_memory("ada", "context") == {"topic": "async", "asked": 3}
    assert await mem.get_memory("ada", "other") == {}
    assert await mem.get_memory("bob", "context") == {"topic": "sync"}


async def test_memory_upsert(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    """a3"""
    first = await mem.set_memory("ada", "preferences", {"language": "en", "level": "new"})
    (before,) = await mem.get_all_memory("ada")

    second = await mem.set_memory("ada", "preferences", {"language": "fr"})

    (after,) = await mem.get_all_memory("ada")
    assert first == second == after.id
    assert after.value == {"language": "fr"}
    assert after.updated_at > before.updated_at
    assert len((await rows_of(raw, tenant_id))["user_memory"]) == 1


async def test_memory_not_found(mem: AsyncTenant) -> None:
    """a2, a3"""
    await mem.set_memory("bob", "preferences", {})

    assert await mem.get_memory("ada", "preferences") is None
    assert await mem.get_all_memory("ada") == []
    with pytest.raises(MemoryNotFoundError):
        await mem.delete_memory("ada", "preferences")
    assert await mem.get_memory("bob", "preferences") == {}


async def test_get_all_memory(mem: AsyncTenant) -> None:
    """a3"""
    for key in ("b", "a", "c"):
        await mem.set_memory("ada", key, {"key": key})

    everything = await mem.get_all_memory("ada")

    assert [(memory.key, memory.value) for memory in everything] == [
        ("a", {"key": "a"}),
        ("b", {"key": "b"}),
        ("c", {"key": "c"}),
    ]


async def test_delete_memory(mem: AsyncTenant) -> None:
    """a3"""
    await mem.set_memory("ada", "gone", {})
    await mem.set_memory("ada", "stays", {})

    await mem.delete_memory("ada", "gone")

    assert [memory.key for memory in await mem.get_all_memory("ada")] == ["stays"]
    with pytest.raises(MemoryNotFoundError):
        await mem.delete_memory("ada", "gone")


async def test_clear_all_memory(mem: AsyncTenant) -> None:
    """a3"""
    for key in ("a", "b", "c"):
        await mem.set_memory("ada", key, {})
    await mem.set_memory("bob", "a", {})

    cleared = await mem.clear_all_memory("ada")

    assert cleared == 3
    assert await mem.get_all_memory("ada") == []
    assert await mem.get_memory("bob", "a") == {}
    assert await mem.clear_all_memory("ada") == 0


async def test_a_tenant_does_not_see_another_tenants_keys(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5"""
    other = new_tenant()
    await mem.set_memory("ada", "k", {"of": "mine"})
    await other.set_memory("ada", "k", {"of": "theirs"})

    assert await mem.clear_all_memory("ada") == 1

    assert await other.get_memory("ada", "k") == {"of": "theirs"}


async def test_nested_json_keeps_its_types_and_the_order_of_its_keys(mem: AsyncTenant) -> None:
    """a3"""
    value: dict[str, Any] = {
        "z": [1, 1.0, True, None, "1", -0.0, 1e22, 10**40],
        "a": {"deep": [[[{"x": []}]], {}]},
        "": "an empty key",
        "ключ 😀": "\u2028 \x7f \\ \" '",
    }

    await mem.set_memory("ada", "everything", value)

    kept = await mem.get_memory("ada", "everything")
    assert repr(kept) == repr(value)


@pytest.mark.parametrize("value", [None, [], ["a"], "text", 1, 1.5, True, b"{}", {1, 2}, object()])
async def test_a_value_that_is_not_an_object_is_refused(mem: AsyncTenant, value: Any) -> None:
    """a3"""
    with pytest.raises(InvalidInputError, match="value must be a JSON object"):
        await mem.set_memory("ada", "k", value)

    assert await mem.get_all_memory("ada") == []


async def test_a_value_that_is_refused_leaves_the_old_one(mem: AsyncTenant) -> None:
    """a3"""
    await mem.set_memory("ada", "k", {"old": 1})

    with pytest.raises(InvalidInputError):
        await mem.set_memory("ada", "k", {"new": float("nan")})

    assert await mem.get_memory("ada", "k") == {"old": 1}


async def test_keys_differ_by_case_and_by_spaces(mem: AsyncTenant) -> None:
    """a3"""
    for key in ("k", "K", " k"):
        await mem.set_memory("ada", key, {"key": key})

    assert await mem.get_memory("ada", "K") == {"key": "K"}
    assert len(await mem.get_all_memory("ada")) == 3
