"""Connections: nobody is waited for who does not come to the point; answers leave in one piece."""

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from longterm.api.peers import Peer

# From the first byte of a request, or from the beginning of a connection, to the end of the head.
HEAD_S = 20.0

_HEAD = b"HTTP/1.1 "
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class ImpatientProtocol(H11Protocol):
    """uvicorn's own, which waits for ever for the head of a request."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first request; each one knows who is at the other end."""
        super().connection_made(cast("asyncio.Transport", _Together(transport, self.loop)))
        self.app_state = {**self.app_state, "peer": Peer(transport.get_extra_info("socket"))}
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came; the clock goes on until the head is whole."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self._give_up)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(_LATE)
            self.transport.close()


class _Together:
    """A connection on which the head of an answer waits for what follows it at once.

    uvicorn writes them one after the other: two calls of the system and two packets for each
    answer, and a client that is woken twice.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send it, with the head that waits; a head waits until all who are due had their turn."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(_HEAD):
            self._head = data
            self._loop.call_soon(self._flush)
            return
        self._transport.write(data)

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._head:
            data, self._head = self._head, b""
            self._transport.write(data)
