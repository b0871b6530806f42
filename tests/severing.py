"""A line to PostgreSQL that breaks at COMMIT: before it reaches the server, or after it was done."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from typing import Literal

from psycopg.conninfo import conninfo_to_dict, make_conninfo

When = Literal["before", "after"]

_COMMIT = b"COMMIT"


class SeveringLine:
    """Carries connections to a server, and breaks one of them at its next COMMIT when told to.

    `writing` names what the transaction must have sent before, so that others are left alone.
    """

    def __init__(self, conninfo: str) -> None:
        told = conninfo_to_dict(conninfo)
        self._path = f"{told['host']}/.s.PGSQL.{told['port']}"
        self._tasks: set[asyncio.Task[None]] = set()
        self._when: When | None = None
        self._writing = b""
        self.broken = 0

    def break_at_commit(self, when: When, *, writing: str) -> None:
        """Break the next connection that commits a transaction with these words in it."""
        self._when, self._writing = when, writing.encode()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(self._path)
        with closing(back), closing(writer):
            down = asyncio.create_task(self._down(there, writer, severed := asyncio.Event()))
            up = asyncio.create_task(self._up(reader, back, severed))
            self._tasks |= {down, up}
            await asyncio.wait({down, up}, return_when=asyncio.FIRST_COMPLETED)
            for task in (down, up):
                task.cancel()

    async def _up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, severed: asyncio.Event
    ) -> None:
        sent = b""
        while data := await reader.read(65536):
            sent += data
            if self._when is not None and _COMMIT in data and self._writing in sent:
                when, self._when = self._when, None
                self.broken += 1
                if when == "before":
                    return
                severed.set()
            if _COMMIT in data:
                sent = b""
            writer.write(data)

    async def _down(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, severed: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            if severed.is_set():
                # The server has committed and says so; nobody hears it.
                return
            writer.write(data)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def severing(conninfo: str) -> AsyncGenerator[tuple[SeveringLine, str]]:
    """A line, and how to connect by it."""
    line = SeveringLine(conninfo)
    async with await asyncio.start_server(line.carry, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield line, make_conninfo(conninfo, host="127.0.0.1", port=port)
        await line.close()
