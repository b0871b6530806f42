"""A client that costs next to nothing: requests on a connection that stays open."""

import asyncio
import json
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit


class Client:
    """One connection to a server; one request at a time."""

    def __init__(self, url: str, key: str | None = None) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname, parts.port)
        authorization = "" if key is None else f"Authorization: Bearer {key}\r\n"
        self._head = f"Host: {parts.netloc}\r\n{authorization}"

    async def __aenter__(self) -> Self:
        await self._connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def get(self, path: str) -> bytes:
        """Ask for something."""
        return await self._ask(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())

    async def post(self, path: str, **body: Any) -> bytes:
        """Send a JSON object."""
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\n{self._head}"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return await self._ask(head.encode() + content)

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(*self._address)

    async def _ask(self, request: bytes) -> bytes:
        if self._reader.at_eof():
            # A server keeps a connection that says nothing for some seconds.
            self._writer.close()
            await self._connect()
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        body = await self._reader.readexactly(int(length))
        if not head.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(f"The server refused: {body.decode()}")
        return body
