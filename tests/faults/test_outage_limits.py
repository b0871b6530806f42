"""b7, b8 and b11 at once: what may reach the disk in an outage, how it is marked, what is known."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longterm import AsyncTenant, Settings
from longterm.errors import ModelGoneError
from longterm.memory import keeping
from longterm.memory.outage import Utterance
from longterm.providers.scripted import Line, ScriptedModel
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.outside import no_database


@pytest.fixture(scope="module")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("outage_limits")


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journal")


@pytest.fixture(scope="module")
async def away(database: str, journal: Path) -> AsyncIterator[Runtime]:
    settings = Settings(database_url=database, journal_dir=journal)
    model = ScriptedModel(lambda prompt: f"You said: {prompt.messages[-1].text}")
    async with Runtime(settings, llm=model) as runtime:
        yield runtime


async def back(runtime: Runtime) -> None:
    async with asyncio.timeout(60):
        while runtime.parts.outage.is_on:
            await asyncio.sleep(0.02)


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_nothing_that_is_not_to_be_kept_reaches_the_disk(
    away: Runtime, server: str, database: str, journal: Path, tenant_id: int
) -> None:
    """b11"""
    mem = away.tenant(Scope(tenant_id))
    forgetful = away.tenant(Scope(tenant_id + 1_000_000))
    await forgetful.update_settings(memory=False)
    await forgetful.chat("ada", "This is looked up while the database is there")
    async with no_database(server, database):
        replies = [
            await mem.chat("ada", "xyzzy", memory=False),
            await mem.chat("ada", "xyzzy", temporary=True),
            await forgetful.chat("ada", "xyzzy"),
            await forgetful.chat_in_session("ada", "xyzzy"),
        ]
        kept = await asyncio.to_thread(on_disk, journal)
        pending = away.parts.outage.pending
    await back(away)

    assert [reply.answer for reply in replies] == ["You said: xyzzy"] * 4
    assert pending == 0
    assert b"xyzzy" not in kept
    assert await mem.count_messages("ada") == 0


async def test_an_answer_that_breaks_off_in_an_outage_is_kept_as_interrupted(
    away: Runtime, server: str, database: str, tenant_id: int
) -> None:
    """b8, d4"""
    mem = away.tenant(Scope(tenant_id))
    broken = Line(text="As I was saying", error=ModelGoneError("It broke off."))
    parts = replace(away.parts, model=ScriptedModel([broken]))
    async with no_database(server, database):
        reply = await AsyncTenant(parts, Scope(tenant_id)).chat("ada", "Hello?")
    await back(away)

    told = (await mem.get_messages(str(reply.conversation_id))).items
    assert [(one.content, one.status) for one in told] == [
        ("Hello?", "complete"),
        ("As I was saying", "interrupted"),
    ]


async def test_what_was_said_a_moment_ago_is_known_in_an_outage(
    away: Runtime, server: str, database: str, tenant_id: int
) -> None:
    model = ScriptedModel(lambda _: "Fine.")
    mem = AsyncTenant(replace(away.parts, model=model), Scope(tenant_id))
    before = await mem.chat("ada", "My name is Ada")
    async with no_database(server, database):
        await mem.chat("ada", "What is my name?", conversation_id=before.conversation_id)
        told = [said.text for said in model.prompts[-1].messages]
    await back(away)

    assert told[:2] == ["My name is Ada", "Fine."]
    assert "What is my name?" in told[-1]


async def test_what_waits_on_disk_comes_before_what_is_said_next(
    away: Runtime, tenant_id: int
) -> None:
    mem = away.tenant(Scope(tenant_id))
    place = (await mem.create_conversation("ada")).id
    earlier = Utterance(
        id=new_id(),
        tenant_id=tenant_id,
        user_id="ada",
        conversation_id=place,
        role="user",
        text="earlier",
        said_at=datetime.now(UTC).isoformat(),
    )
    # The next look at the disk is up to a second away.
    await away.parts.outage.keep(earlier)

    await mem.chat("ada", "later", conversation_id=place)
    # Where that took seconds, it waits on disk as well.
    await back(away)

    told = (await mem.get_messages(place)).items
    assert [one.content for one in told if one.role == "user"] == ["earlier", "later"]


async def test_a_database_that_is_only_busy_is_waited_for(
    database: str, tmp_path: Path, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The disk is looked at within this time, too.
    monkeypatch.setattr(keeping, "_PATIENCE_S", 1.0)
    settings = Settings(database_url=database, journal_dir=tmp_path, pool_size=2)
    async with Runtime(settings, llm=ScriptedModel(lambda _: "Fine.")) as runtime:
        mem, asked = runtime.tenant(Scope(tenant_id)), asyncio.Event()
        held, answers = runtime.parts.database.tenant, runtime.parts.database.answers

        async def answering() -> bool:
            asked.set()
            return await answers()

        monkeypatch.setattr(runtime.parts.database, "answers", answering)
        async with held(Scope(tenant_id)) as one, held(Scope(tenant_id)) as other:
            await one.value("SELECT 1")
            await other.value("SELECT 1")
            asking = asyncio.create_task(mem.chat("ada", "Are you busy?"))
            async with asyncio.timeout(60):
                await asked.wait()
        reply = await asking

    assert (reply.answer, reply.degraded) == ("Fine.", False)
