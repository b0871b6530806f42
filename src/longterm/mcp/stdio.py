"""MCP over standard input and output: one client, one person."""

import asyncio
import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self, cast

from mcp.server.stdio import stdio_server

from longterm.mcp.server import server_of
from longterm.memory.tenant import Person

if TYPE_CHECKING:
    from anyio import AsyncFile

_STDIN = 0
_AT_ONCE = 65536


async def converse(person: Person) -> None:
    """Answer until the client closes our input; what else is printed goes to standard error."""
    server = server_of(person)
    # All that is done with it is to go through its lines.
    lines = cast("AsyncFile[str]", _Lines())
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class _Lines:
    """The lines of standard input, read by a thread that nobody has to wait for.

    The SDK waits for its own: told to stop, it would go on until the client closes our input.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._read: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._follow, name="stdin", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._read.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _follow(self) -> None:
        begun: list[bytes] = []
        while part := _read():
            *whole, rest = part.split(b"\n")
            for line in whole:
                self._put(b"".join((*begun, line)).decode(errors="replace"))
                begun = []
            begun.append(rest)
        self._put(None)

    def _put(self, line: str | None) -> None:
        # The loop is closed when we were told to stop; nobody listens then.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._read.put_nowait, line)


def _read() -> bytes:
    """What comes next; nothing at the end, also of a terminal that is gone."""
    # Not through sys.stdin: Python aborts when it ends while a thread is reading from it.
    try:
        return os.read(_STDIN, _AT_ONCE)
    except OSError:
        return b""
