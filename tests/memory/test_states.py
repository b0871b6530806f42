"""a4: the state of a user."""

from collections.abc import Callable

import pytest

from longterm import AsyncTenant
from longterm.errors import MemoryNotFoundError


async def test_set_user_state(mem: AsyncTenant, tenant_id: int) -> None:
    """a4"""
    await mem.set_user_state("ada", "halted")

    state = await mem.get_user_state("ada")

    assert state is not None
    assert (state.tenant_id, state.user_id, state.mode) == (tenant_id, "ada", "halted")


async def test_get_user_state(mem: AsyncTenant) -> None:
    """a4"""
    await mem.set_user_state("ada", "on holiday 🏖")
    await mem.add_message("bob", "user", "known, but without a state")

    state = await mem.get_user_state("ada")

    assert state is not None
    assert state.mode == "on holiday 🏖"
    assert await mem.get_user_state("bob") is None
    assert await mem.get_user_state("nobody") is None


async def test_state_upsert(mem: AsyncTenant) -> None:
    """a4"""
    await mem.set_user_state("ada", "halted")
    before = await mem.get_user_state("ada")

    await mem.set_user_state("ada", "active")

    after = await mem.get_user_state("ada")
    assert before is not None
    assert after is not None
    assert after.mode == "active"
    assert after.updated_at > before.updated_at


async def test_delete_user_state(mem: AsyncTenant) -> None:
    """a4"""
    await mem.set_user_state("ada", "halted")
    await mem.set_user_state("bob", "halted")

    await mem.delete_user_state("ada")

    assert await mem.get_user_state("ada") is None
    assert await mem.get_user_state("bob") is not None


async def test_deleting_a_state_that_was_never_set_is_an_error(mem: AsyncTenant) -> None:
    """a2, a4"""
    await mem.add_message("ada", "user", "hello")

    for user_id in ("ada", "nobody"):
        with pytest.raises(MemoryNotFoundError):
            await mem.delete_user_state(user_id)


async def test_a_deleted_state_leaves_the_history_and_the_current_conversation(
    mem: AsyncTenant,
) -> None:
    """a4"""
    await mem.add_message("ada", "user", "hello")
    current = await mem.current_conversation("ada")
    await mem.set_user_state("ada", "halted")

    await mem.delete_user_state("ada")

    assert await mem.count_messages("ada") == 1
    assert (await mem.current_conversation("ada")).id == current.id


async def test_a_tenant_does_not_see_another_tenants_states(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5"""
    other = new_tenant()
    await other.set_user_state("ada", "halted")

    assert await mem.get_user_state("ada") is None
    with pytest.raises(MemoryNotFoundError):
        await mem.delete_user_state("ada")
    assert await other.get_user_state("ada") is not None
