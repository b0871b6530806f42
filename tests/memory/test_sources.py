"""b4: of what expired or was trimmed facts stay, and their source is marked as gone everywhere."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longterm import AsyncTenant
from tests.outside import Raw, expire


@pytest.fixture
async def expired(mem: AsyncTenant, raw: Raw) -> str:
    """A session that is over and of which something is known."""
    session = await mem.create_session("ada")
    await mem.store_turn(session, "ada", "I keep bees.", "Do you?")
    (turn,) = await mem.get_session_history(session)
    assert turn.query_text == "I keep bees."
    await mem.add_fact("ada", "keeps bees", source_conversation_id=session)
    await expire(raw, session)
    return session


async def test_a_fact_of_an_expired_session_stays_and_says_so(
    mem: AsyncTenant, expired: str
) -> None:
    await mem.cleanup()

    (fact,) = await mem.list_facts("ada")
    assert (fact.content, fact.source_gone) == ("keeps bees", True)
    assert fact.source_conversation_id == expired
    (told,) = (await mem.get_user_memory("ada")).facts
    assert told.source_gone
    found = await mem.recall("ada", "bees", kinds=("fact",))
    assert [item.message_ids for item in found.facts] == [()]


async def test_a_new_session_under_the_id_of_an_expired_one_is_not_the_source(
    mem: AsyncTenant, expired: str
) -> None:
    await mem.store_turn(expired, "ada", "Hello again.", "Hello.")

    assert [fact.source_gone for fact in await mem.list_facts("ada")] == [True]


async def test_a_move_keeps_that_a_source_is_gone(
    mem: AsyncTenant, expired: str, new_tenant: Callable[[], AsyncTenant], tmp_path: Path
) -> None:
    await mem.cleanup()
    said = await mem.add_message("ada", "user", "I grow quinces.")
    await mem.add_fact("ada", "grows quinces", source_message_id=said)
    file = tmp_path / "ada.jsonl"
    lines = [json.dumps(record) async for record in mem.export_user("ada")]
    file.write_text("\n".join(lines))

    there = new_tenant()
    await there.import_conversations("ada", file)

    facts = {fact.content: fact.source_gone for fact in await there.list_facts("ada")}
    assert facts == {"keeps bees": True, "grows quinces": False}
