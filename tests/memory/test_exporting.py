"""§3 Yours: everything of a user comes out, as JSON."""

import json
from datetime import UTC, datetime

from longterm import AsyncTenant
from longterm.memory import exporting
from longterm.records.json import JsonObject

JANUARY = datetime(2024, 1, 1, 12, tzinfo=UTC)


async def exported(mem: AsyncTenant, user_id: str) -> list[JsonObject]:
    return [record async for record in mem.export_user(user_id)]


async def test_an_export_has_everything_of_a_user_and_nothing_of_others(mem: AsyncTenant) -> None:
    made = await mem.create_conversation("ada", "Title", metadata={"a": 1})
    first = await mem.add_message(
        "ada", "user", "My name is Ada.", name="Ada", created_at=JANUARY, custom_payload={"é": 1e22}
    )
    await mem.add_message("ada", "assistant", "Hello.", tool_calls=[{"name": "f"}])
    old = await mem.add_fact("ada", "tea", category="preference", key="drink")
    await mem.update_fact("ada", old.id, content="coffee")
    await mem.add_poi("ada", "p1", "Rome", "notes", made.id, first)
    await mem.set_memory("ada", "key", {"nested": [1, None]})
    await mem.set_user_state("ada", "active")
    await mem.add_message("bob", "user", "secret of bob")

    records = await exported(mem, "ada")

    kinds = [str(record["type"]) for record in records]
    assert kinds == [
        "longterm-export", "user", "conversation", "message", "message", "fact", "fact", "place",
        "memory", "end",
    ]  # fmt: skip
    assert "bob" not in json.dumps(records)
    message = records[3]
    assert (message["content"], message["name"], message["turn"]) == ("My name is Ada.", "Ada", 1)
    assert message["custom_payload"] == {"é": 1e22}
    assert datetime.fromisoformat(str(message["created_at"])) == JANUARY
    assert [(one["content"], one["closed"]) for one in records[5:7]] == [
        ("tea", "replaced"),
        ("coffee", None),
    ]
    assert records[-1]["counts"] == {
        "user": 1, "conversation": 1, "message": 2, "fact": 2, "place": 1, "memory": 1,
    }  # fmt: skip


async def test_pages_leave_nothing_out(mem: AsyncTenant) -> None:
    for number in range(2 * exporting.PAGE + 1):
        await mem.add_message("ada", "user", f"message {number}")

    records = await exported(mem, "ada")

    said = [record["content"] for record in records if record["type"] == "message"]
    assert said == [f"message {number}" for number in range(2 * exporting.PAGE + 1)]


async def test_who_is_not_known_has_an_empty_export(mem: AsyncTenant) -> None:
    assert [record["type"] for record in await exported(mem, "nobody")] == [
        "longterm-export",
        "end",
    ]
