"""A server that says nothing: no error comes of that, so somebody has to look."""

import asyncio
import os
import socket
import time
from collections.abc import Callable

import psycopg

from longterm.store.reads import Connection
from longterm.store.session import ENCODING

# A transaction of ours takes milliseconds; one that waits for a lock may take this long.
_SUSPECT_AFTER_S = 2.0
_PATIENCE_S = 3


class Watch:
    """Looks after connections in use; when their server is silent, it ends them.

    A frozen machine and a network that swallows packets end no connection, and `statement_timeout`
    is the server's own: whoever waits would wait until the system gives up, a quarter of an hour.
    """

    def __init__(self, conninfo: str, found_gone: Callable[[], object]) -> None:
        self._conninfo = conninfo
        self._found_gone = found_gone
        # Since when; and the timers, which outlast a use: most uses are over in a millisecond.
        self._used: dict[Connection, float] = {}
        self._timers: dict[Connection, asyncio.TimerHandle] = {}
        self._looking: set[asyncio.Task[None]] = set()

    def begin(self, raw: Connection) -> None:
        """Somebody uses this connection from now on."""
        self._used[raw] = time.monotonic()
        if raw not in self._timers:
            self._wait(raw, _SUSPECT_AFTER_S)

    def end(self, raw: Connection) -> None:
        """Nobody uses it any more."""
        self._used.pop(raw, None)

    async def close(self) -> None:
        """Look no more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._used.clear()
        looking = set(self._looking)
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)

    def _wait(self, raw: Connection, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._timers[raw] = loop.call_later(seconds, self._suspect, raw)

    def _suspect(self, raw: Connection) -> None:
        del self._timers[raw]
        since = self._used.get(raw)
        if since is None:
            return
        left = since + _SUSPECT_AFTER_S - time.monotonic()
        if left > 0:
            self._wait(raw, left)
            return
        task = asyncio.create_task(self._look(raw, since))
        # The loop itself keeps no strong reference to a task.
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _look(self, raw: Connection, since: float) -> None:
        silent = await self._is_silent()
        if self._used.get(raw) != since:
            return
        if silent:
            self._found_gone()
            _cut(raw)
        else:
            self.begin(raw)

    async def _is_silent(self) -> bool:
        """Whether a new connection gets no answer at all; a refusal is one."""
        try:
            raw = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_PATIENCE_S, client_encoding=ENCODING
            )
        except psycopg.errors.ConnectionTimeout:
            return True
        except psycopg.Error:
            return False
        await raw.close()
        return False


def _cut(raw: Connection) -> None:
    """End a connection beneath whoever waits for it: they read its end, and fail."""
    if not raw.closed:
        with socket.socket(fileno=os.dup(raw.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)
