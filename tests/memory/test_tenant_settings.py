"""b4: what a tenant decides for itself."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.records.tenant import TenantSettings

DAY = timedelta(days=1)


async def test_a_tenant_that_decided_nothing_leaves_it_to_the_installation(
    mem: AsyncTenant,
) -> None:
    """b4"""
    session_id = await mem.create_session("ada")

    assert await mem.get_settings() == TenantSettings()
    assert (await mem.get_conversation("ada", session_id)).retention_hours == 24
    assert (await mem.current_conversation("ada")).retention_hours is None


@pytest.mark.parametrize(
    ("given", "kept"), [("keep", "keep"), (DAY, DAY), (12, DAY / 2), (0.25, timedelta(minutes=15))]
)
async def test_settings_come_back_as_they_were_set(mem: AsyncTenant, given: Any, kept: Any) -> None:
    """b4"""
    answered = await mem.update_settings(conversation_retention=given, session_retention=given)

    stored = await mem.get_settings()

    assert answered == stored
    assert stored == TenantSettings(conversation_retention=kept, session_retention=kept)


async def test_a_tenant_can_let_conversations_expire_and_keep_sessions(mem: AsyncTenant) -> None:
    """b4"""
    await mem.update_settings(conversation_retention=2 * DAY, session_retention="keep")

    made = await mem.create_conversation("ada")
    current = await mem.current_conversation("bob")
    session_id = await mem.create_session("ada")
    begun = await mem.store_turn("6f9619ff-8b86-d011-b42d-00c04fc964ff", "ada", "q", "a")

    assert made.retention_hours == current.retention_hours == 48
    for id_ in (session_id, begun.session_id):
        session = await mem.get_conversation("ada", id_)
        assert (session.retention_hours, session.expires_at) == (None, None)


async def test_what_is_said_for_one_conversation_comes_before_the_tenants_default(
    mem: AsyncTenant,
) -> None:
    """b4"""
    await mem.update_settings(conversation_retention=2 * DAY)

    kept = await mem.create_conversation("ada", retention="keep")
    short = await mem.create_conversation("ada", retention=1)

    assert (kept.retention_hours, short.retention_hours) == (None, 1)


async def test_a_change_of_the_default_leaves_conversations_that_are_there(
    mem: AsyncTenant,
) -> None:
    """b4"""
    before = await mem.create_conversation("ada")

    await mem.update_settings(conversation_retention=1)
    await mem.add_message("ada", "user", "hello")

    after = await mem.get_conversation("ada", before.id)
    assert (after.retention_hours, after.expires_at) == (None, None)


async def test_settings_are_replaced_as_a_whole(mem: AsyncTenant) -> None:
    """b4"""
    await mem.update_settings(conversation_retention=1, session_retention=2)

    await mem.update_settings(session_retention=3)

    assert await mem.get_settings() == TenantSettings(session_retention=timedelta(hours=3))


async def test_settings_of_a_tenant_are_its_own(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5, b4"""
    other = new_tenant()

    await other.update_settings(conversation_retention=1, session_retention="keep")

    assert await mem.get_settings() == TenantSettings()
    assert (await mem.create_conversation("ada")).retention_hours is None


@pytest.mark.parametrize("bad", [0, -1, timedelta(0), "forever", True, float("nan"), b"keep"])
async def test_settings_that_make_no_sense_are_refused_and_the_old_ones_stay(
    mem: AsyncTenant, bad: Any
) -> None:
    """b4"""
    await mem.update_settings(session_retention=5)

    with pytest.raises(InvalidInputError, match="session_retention must be 'keep'"):
        await mem.update_settings(session_retention=bad)

    assert await mem.get_settings() == TenantSettings(session_retention=timedelta(hours=5))


@pytest.mark.parametrize("memory", [True, False, None])
async def test_the_switch_for_memory_comes_back_as_it_was_set(
    mem: AsyncTenant, memory: bool | None
) -> None:
    """b11"""
    await mem.update_settings(memory=memory)

    assert await mem.get_settings() == TenantSettings(memory=memory)
