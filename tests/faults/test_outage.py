"""b7: with the database gone chat still answers, and nothing that was acknowledged is lost."""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from longterm import Settings, UnavailableError
from longterm.memory import said
from longterm.memory.outage import Utterance
from longterm.observe.disks import measure
from longterm.providers.model import Answer, Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.runtime import Runtime


class Switch:
    """Takes a database away, and gives it back."""

    def __init__(self, server: str, conninfo: str) -> None:
        self._server = server
        self._name = sql.Identifier(str(conninfo_to_dict(conninfo)["dbname"]))

    def off(self) -> None:
        with psycopg.connect(self._server, autocommit=True) as admin:
            admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(self._name))
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [self._name.as_string().strip('"')],
            )

    def on(self) -> None:
        with psycopg.connect(self._server, autocommit=True) as admin:
            admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(self._name))


@pytest.fixture(scope="module")
def conninfo_of_own(new_database: Callable[[str], str]) -> str:
    """A database that only these tests use."""
    return new_database("longterm_outage")


@pytest.fixture
def switch(server: str, conninfo_of_own: str) -> Switch:
    return Switch(server, conninfo_of_own)


def settings(conninfo: str, folder: Path, **changes: int) -> Settings:
    return Settings(
        database_url=conninfo,
        journal_dir=folder,
        **changes,  # pyright: ignore[reportArgumentType]
    )


@pytest.fixture
async def running(conninfo_of_own: str, tmp_path: Path, switch: Switch) -> AsyncIterator[Runtime]:
    """A Longterm whose model echoes, on a database that can be taken away."""
    model = ScriptedModel(lambda prompt: f"You said: {prompt.messages[-1].text}")
    async with Runtime(settings(conninfo_of_own, tmp_path), llm=model) as runtime:
        try:
            yield runtime
        finally:
            await asyncio.to_thread(switch.on)


async def until_back(runtime: Runtime) -> None:
    async with asyncio.timeout(60):
        while runtime.parts.outage.is_on:
            await asyncio.sleep(0.02)


async def test_turns_said_during_an_outage_are_answered_and_written_back_in_order_once(
    running: Runtime, switch: Switch, tenant_id: int
) -> None:
    mem = running.tenant(Scope(tenant_id))
    first = await mem.chat("ada", "before")
    await asyncio.to_thread(switch.off)

    replies = [
        await mem.chat("ada", f"during {number}", conversation_id=first.conversation_id)
        for number in range(5)
    ]
    health = running.parts.outage.is_on
    await asyncio.to_thread(switch.on)
    await until_back(running)
    after = await mem.chat("ada", "after", conversation_id=first.conversation_id)

    assert [reply.answer for reply in replies] == [f"You said: during {n}" for n in range(5)]
    assert all(reply.degraded and reply.error is None for reply in replies)
    assert health
    assert not after.degraded
    told = (await mem.get_messages(str(first.conversation_id))).items
    expected = ["before", *(f"during {number}" for number in range(5)), "after"]
    assert [one.content for one in told if one.role == "user"] == expected
    assert [one.content for one in told if one.role == "assistant"] == [
        f"You said: {words}" for words in expected
    ]
    assert [one.turn for one in told] == sorted([*range(1, 8), *range(1, 8)])


async def test_what_a_process_kept_before_it_died_is_written_back_by_another(
    running: Runtime, switch: Switch, tenant_id: int, conninfo_of_own: str, tmp_path: Path
) -> None:
    await asyncio.to_thread(switch.off)
    reply = await running.tenant(Scope(tenant_id)).chat("ada", "kept by the first")
    # As if it had died: nobody here writes anything back any more.
    await running.parts.outage.close()
    await asyncio.to_thread(switch.on)

    async with Runtime(settings(conninfo_of_own, tmp_path)) as second:
        await until_back(second)
        mem = second.tenant(Scope(tenant_id))
        found = (await mem.get_messages(str(reply.conversation_id))).items

    assert [one.content for one in found] == ["kept by the first", "You said: kept by the first"]


async def test_writing_back_twice_stores_once(running: Runtime, tenant_id: int) -> None:
    mem = running.tenant(Scope(tenant_id))
    words = Utterance(
        id=new_id(),
        tenant_id=tenant_id,
        user_id="ada",
        conversation_id=new_id(),
        role="user",
        text="once",
        said_at="2026-01-01T00:00:00+00:00",
    )

    stored = [await said.write(running.parts.database, words) for _ in range(3)]

    assert stored[0] is not None
    assert stored[1:] == [None, None]
    assert await mem.count_messages("ada") == 1


async def test_a_full_journal_refuses_clearly_and_loses_nothing(
    conninfo_of_own: str, tmp_path: Path, switch: Switch, tenant_id: int
) -> None:
    model = ScriptedModel(lambda _: "Fine.")
    options = settings(conninfo_of_own, tmp_path, journal_max_records=4)
    async with Runtime(options, llm=model) as runtime:
        mem = runtime.tenant(Scope(tenant_id))
        await asyncio.to_thread(switch.off)
        answered = [await mem.chat("ada", f"number {number}") for number in range(2)]
        with pytest.raises(UnavailableError, match="full"):
            await mem.chat("ada", "one too many")
        await asyncio.to_thread(switch.on)
        await until_back(runtime)

        assert len(answered) == 2
        assert await mem.count_messages("ada") == 4
        assert counted(runtime) == {"messages_stored": 4, "turns_stored": 2, "turns_failed": 1}


async def test_a_journal_that_cannot_be_used_refuses_only_what_it_would_have_to_keep(
    conninfo_of_own: str, tmp_path: Path, switch: Switch, tenant_id: int
) -> None:
    folder = tmp_path / "journal"
    async with Runtime(settings(conninfo_of_own, folder), llm=ScriptedModel(str)) as runtime:
        mem = runtime.tenant(Scope(tenant_id))
        shutil.rmtree(folder, ignore_errors=True)
        folder.touch()
        before = await mem.chat("ada", "The database is there")
        (disk,) = await asyncio.to_thread(measure, runtime.folders)
        await asyncio.to_thread(switch.off)
        with pytest.raises(UnavailableError, match="journal cannot be used") as refusal:
            await mem.chat("ada", "It is not")
        temporary = await mem.chat("ada", "Nothing is to be kept", temporary=True)
        await asyncio.to_thread(switch.on)

    assert (before.error, before.degraded) == (None, False)
    assert temporary.error is None
    assert disk.problem == "The journal folder cannot be written to."
    assert str(tmp_path) not in str(refusal.value)


def counted(runtime: Runtime) -> dict[str, float | None]:
    """b9: turns stored, also those that were written back, and failed."""
    value = runtime.metrics.registry.get_sample_value
    names = ("messages_stored", "turns_stored", "turns_failed")
    return {name: value(f"longterm_{name}_total") for name in names}


async def test_an_outage_is_logged_with_its_context_and_counted(
    running: Runtime, switch: Switch, tenant_id: int, caplog: pytest.LogCaptureFixture
) -> None:
    """b9"""
    await asyncio.to_thread(switch.off)
    with caplog.at_level(logging.WARNING):
        await running.tenant(Scope(tenant_id)).chat("ada", "hello")
    async with asyncio.timeout(60):
        while running.metrics.registry.get_sample_value("longterm_degraded") != 1:
            await asyncio.sleep(0.05)
    await asyncio.to_thread(switch.on)
    await until_back(running)

    assert all(words in caplog.text for words in ("kept on disk", "'user': 'ada'", "operation"))
    assert running.metrics.registry.get_sample_value("longterm_journal_kept_total") == 2


async def test_other_operations_fail_at_once_while_it_is_gone_and_recover_without_a_restart(
    running: Runtime, switch: Switch, tenant_id: int
) -> None:
    mem = running.tenant(Scope(tenant_id))
    await mem.add_message("ada", "user", "hello")
    await asyncio.to_thread(switch.off)
    with pytest.raises(UnavailableError):
        await mem.count_messages("ada")

    loop = asyncio.get_running_loop()
    begun = loop.time()
    for _ in range(20):
        with pytest.raises(UnavailableError):
            await mem.count_messages("ada")
    spent = loop.time() - begun
    await asyncio.to_thread(switch.on)
    await until_back(running)

    assert spent < 60, "twenty waits for a connection would take ten seconds each"
    assert await mem.count_messages("ada") == 1


async def test_what_was_said_before_comes_before_through_whichever_process(
    running: Runtime, switch: Switch, tenant_id: int, conninfo_of_own: str, tmp_path: Path
) -> None:
    async with Runtime(settings(conninfo_of_own, tmp_path)) as second:
        first = await running.tenant(Scope(tenant_id)).chat("ada", "before")
        place = first.conversation_id
        await asyncio.to_thread(switch.off)
        for number in range(20):
            words = f"during {number}"
            await running.tenant(Scope(tenant_id)).chat("ada", words, conversation_id=place)
        # As if it had died: what it kept is for the other one to write back.
        await running.parts.outage.close()
        await asyncio.to_thread(switch.on)

        mem = second.tenant(Scope(tenant_id))
        await mem.chat("ada", "after", conversation_id=place)
        await until_back(second)
        told = (await mem.get_messages(str(place), limit=100)).items

    expected = ["before", *(f"during {number}" for number in range(20)), "after"]
    assert [one.content for one in told if one.role == "user"] == expected
    assert [one.turn for one in told if one.role == "assistant"] == list(range(1, 23))


class Halting(ScriptedModel):
    """Stops in the middle of its answer until it may go on."""

    def __init__(self) -> None:
        super().__init__(lambda _: "")
        self.may_go_on = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        self.prompts.append(prompt)
        yield "one "
        await asyncio.sleep(0.3)
        yield "two "
        await self.may_go_on.wait()
        yield "three"
        yield Answer(text="one two three", model=self.name)


async def test_an_answer_of_which_a_part_was_stored_before_the_outage_is_there_once(
    conninfo_of_own: str, tmp_path: Path, switch: Switch, tenant_id: int
) -> None:
    model = Halting()
    async with Runtime(settings(conninfo_of_own, tmp_path), llm=model) as runtime:
        mem = runtime.tenant(Scope(tenant_id))
        asking = asyncio.create_task(mem.chat("ada", "Count"))
        async with asyncio.timeout(60):
            while await mem.count_messages("ada") < 2:
                await asyncio.sleep(0.02)
        await asyncio.to_thread(switch.off)
        model.may_go_on.set()
        reply = await asking
        await asyncio.to_thread(switch.on)
        await until_back(runtime)

        told = (await mem.get_messages(str(reply.conversation_id))).items

    assert (reply.answer, reply.error, reply.degraded) == ("one two three", None, True)
    assert [(one.role, one.content, one.status) for one in told] == [
        ("user", "Count", "complete"),
        ("assistant", "one two three", "complete"),
    ]
