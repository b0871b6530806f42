"""§3 Yours: what other programs have kept is taken in, each message once."""

import asyncio
import contextlib
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.imports import items
from longterm.records.importing import ImportReport
from longterm.records.json import JsonObject
from longterm.records.message import Message
from tests.imports import samples
from tests.outside import Raw, rows_of, until_somebody_waits

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return make


async def said(mem: AsyncTenant, title: str) -> list[Message]:
    found = await mem.list_conversations("ada", archived=None)
    (one,) = [each for each in found if each.title == title]
    return list(await mem.get_messages(one.id, 1000))


def in_short(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


async def test_of_chatgpt_the_branch_that_was_shown_is_taken_in(
    mem: AsyncTenant, write: Write
) -> None:
    report = await mem.import_conversations("ada", write("c.json", [samples.chatgpt()]))

    messages = await said(mem, "A talk")
    assert in_short(messages) == [
        ("user", "Question 0"), ("assistant", "Answer 0"),
        ("user", "Question 1"), ("assistant", "Answer 1"),
    ]  # fmt: skip
    assert messages[0].created_at == datetime.fromtimestamp(1700000000.5, UTC)
    assert (report.format, report.conversations, report.messages) == ("chatgpt", 1, 4)
    assert report.left_out == 3


async def test_of_claude_the_text_of_the_blocks_is_taken_in(mem: AsyncTenant, write: Write) -> None:
    await mem.import_conversations("ada", write("c.json", [samples.claude()]))

    messages = await said(mem, "With Claude")
    assert in_short(messages) == [("user", "Look at this"), ("assistant", "I see\na file.")]
    payload: Any = messages[0].custom_payload
    assert [one["file_name"] for one in payload["attachments"]] == ["a.txt", "b.png"]


async def test_of_open_webui_librechat_and_mem0_too(mem: AsyncTenant, write: Write) -> None:
    web = await mem.import_conversations("ada", write("w.json", [samples.openwebui()]))
    libre = await mem.import_conversations("ada", write("l.json", samples.librechat()))
    facts = await mem.import_conversations("ada", write("m.json", samples.mem0()))

    assert in_short(await said(mem, "Web UI")) == [("user", "Hi"), ("assistant", "Hello")]
    assert in_short(await said(mem, "Libre")) == [("user", "Hi"), ("assistant", "Hello")]
    assert [fact.content for fact in await mem.list_facts("ada")] == ["Likes to play cricket"]
    assert (web.format, libre.format, facts.format) == ("openwebui", "librechat", "mem0")
    assert (facts.facts, facts.unread_count) == (1, 1)


async def test_plain_lines_are_messages_or_conversations(mem: AsyncTenant, write: Write) -> None:
    lines = [
        {"conversation_id": "x", "role": "user", "content": "one"},
        {"conversation_id": "x", "role": "assistant", "content": "two"},
        {"title": "whole", "messages": [{"role": "user", "content": "three"}]},
        {"role": "system", "content": "never said"},
    ]
    data = "\n".join(map(json.dumps, lines)) + "\nno JSON\n"

    report = await mem.import_conversations("ada", write("p.jsonl", data.encode()))

    assert (report.conversations, report.messages, report.unread_count) == (2, 3, 2)
    assert in_short(await said(mem, "whole")) == [("user", "three")]


async def test_conversations_without_an_id_that_begin_alike_are_kept_apart(
    mem: AsyncTenant, write: Write
) -> None:
    def talk(*words: str) -> JsonObject:
        roles = ("user", "assistant") * len(words)
        return {
            "messages": [
                {"role": role, "content": word} for role, word in zip(roles, words, strict=False)
            ]
        }

    def lines(*told: Any) -> bytes:
        return "".join(json.dumps(one) + "\n" for one in told).encode()

    whole = lines(talk("Hi", "Hello", "one"), talk("Hi", "Hello", "two"), talk("Hi", "Yes?"))
    first = await mem.import_conversations("ada", write("a.jsonl", whole))
    grown = lines(talk("Hi", "Hello", "one", "1"), talk("Hi", "Hello", "two", "2"))
    again = await mem.import_conversations("ada", write("b.jsonl", grown))
    plain = lines(*cast("list[Any]", talk("Hi", "What?", "three")["messages"]))
    other = await mem.import_conversations("ada", write("c.jsonl", plain))
    once_more = await mem.import_conversations("ada", write("c.jsonl", plain))

    assert (first.conversations, first.messages) == (3, 8)
    assert (again.conversations, again.messages, again.known) == (0, 2, 6)
    assert (other.conversations, other.messages) == (1, 3)
    assert (once_more.conversations, once_more.messages, once_more.known) == (0, 0, 3)


async def test_run_again_it_stores_only_what_is_new_at_the_end(
    mem: AsyncTenant, write: Write, raw: Raw, tenant_id: int
) -> None:
    await mem.import_conversations("ada", write("c.json", [samples.chatgpt(turns=2)]))
    before = await rows_of(raw, tenant_id)

    again = await mem.import_conversations("ada", write("c.json", [samples.chatgpt(turns=2)]))
    assert (again.messages, again.known) == (0, 4)
    assert {**await rows_of(raw, tenant_id), "jobs": []} == {**before, "jobs": []}

    more = await mem.import_conversations("ada", write("c.json", [samples.chatgpt(turns=3)]))
    assert (more.conversations, more.messages, more.known) == (0, 2, 4)
    messages = await said(mem, "A talk")
    assert [one.turn for one in messages] == [1, 1, 2, 2, 3, 3]


async def test_an_import_that_stood_in_the_way_of_another_tries_again(
    mem: AsyncTenant, write: Write, raw: Raw, tenant_id: int
) -> None:
    await mem.import_conversations("ada", write("c.json", [samples.chatgpt(turns=2)]))
    more = write("d.json", [samples.chatgpt(turns=3)])

    async def import_more() -> ImportReport:
        await locked.wait()
        return await mem.import_conversations("ada", more)

    locked = asyncio.Event()
    importing = asyncio.create_task(import_more())
    # As who writes into a conversation does: that first, and then the user.
    with contextlib.suppress(psycopg.errors.DeadlockDetected):
        async with raw.transaction():
            await raw.execute(
                "SELECT FROM conversations WHERE tenant_id = %s FOR UPDATE", [tenant_id]
            )
            locked.set()
            await until_somebody_waits(raw)
            await raw.execute("SELECT FROM users WHERE tenant_id = %s FOR UPDATE", [tenant_id])

    assert (await importing).messages == 2


async def test_what_was_deleted_here_is_not_taken_in_again(mem: AsyncTenant, write: Write) -> None:
    path = write("c.json", [samples.chatgpt()])
    await mem.import_conversations("ada", path)
    (made,) = await mem.list_conversations("ada")
    await mem.forget_conversation("ada", made.id)

    report = await mem.import_conversations("ada", path)

    assert (report.messages, report.known) == (0, 4)
    assert len(await mem.list_conversations("ada")) == 0


async def test_a_zip_is_read_without_being_unpacked(mem: AsyncTenant, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../user.json", "{}")
        archive.writestr("../conversations.json", json.dumps([samples.chatgpt()]))

    report = await mem.import_conversations("ada", path)

    assert report.messages == 4
    assert [one.name for one in tmp_path.parent.glob("*.json")] == []


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 40_000_000 + b"]")


async def test_a_zip_bomb_is_refused(mem: AsyncTenant, tmp_path: Path) -> None:
    bomb(tmp_path / "bomb.zip")

    with pytest.raises(InvalidInputError, match="far more than an export"):
        await mem.import_conversations("ada", tmp_path / "bomb.zip", format="chatgpt")


DEEP = b"[" * 1000 + b"]" * 1000
HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "text": b"Dear diary",
    "a number": b"42",
    "truncated": json.dumps([samples.claude(), samples.chatgpt()]).encode()[:-200],
    "no UTF-8": json.dumps([samples.chatgpt()]).encode().replace(b"Question 0", b"\xff\xfe\xff"),
    "wrong types": b'[{"mapping": [], "chat_messages": 1}, [], null, 1, "x"]',
    "digits": b'[{"mapping": {}, "id": ' + b"9" * 5000 + b"}]",
    "deep": b"[" * 1_000_000,
    "no zip": b"PK\x03\x04" + b"x" * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_one_clear_error_and_nothing_is_half_written(
    mem: AsyncTenant, write: Write, name: str, raw: Raw, tenant_id: int
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        await mem.import_conversations("ada", write("c.json", HOSTILE[name]))

    assert str(refused.value).endswith(".")
    rows = await rows_of(raw, tenant_id)
    turns = sum(one.turn_count for one in await mem.list_conversations("ada"))
    assert turns * 2 == len(rows["messages"])


@pytest.mark.parametrize("name", ["an array", "an object"])
async def test_one_item_never_fills_the_ram(
    mem: AsyncTenant, write: Write, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "MOST_AT_ONCE", 300_000)
    large = json.dumps(samples.chatgpt("large", 2_000)).encode()
    small = json.dumps(samples.chatgpt("small")).encode()
    files = {
        "an array": b"[" + small + b"," + large + b"]",
        "an object": b'{"conversations":\n[' + large + b"]}",
    }

    with pytest.raises(InvalidInputError, match="more than 300,000 bytes"):
        await mem.import_conversations("ada", write("c.json", files[name]), format="chatgpt")

    assert len(await mem.list_conversations("ada")) == (0 if name == "an object" else 1)


async def test_one_line_never_fills_the_ram_and_the_others_are_read(
    mem: AsyncTenant, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "MOST_AT_ONCE", 300_000)
    talks = [samples.chatgpt("one"), samples.chatgpt("large", 2_000), samples.chatgpt("two")]
    path = write("c.json", b"\n".join(json.dumps(talk).encode() for talk in talks))

    report = await mem.import_conversations("ada", path)

    assert report.conversations == 2
    (unread,) = report.unread
    assert (unread.where, unread.reason) == ("line 2", "This line has more than 300,000 bytes.")


async def test_what_can_not_be_kept_is_told_and_the_rest_is_taken_in(
    mem: AsyncTenant, write: Write
) -> None:
    circle, deep, nul = samples.chatgpt("circle"), samples.chatgpt("deep", 1200), samples.claude()
    circle["mapping"]["u0"]["parent"] = "a1"
    nul["chat_messages"][0]["content"][0]["text"] = "a\x00b"
    nul["chat_messages"][0]["attachments"] = [json.loads(DEEP[:400] + DEEP[-400:])]

    report = await mem.import_conversations(
        "ada", write("c.json", [circle, deep, 7]), format="chatgpt"
    )
    other = await mem.import_conversations("ada", write("d.json", [nul]))

    assert (report.conversations, report.messages) == (1, 2400)
    assert [one.where for one in report.unread] == ["item 1", "item 3"]
    assert "circle" in report.unread[0].reason
    assert (other.messages, other.unread_count) == (2, 0)
    assert in_short(await said(mem, "With Claude"))[0] == ("user", "ab")


def without_ids(records: list[JsonObject]) -> list[Any]:
    """Records as they are told, but for ids and whose they are."""
    ids: dict[str, str] = {}
    dropped = {"exported_at", "user_id", "created_at"}

    def plain(key: str, value: Any) -> Any:
        if key in ("id", "conversation_id", "source_conversation_id", "source_message_id",
                   "message_id", "current_conversation_id") and value is not None:  # fmt: skip
            return ids.setdefault(str(value), f"#{len(ids)}")
        if isinstance(value, list):
            return [plain("", one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            return {name: plain(name, one) for name, one in inner.items()}
        return value

    def told(record: JsonObject) -> Any:
        hidden = dropped if record["type"] in ("longterm-export", "user") else set[str]()
        if record["type"] == "user":
            hidden = hidden | {"current_conversation_id"}
        return {key: plain(key, value) for key, value in record.items() if key not in hidden}

    order = ("longterm-export", "user", "conversation", "message", "fact", "place", "memory", "end")
    kept = [record for record in records if record["type"] in order]
    by_words = sorted(
        kept, key=lambda one: (order.index(str(one["type"])), str(one.get("created_at")),
                               str(one.get("key")), str(one.get("valid_from")))
    )  # fmt: skip
    return [told(record) for record in by_words]


async def test_an_export_that_is_imported_for_somebody_else_is_exported_the_same(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant], tmp_path: Path
) -> None:
    made = await mem.create_conversation("ada", "Title", metadata={"a": [1]})
    await mem.update_conversation("ada", made.id, pinned=True)
    first = await mem.add_message(
        "ada", "user", "My name is Ada.", name="Ada", custom_payload={"é": 1.5}
    )
    await mem.add_message("ada", "assistant", "Hello Ada.", tool_calls=[{"name": "f"}])
    await mem.add_message("ada", "user", "My name is Zoe.")
    session = await mem.create_session("ada")
    await mem.store_turn(session, "ada", "query", "response", {"m": 1})
    await mem.extract_memories(made.id)
    await mem.add_poi("ada", "p1", "Rome", "notes", made.id, first)
    await mem.set_memory("ada", "key", {"nested": [1, None]})
    await mem.set_user_state("ada", "active")
    before = [record async for record in mem.export_user("ada")]
    path = tmp_path / "ada.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in before))
    other = new_tenant()

    report = await other.import_conversations("eve", path)

    assert (report.format, report.unread) == ("longterm", ())
    assert (report.conversations, report.messages, report.facts) == (2, 5, 2)
    after = [record async for record in other.export_user("eve")]
    assert without_ids(after) == without_ids(before)
    again = await other.import_conversations("eve", path)
    assert (again.messages, again.facts, again.places) == (0, 0, 0)
