"""The tools, over HTTP and with the official client."""

import json
from typing import Any, cast

import pytest
from mcp.shared.exceptions import MCPError

from longterm import AsyncTenant
from longterm.mcp.server import server_of
from longterm.memory.tenant import Person
from mcp import Client
from tests.mcp.conftest import PROTOCOLS, House, fact_of, known, told

TOOLS = {"remember", "recall", "correct", "deactivate", "list_memories"}


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_a_fact_is_remembered_recalled_corrected_and_deactivated(
    house: House, mode: str
) -> None:
    """c4, and e5: what an agent corrects always wins."""
    async with house.client(mode=mode) as client:
        fact_id = await fact_of(
            client, "The user lives in Graz", type="identity", key="home_town", category="identity"
        )
        recalled = await client.call_tool("recall", {"query": "Where do I live?"})
        corrected = await client.call_tool(
            "correct", {"fact_id": fact_id, "content": "The user lives in Linz"}
        )
        listed = await client.call_tool("list_memories", {"text": "linz", "type": "identity"})
        deactivated = await client.call_tool("deactivate", {"fact_id": fact_id})
        left = await known(client)

    assert "Graz" in recalled.structured_content["text"]
    assert "Graz" in told(recalled)
    assert [(item["kind"], item["id"]) for item in recalled.structured_content["items"]] == [
        ("fact", fact_id)
    ]
    assert recalled.structured_content["items"][0]["why"]
    assert corrected.structured_content["fact_id"] == fact_id
    assert corrected.structured_content["version"] == 2
    assert listed.structured_content["total"] == 1
    assert json.loads(told(listed)) == listed.structured_content
    assert deactivated.structured_content == {"deactivated": True}
    assert left == []


async def test_the_audit_trail_names_the_agent(house: House) -> None:
    """c8."""
    async with house.client() as client:
        fact_id = await fact_of(client, "The user plays the oboe")
        await client.call_tool("correct", {"fact_id": fact_id, "content": "The user sings"})
        await client.call_tool("deactivate", {"fact_id": fact_id})

    trail = await house.memory.list_audit("ada")
    assert [entry.actor for entry in trail] == ["agent"] * 3


async def test_recall_finds_what_was_said_in_a_conversation(house: House) -> None:
    await house.memory.add_message("ada", "user", "We hiked up the Schöckl in the rain.")

    async with house.client() as client:
        found = await client.call_tool("recall", {"query": "Where did we go hiking?", "limit": 1})

    item = found.structured_content["items"][0]
    assert item["kind"] == "turn"
    assert "Schöckl" in item["text"]
    assert item["conversation_id"]


async def test_a_recall_keeps_within_its_bounds(house: House) -> None:
    await house.memory.add_message("ada", "user", "rain " * 5000)

    async with house.client() as client:
        found = await client.call_tool("recall", {"query": "rain", "budget_tokens": 100})

    assert found.structured_content["tokens"] <= 100
    assert all(len(item["text"]) <= 500 for item in found.structured_content["items"])


async def test_a_list_is_bounded_and_tells_how_much_there_is(house: House) -> None:
    for animal in ("cats", "dogs", "owls"):
        await house.memory.add_fact("ada", f"The user has {animal}")

    async with house.client() as client:
        listed = await client.call_tool("list_memories", {"limit": 2})

    contents = [each["content"] for each in listed.structured_content["memories"]]
    assert contents == ["The user has owls", "The user has dogs"]
    assert listed.structured_content["total"] == 3


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("remember", {}, "content: Field required"),
        ("remember", {"content": ""}, "at least 1 character"),
        ("remember", {"content": "  "}, "content"),
        ("remember", {"content": "x" * 501}, "at most 500 characters"),
        ("remember", {"content": "x", "type": "guess"}, "type: Input should be 'fact'"),
        ("remember", {"content": "x", "user_id": "bob"}, "user_id: Extra inputs"),
        ("remember", {"content": "x", "category": "y" * 256}, "category"),
        ("remember", {"content": "nul \0"}, "content"),
        ("remember", {"content": 5}, "content: Input should be a valid string"),
        ("recall", {"query": ""}, "query"),
        ("recall", {"query": "x" * 4001}, "query"),
        ("recall", {"query": "x", "limit": 51}, "limit"),
        ("recall", {"query": "x", "limit": 0}, "limit"),
        ("recall", {"query": "x", "budget_tokens": -1}, "budget_tokens"),
        ("correct", {"fact_id": "x", "content": "y"}, "fact_id must be a UUID."),
        ("correct", {"fact_id": "x"}, "content: Field required"),
        ("deactivate", {"fact_id": "x"}, "fact_id must be a UUID."),
        ("deactivate", {}, "fact_id: Field required"),
        ("list_memories", {"type": "all"}, "type"),
        ("list_memories", {"limit": 201}, "limit"),
        ("list_memories", {"text": "\0"}, "text"),
    ],
)
async def test_bad_arguments_are_told_to_the_model(
    house: House, name: str, arguments: dict[str, Any], says: str
) -> None:
    async with house.client() as client:
        result = await client.call_tool(name, arguments)

    assert result.is_error
    assert says in told(result)
    assert "Traceback" not in told(result)


async def test_a_secret_is_refused_and_not_repeated(house: House) -> None:
    """c7."""
    number = "4111 1111 1111 1111"
    async with house.client() as client:
        refused = await client.call_tool("remember", {"content": f"The card is {number}"})
        invalid = await client.call_tool("remember", {"content": "x", "type": number})

    assert refused.is_error
    assert "secret" in told(refused).lower() or "card" in told(refused).lower()
    assert number not in told(refused)
    assert number not in told(invalid)


async def test_the_fact_of_another_user_is_not_there(house: House) -> None:
    theirs = await house.memory.add_fact("bob", "The user is Bob")

    async with house.client("ada") as client:
        corrected = await client.call_tool("correct", {"fact_id": theirs.id, "content": "stolen"})
        deactivated = await client.call_tool("deactivate", {"fact_id": theirs.id})

    assert corrected.is_error
    assert told(corrected) == "This user has no such fact."
    assert deactivated.structured_content == {"deactivated": False}
    assert [fact.content for fact in await house.memory.get_active_facts("bob")] == [
        "The user is Bob"
    ]


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(house: House) -> None:
    async with house.client() as client:
        with pytest.raises(MCPError, match="there are remember, recall"):
            await client.call_tool("remember_all", {})


async def test_every_tool_says_what_it_is_for(house: House) -> None:
    async with house.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert set(tools) == TOOLS
    for name, tool in tools.items():
        hints = tool.annotations
        assert hints is not None
        assert hints.read_only_hint == (name in {"recall", "list_memories"})
        assert hints.destructive_hint == (name == "deactivate")
        assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)
        assert tool.title
        assert tool.output_schema
        assert "Use it" in str(tool.description) or "when the user" in str(tool.description)
        assert tool.input_schema["additionalProperties"] is False
        assert all(each["description"] for each in tool.input_schema["properties"].values())
    for name in ("remember", "correct"):
        assert "Never store secrets" in str(tools[name].description)


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_what_nobody_expected_is_told_without_its_text(
    mode: str, lines: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A memory that is none: AttributeError, whose text must go nowhere."""
    server = server_of(Person("ada", 1, cast("AsyncTenant", "a private word")))

    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError, match=r"^Something unexpected went wrong here\.$"):
            await client.call_tool("list_memories", {})

    logged = lines.getvalue()
    assert "AttributeError" in logged
    assert "Traceback" not in logged
    assert "has no attribute" not in logged
