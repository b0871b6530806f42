"""§3 Yours, through every door: everything out, in and gone."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest

from longterm import InvalidInputError, MemoryNotFoundError
from longterm.client import AsyncClient
from longterm.records.importing import ImportReport
from tests.contract.conftest import House
from tests.imports import samples


async def test_everything_of_a_user_comes_out(mem: AsyncClient, house: House) -> None:
    await mem.add_message("ada", "user", "Hello \u2028 you\n\n🦊", custom_payload={"a": [1, None]})
    await mem.add_fact("ada", "Ada lives in Lisbon")
    await mem.set_memory("ada", "key", {"b": 1.5})
    await mem.add_message("bob", "user", "not hers")

    out = [record async for record in mem.export_user("ada")]

    same = [record async for record in house.memory.export_user("ada")]
    assert out[1:] == same[1:]
    assert {**out[0], "exported_at": None} == {**same[0], "exported_at": None}
    assert out[-1]["type"] == "end"
    empty = [record["type"] async for record in mem.export_user("nobody")]
    assert empty == ["longterm-export", "end"]
    with pytest.raises(InvalidInputError, match="user_id"):
        _ = [record async for record in mem.export_user(" ")]


async def test_a_file_of_another_program_is_taken_in_once(
    mem: AsyncClient, house: House, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([samples.chatgpt()]))

    report = await mem.import_conversations("ada", file)

    assert (report.format, report.conversations, report.messages) == ("chatgpt", 1, 4)
    assert await house.memory.count_messages("ada") == 4
    again = [each async for each in mem.import_stream("ada", str(file), format="chatgpt")]
    assert again == [each async for each in house.memory.import_stream("ada", file)]
    assert (again[-1].messages, again[-1].known) == (0, 4)


async def test_what_is_wrong_with_a_file_is_told_by_the_same_errors(
    mem: AsyncClient, tmp_path: Path
) -> None:
    half = tmp_path / "half.json"
    half.write_text(json.dumps([samples.chatgpt(), samples.chatgpt("c2")])[:-200])
    diary = tmp_path / "diary"
    diary.write_text("Dear diary")

    told: list[int] = []
    with pytest.raises(InvalidInputError, match="cut off after item 1; what came before is stored"):
        await _note(mem.import_stream("ada", half), told)

    # What came before the fault is stored.
    assert (told, await mem.count_messages("ada")) == ([4], 4)
    for path in (diary, tmp_path / "missing", tmp_path, "", "a\x00b"):
        with pytest.raises(InvalidInputError):
            await mem.import_conversations("ada", path)
    with pytest.raises(InvalidInputError, match="format"):
        await mem.import_conversations("ada", half, format="diary")  # pyright: ignore[reportArgumentType]


async def _note(reports: AsyncGenerator[ImportReport], told: list[int]) -> None:
    async for report in reports:
        told.append(report.messages)


async def test_messages_conversations_and_users_are_forgotten_with_a_receipt(
    mem: AsyncClient, house: House
) -> None:
    talk = await mem.create_conversation("ada")
    told = [{"role": "user", "content": f"message {number}"} for number in range(6)]
    ids = await mem.add_messages("ada", talk.id, told)

    receipts = [
        await mem.forget_message("ada", ids[0]),
        await mem.forget_message("ada", str(ids[1]), conversation_id=talk.id),
        await mem.rewind("ada", ids[4], conversation_id=talk.id),
        await mem.rewind("ada", ids[3]),
    ]

    assert [one.what for one in receipts] == ["message", "message", "rewind", "rewind"]
    assert [one.counts["messages"] for one in receipts] == [1, 1, 2, 1]
    assert [one.id for one in await mem.get_messages(talk.id)] == [ids[2]]
    first = receipts[0]
    assert (first.tenant_id, first.user_id, first.conversation_id, first.message_id) == (
        house.tenant_id, "ada", talk.id, ids[0],
    )  # fmt: skip
    assert isinstance(first.vacuum, tuple)
    whole = await mem.forget_conversation("ada", talk.id)
    assert (whole.what, whole.counts["messages"]) == ("conversation", 1)
    gone = await mem.forget_user("ada")
    assert (gone.what, gone.user_id) == ("user", "ada")
    assert await house.memory.list_users() == await mem.list_users()
    assert [one.id for one in await mem.list_users()] == []


async def test_nobody_forgets_what_is_not_theirs(mem: AsyncClient) -> None:
    """a5"""
    number = await mem.add_message("bob", "user", "his")
    talk = await mem.current_conversation("bob")

    for call in (
        lambda: mem.forget_message("ada", number),
        lambda: mem.forget_message("bob", number, conversation_id=uuid4()),
        lambda: mem.rewind("ada", number),
        lambda: mem.forget_conversation("ada", talk.id),
    ):
        with pytest.raises(MemoryNotFoundError):
            await call()
    with pytest.raises(InvalidInputError, match="message_id"):
        await mem.forget_message("bob", "count")
    assert await mem.count_messages("bob") == 1
