"""A database that is there and says nothing: frozen, or behind a network that loses everything."""

import asyncio
import os
import socket
from collections.abc import Callable

import psycopg

from longterm.store.reads import Connection

# Nothing of ours takes that long, but for a bulk import: then the database is asked how it is.
_PATIENCE_S = 5.0
_ANSWERS_WITHIN_S = 5


class Silence:
    """Hangs up on a database that answers neither who waits for it nor anybody new."""

    def __init__(self, conninfo: str, *, found: Callable[[], object]) -> None:
        self._conninfo = conninfo
        self._found = found
        self._timers: dict[Connection, asyncio.TimerHandle] = {}
        self._asking: set[asyncio.Task[None]] = set()

    def begin(self, raw: Connection) -> None:
        """Look after a connection that is being used."""
        loop = asyncio.get_running_loop()
        self._timers[raw] = loop.call_later(_PATIENCE_S, self._suspect, raw)

    def end(self, raw: Connection) -> None:
        """Leave it alone."""
        timer = self._timers.pop(raw, None)
        if timer is not None:
            timer.cancel()

    def _suspect(self, raw: Connection) -> None:
        task = asyncio.create_task(self._ask(raw))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _ask(self, raw: Connection) -> None:
        if await self._is_silent() and raw in self._timers:
            self._found()
            _hang_up(raw)
        elif raw in self._timers:
            self.begin(raw)

    async def _is_silent(self) -> bool:
        try:
            new = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_ANSWERS_WITHIN_S
            )
        except psycopg.errors.ConnectionTimeout:
            return True
        except psycopg.Error:
            # A refusal is an answer; and where nobody listens, connections end by themselves.
            return False
        await new.close()
        return False


def _hang_up(raw: Connection) -> None:
    """Let who waits find the connection ended.

    It is not closed: its number would be given to the next one, while somebody still waits.
    """
    with socket.socket(fileno=os.dup(raw.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
