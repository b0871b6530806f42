"""LangGraph's checkpointer on a real database, with LangGraph's own conformance tests."""

# pyright: reportMissingTypeStubs=false

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES
from langgraph.checkpoint.conformance.validate import validate
from langgraph.checkpoint.serde.types import ERROR
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from longterm import AsyncTenant, InvalidInputError, Tenant
from longterm.adapters.langgraph_saver import LongtermSaver
from longterm.memory.checkpoints import Checkpoints
from longterm.records.checkpoint import Blob, Channel, NewCheckpoint, Thread
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import checkpoints as store
from tests.outside import Raw, rows_of

TABLES = ("checkpoints", "checkpoint_channels", "checkpoint_pieces", "checkpoint_writes")


def echo(state: MessagesState) -> dict[str, list[AnyMessage]]:
    """Answers with how many messages there are and with a text of some length."""
    return {"messages": [AIMessage(f"{len(state['messages'])} " + "words " * 50)]}


def a_graph(saver: BaseCheckpointSaver[str]) -> Any:
    builder: Any = StateGraph(MessagesState)
    builder.add_node("echo", echo)
    builder.add_edge(START, "echo")
    builder.add_edge("echo", END)
    return builder.compile(checkpointer=saver)


def of_thread(thread_id: str, **more: Any) -> Any:
    return {"configurable": {"thread_id": thread_id, **more}}


def says(words: str) -> Any:
    return {"messages": [HumanMessage(words)]}


async def check_conformance(saver: LongtermSaver) -> None:
    async def made() -> AsyncGenerator[LongtermSaver, None]:
        yield saver

    report = await validate(checkpointer_test(name="LongtermSaver")(made))

    failures = [one for result in report.results.values() for one in result.failures or []]
    passed = {name: result.tests_passed for name, result in report.results.items() if result.passed}
    assert failures == []
    assert set(passed) == {capability.value for capability in ALL_CAPABILITIES}
    assert sum(passed.values()) > 60


async def test_it_conforms_to_langgraphs_own_tests(mem: AsyncTenant) -> None:
    await check_conformance(LongtermSaver(mem, "ada"))


async def test_it_conforms_with_a_tenant_of_the_blocking_library(tenant: Tenant) -> None:
    await check_conformance(LongtermSaver(tenant, "ada"))


def test_a_thread_goes_on_where_it_stopped(tenant: Tenant) -> None:
    a_graph(LongtermSaver(tenant, "ada")).invoke(says("Hello"), of_thread("1"))

    later = a_graph(LongtermSaver(tenant, "ada"))
    state = later.invoke(says("Still there?"), of_thread("1"))

    assert [type(one) for one in state["messages"]] == [HumanMessage, AIMessage] * 2
    assert len(list(later.get_state_history(of_thread("1")))) == 6


async def test_a_thread_that_was_interrupted_is_resumed_by_another_process(
    mem: AsyncTenant,
) -> None:
    def ask(state: MessagesState) -> dict[str, list[AnyMessage]]:
        return {"messages": [AIMessage(f"Booked: {interrupt('Shall I?')}")]}

    def built() -> Any:
        builder: Any = StateGraph(MessagesState)
        builder.add_node("ask", ask)
        builder.add_edge(START, "ask")
        return builder.compile(checkpointer=LongtermSaver(mem))

    config = of_thread("1", user_id="ada")
    stopped = await built().ainvoke(says("Book it"), config)
    done = await built().ainvoke(Command(resume="yes"), config)

    assert stopped["__interrupt__"][0].value == "Shall I?"
    assert done["messages"][-1].content == "Booked: yes"


async def test_a_graph_goes_back_in_time_and_takes_another_way(mem: AsyncTenant) -> None:
    graph, config = a_graph(LongtermSaver(mem)), of_thread("1", user_id="ada")
    await graph.ainvoke(says("first"), config)
    back = (await graph.aget_state(config)).config
    await graph.ainvoke(says("second"), config)

    await graph.aupdate_state(back, says("another"))
    state = await graph.aget_state(config)

    assert [one.content[:7] for one in state.values["messages"]] == ["first", "1 words", "another"]


async def test_two_users_may_have_threads_of_the_same_name(mem: AsyncTenant) -> None:
    graph = a_graph(LongtermSaver(mem))
    for user_id in ("ada", "bob"):
        await graph.ainvoke(says(f"I am {user_id}"), of_thread("1", user_id=user_id))

    await LongtermSaver(mem).for_user("ada").adelete_thread("1")

    adas = await graph.aget_state(of_thread("1", user_id="ada"))
    bobs = await graph.aget_state(of_thread("1", user_id="bob"))
    assert adas.values == {}
    assert bobs.values["messages"][0].content == "I am bob"
    assert [one async for one in LongtermSaver(mem, "ada").alist(None)] == []


async def test_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    one, two = LongtermSaver(new_tenant(), "ada"), LongtermSaver(new_tenant(), "ada")
    await a_graph(one).ainvoke(says("Hello"), of_thread("1"))

    assert await two.aget_tuple(of_thread("1")) is None
    assert [found async for found in two.alist(None)] == []


async def test_a_fixed_user_reaches_no_thread_of_another(runtime: Runtime, tenant_id: int) -> None:
    """a5"""
    await a_graph(LongtermSaver(runtime.tenant(Scope(tenant_id)), "bob")).ainvoke(
        says("Hello"), of_thread("1")
    )
    alice = LongtermSaver(runtime.tenant(Scope(tenant_id, "alice")), "bob")

    assert await alice.aget_tuple(of_thread("1")) is None


async def test_a_thread_without_a_user_is_refused(mem: AsyncTenant) -> None:
    with pytest.raises(InvalidInputError, match="belongs to a user"):
        await a_graph(LongtermSaver(mem)).ainvoke(says("Hello"), of_thread("1"))
    with pytest.raises(InvalidInputError, match="belongs to a user"):
        await LongtermSaver(mem).adelete_thread("1")
    with pytest.raises(InvalidInputError, match="not the user of this saver"):
        await LongtermSaver(mem, "ada").aget_tuple(of_thread("1", user_id="bob"))


async def test_a_blocking_call_needs_the_blocking_library(mem: AsyncTenant) -> None:
    with pytest.raises(RuntimeError, match="call its async twin"):
        LongtermSaver(mem, "ada").get_tuple(of_thread("1"))


async def stored_bytes(raw: Raw, tenant_id: int) -> int:
    rows = await rows_of(raw, tenant_id)
    return sum(len(row) for table in TABLES for row in rows[table])


async def test_a_late_turn_adds_little_more_than_an_early_one(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """A list that grows is not stored again with each turn."""
    graph, config = a_graph(LongtermSaver(mem, "ada")), of_thread("1")
    sizes = [0]
    for turn in range(60):
        await graph.ainvoke(says(f"turn {turn} " + "words " * 50), config)
        sizes.append(await stored_bytes(raw, tenant_id))

    def added(first: int, last: int) -> float:
        return (sizes[last] - sizes[first]) / (last - first)

    # Whole lists would add ten times as much.
    assert added(50, 60) < 2 * added(5, 15)
    state = await graph.aget_state(config)
    assert [one.content.split()[1] for one in state.values["messages"][::2]] == [
        str(turn) for turn in range(60)
    ]


async def test_deleting_a_thread_or_a_user_leaves_no_row(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    saver = LongtermSaver(mem, "ada")
    for thread_id in ("1", "2", "3"):
        await a_graph(saver).ainvoke(says("Hello"), of_thread(thread_id))

    await saver.adelete_thread("1")
    left = await rows_of(raw, tenant_id)
    await Checkpoints.of(mem).delete("ada")
    nothing = await rows_of(raw, tenant_id)

    for table in TABLES:
        assert left[table]
        assert not any(",ada,1," in row for row in left[table])
        assert nothing[table] == []


async def test_pruning_leaves_the_newest_state_and_no_row_that_nothing_needs(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    saver = LongtermSaver(mem, "ada")
    for thread_id in ("1", "2"):
        for turn in range(12):
            await a_graph(saver).ainvoke(says(f"turn {turn}"), of_thread(thread_id))
    before = await a_graph(saver).aget_state(of_thread("1"))

    await saver.aprune(["1"])
    after = await a_graph(saver).aget_state(of_thread("1"))
    kept = {
        table: sum(",ada,1," in row for row in rows)
        for table, rows in (await rows_of(raw, tenant_id)).items()
        if table in TABLES
    }
    await a_graph(saver).ainvoke(says("and on"), of_thread("1"))

    assert after.values == before.values
    assert after.config == before.config
    assert kept["checkpoints"] == 1
    # 24 messages are two pieces; the other channels of the graph hold nothing, or one each.
    assert kept["checkpoint_pieces"] <= 2 + kept["checkpoint_channels"]
    assert kept["checkpoint_channels"] <= 4
    assert kept["checkpoint_writes"] == 0
    assert len([one async for one in saver.alist(of_thread("2"))]) == 36
    state = await a_graph(saver).aget_state(of_thread("1"))
    assert len(state.values["messages"]) == 26


async def test_a_state_that_rests_on_those_before_it_is_not_pruned(mem: AsyncTenant) -> None:
    """A DeltaChannel would silently be empty."""
    saver, config = LongtermSaver(mem, "ada"), of_thread("1")
    for step in range(3):
        told: Any = {"counters_since_delta_snapshot": {"messages": [step, step]}}
        config = await saver.aput(config, empty_checkpoint(), told, {})

    await saver.aprune(["1"])

    assert len([one async for one in saver.alist(of_thread("1"))]) == 3


async def test_a_copy_goes_on_by_itself_and_belongs_to_the_same_user(mem: AsyncTenant) -> None:
    ada, bob = LongtermSaver(mem, "ada"), LongtermSaver(mem, "bob")
    await a_graph(ada).ainvoke(says("Hello"), of_thread("1"))
    await bob.acopy_thread("1", "2")
    await ada.acopy_thread("1", "2")
    await ada.adelete_thread("1")

    state = await a_graph(ada).ainvoke(says("On"), of_thread("2"))

    assert [type(one) for one in state["messages"]] == [HumanMessage, AIMessage] * 2
    assert await bob.aget_tuple(of_thread("2")) is None


async def test_another_users_threads_and_runs_stay(mem: AsyncTenant) -> None:
    ada, bob = LongtermSaver(mem, "ada"), LongtermSaver(mem, "bob")
    for saver in (ada, bob):
        await saver.aput(of_thread("1"), empty_checkpoint(), {"run_id": "r"}, {})

    await ada.adelete_for_runs(["r"])
    await ada.aprune(["1"], strategy="delete")

    assert await bob.aget_tuple(of_thread("1")) is not None
    with pytest.raises(InvalidInputError, match="keep_latest or delete"):
        await ada.aprune(["1"], strategy="all")


def a_checkpoint(id_: str, words: bytes) -> NewCheckpoint:
    channel = Channel(name="a", version=id_, is_list=False, pieces=(Blob("bytes", words),))
    return NewCheckpoint(
        thread=Thread(user_id="ada", thread_id="1"),
        id=id_,
        parent_id=None,
        body=Blob("bytes", b""),
        metadata={},
        versions={"a": id_},
        channels=(channel,),
    )


async def test_what_a_checkpoint_relies_on_is_not_pruned_before_it_is_stored(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    checkpoints = Checkpoints.of(mem)
    await checkpoints.put(a_checkpoint("1", b"as before"))
    await checkpoints.put(a_checkpoint("2", b"something else"))

    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await store.put(conn, a_checkpoint("3", b"as before"))
        pruning = asyncio.create_task(checkpoints.keep_latest("ada", ["1"]))
        await asyncio.wait({pruning}, timeout=0.3)
    await pruning

    found = await checkpoints.get(Thread(user_id="ada", thread_id="1"))
    assert found is not None
    assert found.channels[0].pieces == (Blob("bytes", b"as before"),)


async def test_what_a_task_wrote_first_stays_and_its_error_is_the_last_one(
    mem: AsyncTenant,
) -> None:
    """A task that is run once more must not change what others have seen of it."""
    saver = LongtermSaver(mem, "ada")
    config = await saver.aput(of_thread("1"), empty_checkpoint(), {"source": "loop"}, {})
    for attempt in ("first", "second"):
        writes = [("channel", attempt), (ERROR, attempt), (ERROR, f"{attempt} again")]
        await saver.aput_writes(config, writes, "task")

    found = await saver.aget_tuple(config)

    assert found is not None
    assert found.pending_writes == [
        ("task", ERROR, "second again"),
        ("task", "channel", "first"),
    ]


@pytest.mark.parametrize("bad", ["", " ", "a\x00b", "\ud800", "x" * 1001])
async def test_names_that_can_not_be_kept_are_refused(mem: AsyncTenant, bad: str) -> None:
    """SPEC 4"""
    saver = LongtermSaver(mem, "ada")
    configs = [of_thread(bad), of_thread("1", checkpoint_id=bad)]
    if bad:
        configs.append(of_thread("1", checkpoint_ns=bad))

    for config in configs:
        with pytest.raises(InvalidInputError):
            await saver.aget_tuple(config)
        with pytest.raises(InvalidInputError):
            _ = [one async for one in saver.alist(config)]
