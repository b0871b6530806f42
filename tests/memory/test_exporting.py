"""§3 Yours: everything of a user comes out, as JSON."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from longterm import AsyncTenant
from longterm.memory import exporting
from longterm.memory.checkpoints import Checkpoints
from longterm.records.json import JsonObject
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import erasure
from tests.outside import Raw
from tests.store.test_policies import fill_checkpoints

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


COLUMNS = """
    SELECT attname
      FROM pg_attribute
     WHERE attrelid = %s::regclass
       AND attnum > 0
       AND NOT attisdropped
     ORDER BY attnum
"""

# Which records each table of a user becomes; a column is a field of them, or named here.
EXPORTED = {
    "users": ("user", {"user_id", "passage_count", "word_count", "speakers"}),
    "conversations": (
        "conversation",
        {"user_id", "turn_open", "learned_through", "summarised_through",
         "indexed_through"},
    ),
    # What it was made from is in its metadata, too.
    "messages": ("message", {"user_id", "said_at", "used"}),
    "episodes": ("episode", {"user_id"}),
    "facts": ("fact", {"user_id", "type", "fingerprint", "tokens"}),
    "places": ("place", {"user_id", "tokens"}),
    "place_mentions": ("place", {"user_id", "conversation_id", "message_id", "mentioned_at"}),
    "user_memory": ("memory", {"user_id", "id"}),
    "checkpoints": ("checkpoint", {"user_id", "saved_at"}),
    "checkpoint_channels": ("checkpoint", {"user_id", "channel", "version", "is_list", "pieces"}),
    "checkpoint_pieces": ("checkpoint_piece", {"user_id"}),
    "checkpoint_writes": ("checkpoint_write", {"user_id"}),
}  # fmt: skip


async def test_every_column_of_a_user_is_in_the_export_or_left_out_on_purpose(
    runtime: Runtime, raw: Raw
) -> None:
    """A column that is added later would silently stay behind: pins of conversations once did."""
    mem = runtime.tenant(Scope(2_000_000_012))
    made = await mem.create_conversation("ada")
    for _ in range(21):
        await mem.add_message("ada", "user", "words of an episode that is told in short")
    await mem.digest(made.id)
    await mem.add_fact("ada", "fact")
    await mem.add_poi("ada", "place", "Place", None, made.id, "message")
    await mem.set_memory("ada", "key", {})
    await fill_checkpoints(Checkpoints.of(mem))
    fields = {str(record["type"]): record.keys() for record in await exported(mem, "ada")}

    for table, (kind, left_out) in EXPORTED.items():
        asked = await raw.execute(COLUMNS, [f"longterm.{table}"])
        columns = {column for (column,) in await asked.fetchall()} - {"tenant_id"}
        assert columns - left_out <= fields[kind], table


def test_the_documentation_tells_of_every_table_whether_it_is_in_an_export() -> None:
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
    told = set(re.findall(r"`(\w+)`", page.split("## What is not in it")[1]))

    assert told >= (erasure.OF_USER.keys() | erasure.OF_NOBODY) - EXPORTED.keys()
