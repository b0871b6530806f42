"""c4: the tool that an agent manages memory with."""

from typing import Any
from uuid import uuid4

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.memory.tool import OPERATIONS


async def test_an_agent_adds_finds_corrects_and_deactivates(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    message_id = await mem.add_message("ada", "user", "I live in Rome")

    added = await mem.manage_user_memory(
        "ada",
        "add_fact",
        content="The user lives in Rome",
        conversation_id=conversation.id,
        message_id=message_id,
    )
    found = await mem.manage_user_memory("ada", "search", query="rome")
    fact_id = found["facts"][0]["fact_id"]
    updated = await mem.manage_user_memory(
        "ada", "update_fact", fact_id=fact_id, content="The user lives in Lyon"
    )
    memory = await mem.manage_user_memory("ada", "get_memory")
    gone = await mem.manage_user_memory("ada", "deactivate_fact", fact_id=fact_id)

    assert added["ok"]
    assert added["fact_id"] == fact_id
    assert (updated["ok"], updated["version"]) == (True, 2)
    assert [fact["content"] for fact in memory["memory"]["facts"]] == ["The user lives in Lyon"]
    assert gone == {"ok": True, "operation": "deactivate_fact", "deactivated": True}
    first, _ = await mem.fact_history("ada", fact_id)
    assert (first.origin, first.source_message_id) == ("agent", message_id)


async def test_an_agent_adds_a_place(mem: AsyncTenant) -> None:
    answer = await mem.manage_user_memory(
        "ada", "add_poi", place_id="home", place_name="Home", conversation_id=uuid4(), message_id=1
    )

    (place,) = await mem.list_places("ada")
    assert answer["ok"]
    assert len(place.mentions) == 1


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("fly", {}),
        ("add_fact", {}),
        ("add_fact", {"content": ""}),
        ("add_fact", {"content": "x" * 501}),
        ("add_fact", {"content": "my password is " + "hunter2!x"}),
        ("update_fact", {"content": "no id"}),
        ("update_fact", {"fact_id": str(uuid4()), "content": "not there"}),
        ("update_fact", {"fact_id": "not a uuid", "content": "x"}),
        ("deactivate_fact", {}),
        ("add_poi", {"place_id": "home"}),
        ("search", {}),
    ],
)
async def test_a_mistake_of_an_agent_is_answered_and_nothing_is_stored(
    mem: AsyncTenant, operation: str, given: dict[str, Any]
) -> None:
    answer = await mem.manage_user_memory("ada", operation, **given)

    assert answer["ok"] is False
    assert answer["error"].endswith(".")
    assert (await mem.get_user_memory("ada")).metadata.total_facts == 0


def test_the_schema_comes_in_three_forms(mem: AsyncTenant) -> None:
    openai = mem.tool_schema("openai")
    anthropic = mem.tool_schema("anthropic")
    plain = mem.tool_schema("json")

    assert openai["function"]["name"] == anthropic["name"] == plain["title"]
    assert openai["function"]["parameters"] == anthropic["input_schema"]
    assert plain["properties"]["operation"]["enum"] == list(OPERATIONS)
    assert "Never store secrets" in openai["function"]["description"]
    with pytest.raises(InvalidInputError):
        mem.tool_schema("xml")  # pyright: ignore[reportArgumentType]
