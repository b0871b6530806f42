"""Detects a server that accepts connections and never answers."""

import asyncio
import os
import socket
import time
from collections.abc import Callable

import psycopg

from longterm.postgres.session import ENCODING
from longterm.postgres.transaction import Connection

# A transaction takes milliseconds; one that waits for a lock may take this long.
_SUSPECT_AFTER_S = 2.0
_CHECK_EVERY_S = 0.5
_CONNECT_TIMEOUT_S = 3


class StallDetector:
    """Watches the connections in use and closes them when their server is silent.

    A frozen machine or a network that drops packets ends no connection, and `statement_timeout`
    runs on the server. Without this, a caller waits until TCP gives up, a quarter of an hour.
    """

    def __init__(self, conninfo: str, mark_gone: Callable[[], object]) -> None:
        self._conninfo = conninfo
        self._mark_gone = mark_gone
        self._in_use: dict[Connection, float] = {}
        self._watch: asyncio.Task[None] | None = None

    def begin(self, raw: Connection) -> None:
        """Watch a connection from now on."""
        self._in_use[raw] = time.monotonic()
        if self._watch is None:
            self._watch = asyncio.create_task(self._check_forever())

    def end(self, raw: Connection) -> None:
        """Stop watching a connection."""
        self._in_use.pop(raw, None)

    async def close(self) -> None:
        """Stop watching."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    async def _check_forever(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_EVERY_S)
            suspects = self._suspects()
            if not suspects:
                continue
            if await self._is_silent():
                self._mark_gone()
                for raw, since in suspects.items():
                    if self._in_use.get(raw) == since:
                        _shut_down(raw)
            else:
                self._in_use.update(
                    {raw: time.monotonic() for raw in suspects if raw in self._in_use}
                )

    def _suspects(self) -> dict[Connection, float]:
        limit = time.monotonic() - _SUSPECT_AFTER_S
        return {raw: since for raw, since in self._in_use.items() if since < limit}

    async def _is_silent(self) -> bool:
        """Whether a new connection gets no answer at all; a refusal is an answer."""
        try:
            raw = await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=_CONNECT_TIMEOUT_S, client_encoding=ENCODING
            )
        except psycopg.errors.ConnectionTimeout:
            return True
        except psycopg.Error:
            return False
        await raw.close()
        return False


def _shut_down(raw: Connection) -> None:
    """Shut the socket down beneath the caller that waits for it, which then fails."""
    if not raw.closed:
        with socket.socket(fileno=os.dup(raw.fileno())) as connected:
            connected.shutdown(socket.SHUT_RDWR)
