"""A database that neither answers nor hangs up, as behind a network that swallows packets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path

import httpx
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from longterm import Settings, UnavailableError
from longterm.api.app import create_app
from longterm.memory import keys
from longterm.postgres import stall
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.proxy.conftest import Door
from tests.proxy.upstream import Upstream, serving

# A guard against waiting for good: all of this takes seconds.
_PATIENCE_S = 120


class Line:
    """A connection to the database that can be made to swallow everything."""

    def __init__(self, conninfo: str) -> None:
        told = conninfo_to_dict(conninfo)
        self._path = f"{told['host']}/.s.PGSQL.{told['port']}"
        self._conninfo = conninfo
        self._open = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._carried: set[asyncio.Task[None]] = set()

    def conninfo(self, port: int) -> str:
        return make_conninfo(self._conninfo, host="127.0.0.1", port=port)

    def mute(self) -> None:
        self._open.clear()

    def speak(self) -> None:
        self._open.set()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._carried, return_exceptions=True)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (here := asyncio.current_task()) is not None:
            self._carried.add(here)
        there, back = await asyncio.open_unix_connection(self._path)
        ways = (self._pass(reader, back), self._pass(there, writer))
        tasks = {asyncio.create_task(way) for way in ways}
        self._tasks |= tasks
        with closing(back), closing(writer):
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
        except ConnectionError:
            return


@pytest.fixture(scope="module")
def conninfo_of_own(new_database: Callable[[str], str]) -> str:
    return new_database("longterm_silence")


@pytest.fixture
async def line(
    conninfo_of_own: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Line, str]]:
    """A line that speaks, and how to connect by it; whether it does is looked at sooner."""
    monkeypatch.setattr(stall, "_SUSPECT_AFTER_S", 0.3)
    line = Line(conninfo_of_own)
    line.speak()
    async with await asyncio.start_server(line.carry, "127.0.0.1", 0) as listening:
        yield line, line.conninfo(listening.sockets[0].getsockname()[1])
        await line.close()


async def connect_often(runtime: Runtime) -> None:
    """Leave connections in the pool: who has to wait for a new one knows soon enough."""
    async with AsyncExitStack() as open_:
        for _ in range(6):
            conn = await open_.enter_async_context(runtime.parts.database.tenant(Scope(1)))
            # It begins with a statement.
            await conn.value("SELECT 1")


async def test_a_silent_database_costs_no_door_its_answer(
    line: tuple[Line, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """b7, and drop-in: everything is answered, says that it is degraded, and is stored later."""
    upstream = Upstream()
    async with serving(upstream.app()) as above, asyncio.timeout(_PATIENCE_S):
        settings = Settings(
            database_url=line[1],
            worker=False,
            journal_dir=tmp_path,
            upstream_url=f"{above}/base/v1",
            proxy_patience_s=0.1,
        )
        app = create_app(Runtime(settings))
        async with serving(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as http:
            door = Door(url, app)
            secret = (await door.mem.create_key("test")).secret
            http.headers["authorization"] = f"Bearer {secret}"
            asked = {"messages": [{"role": "user", "content": "Hello proxy"}], "user": "ada"}
            await http.get("/v1/models")
            await connect_often(door.runtime)

            # From now on: who was to be known by then would not be, on a busy machine.
            monkeypatch.setattr(keys, "_PATIENCE_S", 0.1)
            line[0].mute()
            said = {"message": "Hello", "user_id": "bob"}
            chatting = asyncio.create_task(http.post("/api/chat", json=said))
            proxied = await http.post("/v1/chat/completions", json=asked)
            waited = door.runtime.parts.database.is_gone
            chatted = await chatting
            line[0].speak()
            while door.runtime.parts.outage.is_on:
                await asyncio.sleep(0.05)

            assert proxied.json()["choices"][0]["message"]["content"] == "Fine."
            assert proxied.headers["x-longterm-degraded"] == "database"
            assert not waited, "it waited until the database was known to be gone"
            assert chatted.json().get("degraded") is True, chatted.text
            assert await door.said("ada") == [("user", "Hello proxy"), ("assistant", "Fine.")]
            assert [role for role, _ in await door.said("bob")] == ["user", "assistant"]


async def test_who_waits_for_a_silent_database_is_told(line: tuple[Line, str]) -> None:
    async with Runtime(Settings(database_url=line[1], worker=False)) as runtime:
        mem = runtime.tenant(Scope(1))
        await mem.get_memory("ada", "tea")

        line[0].mute()
        with pytest.raises(UnavailableError):
            async with asyncio.timeout(_PATIENCE_S):
                await mem.get_memory("ada", "tea")


async def test_who_waits_for_somebody_elses_lock_is_not_taken_for_cut_off(
    line: tuple[Line, str],
) -> None:
    async with Runtime(Settings(database_url=line[1], worker=False)) as runtime:
        mem = runtime.tenant(Scope(1))
        await mem.set_memory("ada", "tea", {"sort": "green"})
        async with runtime.parts.database.tenant(Scope(1)) as conn:
            await conn.run("UPDATE user_memory SET value = value WHERE tenant_id = %(tenant_id)s")
            waiting = asyncio.create_task(mem.set_memory("ada", "tea", {"sort": "black"}))
            await asyncio.sleep(1)

        await waiting
        kept = await mem.get_memory("ada", "tea")

    assert kept == {"sort": "black"}
