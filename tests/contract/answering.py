"""A server on loopback that answers with the bytes it was given, and notes what it was asked."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CUT = b""
"""The connection is closed without an answer."""

SILENCE = b"\x00"
"""Nothing comes."""


def answer(body: str, status: str = "200 OK", kind: str = "application/json", **more: str) -> bytes:
    headers = {"Content-Type": kind, "Content-Length": str(len(body.encode())), **more}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join((f"HTTP/1.1 {status}", *lines, "", body)).encode()


def problem(status: str, code: str, **more: str) -> bytes:
    body = f'{{"status": {status[:3]}, "detail": "Told so.", "code": "{code}"}}'
    return answer(body, status, "application/problem+json", **more)


@dataclass
class Answering:
    """What was asked, and over how many connections."""

    answers: list[bytes]
    url: str = ""
    asked: list[str] = field(default_factory=list[str])
    connections: int = 0

    def header(self, name: str) -> list[str]:
        """What each request said in a header."""
        lines = [line for one in self.asked for line in one.split("\r\n")]
        return [line.partition(": ")[2] for line in lines if line.lower().startswith(f"{name}:")]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        lengths = [line for line in head.lower().split("\r\n") if line.startswith("content-length")]
        await reader.readexactly(int(lengths[0].split(":")[1]) if lengths else 0)
        told = self.answers.pop(0)
        if told == CUT:
            return False
        if told == SILENCE:
            await reader.read()
            return False
        writer.write(told)
        await writer.drain()
        return b"Connection: close" not in told


@asynccontextmanager
async def answering(answers: Sequence[bytes]) -> AsyncGenerator[Answering]:
    """Serve these answers, one after the other."""
    server = Answering(list(answers))
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
