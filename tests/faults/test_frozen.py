"""b7: a database that takes everything and says nothing is as good as gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from longterm import Settings
from longterm.errors import DatabaseGoneError
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import silence


class Line:
    """A way to the database, on which nothing passes while it is frozen."""

    def __init__(self, conninfo: str) -> None:
        told = conninfo_to_dict(conninfo)
        self._socket = f"{told['host']}/.s.PGSQL.{told['port']}"
        self._conninfo = conninfo
        self._tasks: set[asyncio.Task[None]] = set()
        self.open = asyncio.Event()
        self.open.set()

    async def listen(self) -> tuple[asyncio.Server, str]:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        return server, make_conninfo(self._conninfo, host="127.0.0.1", port=port)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_unix_connection(self._socket)
        for pair in ((reader, forth), (back, writer)):
            task = asyncio.create_task(self._pass_on(*pair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                await self.open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@pytest.fixture
async def line(conninfo: str) -> AsyncIterator[tuple[Line, str]]:
    made = Line(conninfo)
    server, through = await made.listen()
    yield made, through
    made.open.set()
    server.close()


async def test_nobody_waits_for_a_database_that_says_nothing(
    line: tuple[Line, str], tmp_path: Path, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither who reads, nor who chats, nor an answer that is under way."""
    monkeypatch.setattr(silence, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(silence, "_ANSWERS_WITHIN_S", 2)
    frozen, through = line
    settings = Settings(database_url=through, journal_dir=tmp_path, connect_timeout_s=2)
    async with Runtime(settings, llm=ScriptedModel(lambda _: "Fine.")) as runtime:
        mem = runtime.tenant(Scope(tenant_id))
        async with asyncio.timeout(60):
            await asyncio.gather(*(mem.count_messages("ada") for _ in range(5)))
            frozen.open.clear()
            reading, first = await asyncio.gather(
                mem.count_messages("ada"), mem.chat_in_session("ada", "one"), return_exceptions=True
            )
            second = await mem.chat("ada", "two")
            frozen.open.set()
            while runtime.parts.outage.is_on:
                await asyncio.sleep(0.02)
            stored = await mem.get_recent_messages("ada")

    assert isinstance(reading, DatabaseGoneError)
    assert not isinstance(first, BaseException)
    assert (first.answer, first.degraded) == ("Fine.", True)
    assert (second.answer, second.degraded) == ("Fine.", True)
    assert [one.content for one in stored] == ["one", "Fine.", "two", "Fine."]


async def test_what_takes_long_is_left_alone_while_the_database_answers(
    runtime: Runtime, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "_PATIENCE_S", 0.02)

    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await conn.value("SELECT pg_sleep(0.5)")
        left = await conn.value("SELECT 1")

    assert left == 1
    assert not runtime.parts.database.is_gone
