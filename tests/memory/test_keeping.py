"""A question waits on disk only where the database is away, or where earlier ones wait there."""

import pytest

from longterm import AsyncTenant
from longterm.memory import keeping


async def test_without_any_patience_a_question_is_stored_at_once_where_nothing_waits_on_disk(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """b7: a machine that stands still for a while is no outage."""
    monkeypatch.setattr(keeping, "_PATIENCE_S", 0.0)

    reply = await mem.chat("ada", "hello")

    assert not reply.degraded
    said = (await mem.get_messages(str(reply.conversation_id))).items
    assert [one.role for one in said] == ["user", "assistant"]
