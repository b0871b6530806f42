"""§3 Yours: our own export comes in again as it was, and nothing in it can do harm."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from longterm import AsyncTenant, ConflictError, InvalidInputError
from longterm.imports import own
from longterm.memory import importing
from longterm.memory.checkpoints import Checkpoints
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import taught
from tests.memory.test_chat import model
from tests.outside import Raw, rows_of

AT = "2024-01-01T00:00:00Z"
CONVERSATION: dict[str, Any] = {
    "type": "conversation", "id": "c", "kind": "conversation", "title": "t", "title_by": "person",
    "archived": False, "retention_hours": None, "expires_at": None, "turn_count": 1,
    "metadata": {}, "created_at": AT, "updated_at": AT,
}  # fmt: skip
MESSAGE: dict[str, Any] = {
    "type": "message", "id": 1, "conversation_id": "c", "turn": 1, "role": "user",
    "content": "hello", "name": None, "status": "complete", "created_at": AT, "recorded_at": AT,
    "archived_at": None, "tool_calls": None, "metadata": None, "learned": True,
}  # fmt: skip
FACT: dict[str, Any] = {
    "type": "fact", "id": "f", "version": 1, "fact_type": "fact", "category": None, "key": None,
    "content": "likes tea", "confidence": 1.0, "importance": 0.5, "pinned": False,
    "archived": False, "origin": "api", "said_at": AT, "recorded_at": AT, "valid_from": AT,
    "valid_to": None, "closed": None, "said_count": 1, "source_conversation_id": "c",
    "source_message_id": 1, "span_start": None, "span_end": None, "extractor": None,
    "access_count": 0, "last_accessed_at": None,
}  # fmt: skip
MENTION: dict[str, Any] = {"conversation_id": "c", "message_id": "1", "mentioned_at": AT}
PLACE: dict[str, Any] = {
    "type": "place", "place_id": "p", "place_name": "Rome", "notes": None, "added_at": AT,
    "mentions": [MENTION],
}  # fmt: skip
MEMORY: dict[str, Any] = {"type": "memory", "key": "k", "value": {"a": 1}, "updated_at": AT}
USER: dict[str, Any] = {
    "type": "user", "mode": "active", "mode_updated_at": AT, "current_conversation_id": "c",
}  # fmt: skip
BYTES = {"kind": "bytes", "data": "d29yZHM="}
HASH = sha256(b"bytes\0words").hexdigest()
CHANNEL: dict[str, Any] = {"name": "text", "version": "1", "is_list": False, "pieces": [HASH]}
CHECKPOINT: dict[str, Any] = {
    "type": "checkpoint", "thread_id": "t", "namespace": "", "id": "1", "parent_id": None, **BYTES,
    "metadata": {}, "versions": {"text": "1"}, "channels": [CHANNEL],
}  # fmt: skip
PIECE: dict[str, Any] = {"type": "checkpoint_piece", "thread_id": "t", "hash": HASH, **BYTES}
WRITE: dict[str, Any] = {
    "type": "checkpoint_write", "thread_id": "t", "namespace": "", "checkpoint_id": "1",
    "task_id": "task", "place": 0, "task_path": "", "channel": "text", **BYTES,
}  # fmt: skip
HEADER: dict[str, Any] = {"type": "longterm-export", "version": 1}
END: dict[str, Any] = {"type": "end"}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**12, 10**400, 1.5, float("nan"), float("inf"), 1e300, "", "\x00",
    "\ud800", "x" * 10_000, "9999-12-31T23:59:59-14:00", [], {}, {"a": "\x00"},
    {"a": float("nan")}, {"a": nested(600)}, ["\ud800"], {"\ud800": 1},
)  # fmt: skip


def hostile() -> Iterator[dict[str, Any]]:
    """Every field of every record with every value that it should not have."""
    number = 0
    for record in (CONVERSATION, MESSAGE, FACT, PLACE, MEMORY, USER, MENTION):
        for field in record:
            if field == "type":
                continue
            for value in VALUES:
                number += 1
                named = {**CONVERSATION, "id": f"c{number}"}
                if record is CONVERSATION:
                    yield {**named, field: value}
                elif record is MESSAGE:
                    yield named
                    yield {**MESSAGE, "conversation_id": named["id"], "id": number, field: value}
                elif record is FACT:
                    yield {**FACT, "id": f"f{number}", field: value}
                elif record is MENTION:
                    mention = {**MENTION, field: value}
                    yield {**PLACE, "place_id": f"p{number}", "mentions": [mention]}
                elif record is PLACE:
                    yield {**PLACE, "place_id": f"p{number}", field: value}
                else:
                    yield {**record, **({"key": f"k{number}"} if record is MEMORY else {}),
                           field: value}  # fmt: skip


def hostile_states() -> Iterator[dict[str, Any]]:
    """The same of a checkpoint and its parts."""
    number = 0
    for record in (CHECKPOINT, CHANNEL, PIECE, WRITE):
        for field in record:
            for value in VALUES if field != "type" else ():
                number += 1
                changed = {**record, field: value}
                thread = {"thread_id": f"t{number}"}
                channel = changed if record is CHANNEL else CHANNEL
                own = changed if record is CHECKPOINT else {**CHECKPOINT, "channels": [channel]}
                yield own if field == "thread_id" else {**own, **thread}
                yield {**(changed if record is PIECE else PIECE), **thread}
                yield {**WRITE, **thread}
                yield {**(changed if record is WRITE else WRITE), **thread}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def make(*records: Any, name: str = "ada.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return make


async def test_no_value_in_any_field_is_more_than_one_line_that_is_not_read(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    report = await mem.import_conversations("ada", write(HEADER, *hostile(), END))

    assert report.unread_count > 300
    assert all(one.reason.endswith(".") for one in report.unread)
    assert report.conversations > 300
    assert min(report.messages, report.facts, report.places, report.memories) > 0


async def test_no_value_in_any_field_of_a_checkpoint_does_harm(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    report = await mem.import_conversations("ada", write(HEADER, *hostile_states(), PIECE, END))

    assert all(one.reason.endswith(".") for one in report.unread)
    assert report.unread_count > 300
    assert report.checkpoints > 100
    for thread in range(1, 2_000, 50):
        await Checkpoints.of(mem).page("ada", thread_id=f"t{thread}")


async def test_what_is_wrong_with_a_checkpoint_is_told(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    empty: dict[str, Any] = {**CHECKPOINT, "channels": [{**CHANNEL, "pieces": []}]}
    states: list[Any] = [
        CHECKPOINT,
        {**PIECE, "data": "AAAA"},
        empty,
        CHECKPOINT,
        {**PIECE, "data": "?"},
    ]

    report = await mem.import_conversations(
        "ada",
        write(HEADER, *states, {**CHECKPOINT, "id": "i" * 255, "namespace": "n" * 1_300}, END),
    )

    assert [one.reason for one in report.unread] == [
        "A piece is damaged: it has another hash.",
        "A channel that is no list has one piece.",
        "data must be in base64.",
        "Its names must have at most 1,500 bytes together.",
    ]


async def test_turns_that_contradict_each_other_are_numbered_anew(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    told = [{**MESSAGE, "id": number, "turn": turn} for number, turn in enumerate((3, 3, 1, 9))]

    await mem.import_conversations("ada", write(HEADER, CONVERSATION, *told, END))

    (made,) = await mem.list_conversations("ada")
    assert [one.turn for one in await mem.get_messages(made.id)] == [3, 4, 5, 9]


async def test_a_file_that_was_cut_off_is_told_and_no_conversation_is_there_by_half(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    second = {**CONVERSATION, "id": "d", "title": "second"}
    half = {**MESSAGE, "conversation_id": "d"}

    with pytest.raises(InvalidInputError, match="is cut off"):
        await mem.import_conversations("ada", write(HEADER, CONVERSATION, MESSAGE, second, half))

    assert [one.title for one in await mem.list_conversations("ada")] == ["t"]


async def test_a_conversation_that_would_fill_the_ram_is_left_out(
    mem: AsyncTenant, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "MOST_CHARACTERS", 10_000)
    large = [{**MESSAGE, "id": turn, "turn": turn, "custom_payload": {"a": ["x" * 900]}}
             for turn in range(1, 20)]  # fmt: skip
    second = {**CONVERSATION, "id": "d", "title": "second"}
    kept = {**MESSAGE, "conversation_id": "d"}

    report = await mem.import_conversations(
        "ada", write(HEADER, CONVERSATION, *large, second, kept, END)
    )

    assert report.unread[0].reason == "A conversation has more than 10,000 characters."
    assert [one.title for one in await mem.list_conversations("ada")] == ["second"]


async def exported(mem: AsyncTenant, user_id: str) -> list[Any]:
    return [record async for record in mem.export_user(user_id)]


async def test_what_was_learned_elsewhere_is_not_learned_again(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant], write: Callable[..., Path]
) -> None:
    made = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "My name is Ada.")
    await mem.add_message("ada", "assistant", "Hello.")
    await mem.add_message("ada", "user", "I live in Rome.")
    await mem.digest(made.id)
    (name, home) = sorted(await mem.list_facts("ada"), key=lambda fact: fact.content)
    await mem.delete_fact("ada", home.id)
    await mem.add_message("ada", "user", "I am allergic to peanuts.")
    other = new_tenant()

    await other.import_conversations("eve", write(*await exported(mem, "ada")))
    (there,) = await other.list_conversations("eve")
    await other.digest(there.id)

    known = {fact.content: fact.said_count for fact in await other.list_facts("eve")}
    assert known.pop(name.content) == 1
    assert home.content not in known
    assert len(known) == 1
    assert (await other.recall("eve", "Rome", kinds=("turn",))).items


async def test_what_an_installation_allows_comes_in_again(
    runtime: Runtime, tenant_id: int, write: Callable[..., Path]
) -> None:
    limits = replace(runtime.parts.rules.limits, json_bytes=4_000_000)
    generous = replace(runtime.parts, rules=replace(runtime.parts.rules, limits=limits))
    mem = AsyncTenant(generous, Scope(tenant_id))
    await mem.set_memory("ada", "key", {"large": "x" * 2_000_000})

    report = await mem.import_conversations("eve", write(*await exported(mem, "ada")))

    assert (report.memories, report.unread) == (1, ())


async def test_the_current_conversation_is_the_current_one_again(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant], write: Callable[..., Path]
) -> None:
    await mem.create_conversation("ada", "first")
    await mem.add_message("ada", "user", "one")
    await mem.create_conversation("ada", "second")
    await mem.add_message("ada", "user", "two")
    other = new_tenant()

    await other.import_conversations("eve", write(*await exported(mem, "ada")))
    await other.add_message("eve", "user", "three")

    assert (await other.current_conversation("eve")).title == "second"
    assert len(await other.list_conversations("eve")) == 2


async def test_which_memories_an_answer_was_made_from_stays_where_their_ids_mean_something(
    runtime: Runtime, tenant_id: int, write: Callable[..., Path]
) -> None:
    mem = taught(runtime, tenant_id, model("In Rome."))
    await mem.add_message("ada", "user", "I live in Rome.")
    reply = await mem.chat("ada", "Where do I live, in Rome?")
    assert (await mem.get_memories_used("ada", reply.answer_id or 0)).items

    await mem.import_conversations("eve", write(*await exported(mem, "ada")))

    (there,) = await mem.list_conversations("eve")
    (answer,) = [one for one in await mem.get_messages(there.id) if one.role == "assistant"]
    assert (await mem.get_memories_used("eve", answer.id)).items == ()
    assert answer.used is not None
    assert answer.used.count > 0


async def test_metadata_under_our_own_names_does_no_harm(
    mem: AsyncTenant, write: Callable[..., Path]
) -> None:
    told: list[Any] = [5, {}, {"count": "x"}, [1], {"items": [{"kind": "turn", "id": "x"}, 7]}]
    said = [
        {**MESSAGE, "id": turn, "turn": turn, "role": "assistant",
         "metadata": {"used": one, "memories": one}}
        for turn, one in enumerate(told, 1)
    ]  # fmt: skip
    await mem.import_conversations("ada", write(HEADER, CONVERSATION, *said, END))
    (made,) = await mem.list_conversations("ada")
    ids = [one.id for one in await mem.get_messages(made.id)]

    assert len(ids) == len(told)
    assert [one.used for one in await mem.get_messages(made.id)] == [None] * len(told)
    assert [(await mem.get_memories_used("ada", id_)).items for id_ in ids] == [()] * len(ids)


async def test_who_is_forgotten_while_an_import_goes_on_does_not_come_back(
    mem: AsyncTenant, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch,
    raw: Raw, tenant_id: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(importing, "_MOST_ITEMS", 1)
    other = {**CONVERSATION, "id": "d"}
    path = write(HEADER, CONVERSATION, MESSAGE, other, {**MESSAGE, "conversation_id": "d"}, END)
    reports = mem.import_stream("ada", path)
    await anext(reports)

    await mem.forget_user("ada")
    with pytest.raises(ConflictError, match="forgotten meanwhile"):
        await anext(reports)

    left = {table for table, rows in (await rows_of(raw, tenant_id)).items() if rows}
    assert left <= {"forgettings", "generations", "tenants"}
    assert (await mem.import_conversations("ada", path)).messages == 2
