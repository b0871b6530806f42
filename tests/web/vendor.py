"""A vendor on loopback whose model speaks a word at a time, and falls silent in the middle."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.providers import shapes
from tests.providers.shapes import Says

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n\r\n"


class Words(Says):
    """An answer that comes word by word."""

    def pieces(self) -> list[str]:
        return [f"{word} " for word in self.text.split()]


@dataclass
class SlowVendor:
    """Says `text`, with a pause between words; silent after `silent_after` of them."""

    text: str = "one two three four"
    silent_after: int | None = None
    pause_s: float = 0.15
    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            body = json.loads(await reader.readexactly(length))
            if body.get("stream"):
                await self._stream(writer)
            else:
                answer = json.dumps(shapes.openai_answer(Says(text="{}")))
                writer.write(_HEAD % b"application/json" + answer.encode())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD % b"text/event-stream")
        # The first event has no word in it.
        for number, event in enumerate(shapes.openai_events(Words(text=self.text))):
            if self.silent_after is not None and number > self.silent_after:
                await asyncio.sleep(60)
            writer.write(event.encode())
            await writer.drain()
            await asyncio.sleep(self.pause_s)


@asynccontextmanager
async def speaking() -> AsyncGenerator[SlowVendor]:
    """A vendor for as long as it is needed; whoever still waits for a word is sent away."""
    vendor = SlowVendor()
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            tasks.add(task)
        with contextlib.suppress(asyncio.CancelledError):
            await vendor.handle(reader, writer)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    vendor.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield vendor
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
