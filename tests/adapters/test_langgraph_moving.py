"""§3 Yours: LangGraph's threads go out with the user, and go on where they come in."""

# pyright: reportMissingTypeStubs=false

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from psycopg import sql

from longterm import AsyncTenant
from longterm.adapters.langgraph_saver import LongtermSaver
from longterm.memory import importing
from tests.adapters.test_langgraph_saver import TABLES, a_graph, of_thread, says
from tests.outside import Raw


def inner(state: MessagesState) -> dict[str, list[AnyMessage]]:
    return {"messages": [AIMessage(f"Booked: {interrupt('Shall I?')}")]}


def a_nested_graph(saver: LongtermSaver) -> Any:
    """A graph in a graph, which stops to ask: states in two namespaces, and writes that wait."""
    below: Any = StateGraph(MessagesState)
    below.add_node("ask", inner)
    below.add_edge(START, "ask")
    above: Any = StateGraph(MessagesState)
    above.add_node("below", below.compile())
    above.add_edge(START, "below")
    above.add_edge("below", END)
    return above.compile(checkpointer=saver)


async def exported(mem: AsyncTenant, user_id: str) -> list[Any]:
    return [record async for record in mem.export_user(user_id)]


def of_graphs(records: list[Any]) -> list[Any]:
    return [record for record in records if record["type"].startswith("checkpoint")]


def written(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


async def rows(raw: Raw, tenant_id: int, user_id: str) -> dict[str, list[str]]:
    """What the tables of checkpoints have of a user, but for whose it is and when it came."""
    query = sql.SQL(
        "SELECT (to_jsonb(kept) - 'user_id' - 'saved_at')::text AS row FROM {} AS kept"
        " WHERE tenant_id = %s AND user_id = %s ORDER BY row"
    )
    found: dict[str, list[str]] = {}
    for table in TABLES:
        named = query.format(sql.Identifier("longterm", table))
        asked = await raw.execute(named, [tenant_id, user_id])
        found[table] = [row for (row,) in await asked.fetchall()]
    return found


async def test_a_thread_goes_on_where_it_was_imported(
    mem: AsyncTenant, tmp_path: Path, raw: Raw, tenant_id: int
) -> None:
    saver = LongtermSaver(mem, "ada")
    for turn in range(12):
        await a_graph(saver).ainvoke(says(f"turn {turn}"), of_thread("talk"))
    back = (await a_graph(saver).aget_state(of_thread("talk"))).config
    await a_graph(saver).ainvoke(says("given up"), of_thread("talk"))
    await a_graph(saver).aupdate_state(back, says("another way"))
    await a_nested_graph(saver).ainvoke(says("Book it"), of_thread("nested"))
    await a_graph(LongtermSaver(mem, "bob")).ainvoke(says("of bob"), of_thread("talk"))
    records = await exported(mem, "ada")

    report = await mem.import_conversations("eve", written(tmp_path / "ada.jsonl", records))

    there = LongtermSaver(mem, "eve")
    made = [one async for one in saver.alist(None)]
    assert [one async for one in there.alist(None)] == made
    assert (report.checkpoints, report.unread) == (len(made), ())
    assert of_graphs(await exported(mem, "eve")) == of_graphs(records)
    assert await rows(raw, tenant_id, "eve") == await rows(raw, tenant_id, "ada")
    done = await a_nested_graph(there).ainvoke(Command(resume="yes"), of_thread("nested"))
    assert done["messages"][-1].content == "Booked: yes"
    state = await a_graph(there).ainvoke(says("and on"), of_thread("talk"))
    assert [one.content[:11] for one in state["messages"][-3:-1]] == ["another way", "and on"]


async def early_and_late(mem: AsyncTenant, folder: Path) -> tuple[Path, Path]:
    """Two exports of a thread, between which it went on."""
    graph = a_graph(LongtermSaver(mem, "ada"))
    await graph.ainvoke(says("first"), of_thread("talk"))
    early = written(folder / "early.jsonl", await exported(mem, "ada"))
    await graph.ainvoke(says("second"), of_thread("talk"))
    late = written(folder / "late.jsonl", await exported(mem, "ada"))
    return early, late


async def test_however_often_it_is_imported_it_is_there_once(
    mem: AsyncTenant, tmp_path: Path, raw: Raw, tenant_id: int
) -> None:
    early, late = await early_and_late(mem, tmp_path)

    reports = [await mem.import_conversations("eve", path) for path in (early, late, early, late)]

    assert [one.checkpoints for one in reports] == [3, 3, 0, 0]
    assert [one.unread_count for one in reports] == [0] * 4
    assert (await mem.import_conversations("ada", late)).checkpoints == 0
    assert await rows(raw, tenant_id, "eve") == await rows(raw, tenant_id, "ada")


async def test_what_was_deleted_here_does_not_come_back_and_nothing_is_there_by_half(
    mem: AsyncTenant, tmp_path: Path, raw: Raw, tenant_id: int
) -> None:
    early, late = await early_and_late(mem, tmp_path)
    await mem.import_conversations("eve", early)

    await LongtermSaver(mem, "eve").adelete_thread("talk")
    again = await mem.import_conversations("eve", early)
    further = await mem.import_conversations("eve", late)

    assert (again.checkpoints, again.unread_count) == (0, 0)
    assert (further.checkpoints, further.unread_count) == (0, 0)
    assert await rows(raw, tenant_id, "eve") == {table: [] for table in TABLES}


async def test_a_checkpoint_whose_pieces_are_missing_is_told_and_left_out(
    mem: AsyncTenant, tmp_path: Path
) -> None:
    for turn in range(2):
        await a_graph(LongtermSaver(mem, "ada")).ainvoke(says(f"turn {turn}"), of_thread("talk"))
    records = await exported(mem, "ada")
    whole = [record for record in records if record["type"] != "checkpoint_piece"]

    report = await mem.import_conversations("eve", written(tmp_path / "ada.jsonl", whole))

    assert {one.reason for one in report.unread} == {
        "It rests on a checkpoint that is not there any more."
    }
    assert [one async for one in LongtermSaver(mem, "eve").alist(None)] == []


async def test_an_import_that_was_cut_off_goes_on(
    mem: AsyncTenant,
    tmp_path: Path,
    raw: Raw,
    tenant_id: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = a_graph(LongtermSaver(mem, "ada"))
    for turn in range(3):
        await graph.ainvoke(says(f"turn {turn}"), of_thread("talk"))
    path = written(tmp_path / "ada.jsonl", await exported(mem, "ada"))
    monkeypatch.setattr(importing, "_MOST_ITEMS", 2)

    reports = mem.import_stream("eve", path)
    assert [(await anext(reports)).checkpoints for _ in range(3)] == [1, 3, 5]
    await reports.aclose()
    half = await LongtermSaver(mem, "eve").aget_tuple(of_thread("talk"))
    rest = await mem.import_conversations("eve", path)

    assert half is not None
    assert half.checkpoint["channel_values"]["messages"]
    assert rest.checkpoints == 9 - 5
    assert await rows(raw, tenant_id, "eve") == await rows(raw, tenant_id, "ada")


async def test_a_thread_three_times_as_long_takes_no_more_memory(
    mem: AsyncTenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_MOST_CHARACTERS", 500_000)
    peaks: list[int] = []
    for turns in (20, 60):
        user_id, config = f"user {turns}", of_thread("talk", checkpoint_ns="")
        for turn in range(turns):
            state: Any = {"v": 4, "id": f"{turn:04}", "ts": "", "versions_seen": {},
                          "channel_values": {"text": f"{turn:04}" * 15_000},
                          "channel_versions": {"text": str(turn)}}  # fmt: skip
            await LongtermSaver(mem, user_id).aput(config, state, {}, {"text": str(turn)})
        tracemalloc.start()
        with (tmp_path / user_id).open("w") as file:
            async for record in mem.export_user(user_id):
                file.write(json.dumps(record) + "\n")
        report = await mem.import_conversations(f"{user_id} again", tmp_path / user_id)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert report.checkpoints == turns

    assert peaks[1] < 1.5 * peaks[0]
