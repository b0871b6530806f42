"""A server on loopback that answers like OpenAI, Anthropic and Ollama, well or badly."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.providers import shapes
from tests.providers.shapes import Says

ANSWER_TOOL = "final_result"


@dataclass(frozen=True)
class Status:
    """An error, whose body repeats what was sent, as those of vendors may."""

    code: int
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Body:
    """A body as it stands, with status 200."""

    content: str
    kind: str = "application/json"


class Cut:
    """The connection ends in the middle of the answer."""


class EndsEarly:
    """A stream that ends in the middle of the answer, as tidily as if that were all."""


class CutAtOnce:
    """The connection ends before the first byte of the answer."""


@dataclass(frozen=True)
class Pause:
    """Nothing for a while: before the answer, or in the middle of a stream."""

    seconds: float
    in_stream: bool = False


@dataclass(frozen=True)
class Held:
    """A stream that stops in the middle until it is released, and then goes on to its end."""

    released: asyncio.Event
    says: Says = field(default_factory=Says)


Behaviour = Held | Says | Status | Body | Cut | EndsEarly | CutAtOnce | Pause


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class VendorServer:
    """Behaves as told, in order; then as `always`."""

    port: int = 0
    always: Behaviour = field(default_factory=Says)
    next: deque[Behaviour] = field(default_factory=deque[Behaviour])
    requests: list[Request] = field(default_factory=list[Request])
    dimensions: int = 8
    choose: Callable[[Request], Behaviour | None] | None = None
    writers: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def last(self) -> Request:
        return self.requests[-1]

    def chosen(self, request: Request) -> Behaviour:
        return (self.choose and self.choose(request)) or self.always

    def reset(self) -> None:
        self.choose = None
        self.always = Says()
        self.next.clear()
        self.requests.clear()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.add(writer)
        try:
            while request := await _read(reader):
                self.requests.append(request)
                behaviour = self.next.popleft() if self.next else self.chosen(request)
                if not await self._behave(behaviour, request, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def _behave(
        self, behaviour: Behaviour, request: Request, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer; tells whether the connection may be used again."""
        match behaviour:
            case Status(code, headers):
                echo = {"error": {"message": f"{request.headers} {request.body}", "type": "x"}}
                await _send(writer, json.dumps(echo), code, headers=headers)
            case Body(content, kind):
                await _send(writer, content, kind=kind)
            case CutAtOnce():
                return False
            case Pause(seconds, in_stream) if not in_stream:
                await asyncio.sleep(seconds)
                return False
            case Held() | Says() | Cut() | EndsEarly() | Pause():
                return await self._answer(behaviour, request, writer)
        return True

    async def _answer(
        self,
        behaviour: Held | Says | Cut | EndsEarly | Pause,
        request: Request,
        writer: asyncio.StreamWriter,
    ) -> bool:
        says = _wrapped(_said(behaviour), request.body)
        if request.body.get("stream"):
            return await _stream(writer, _events(request.path, says), behaviour)
        content = json.dumps(self._content(request, says))
        cut = len(content) // 2 if isinstance(behaviour, Cut) else None
        await _send(writer, content, cut=cut)
        return cut is None

    def _content(self, request: Request, says: Says) -> dict[str, Any]:
        if request.path.endswith("/embeddings"):
            dimensions = request.body.get("dimensions", self.dimensions)
            return shapes.embeddings(request.body["input"], dimensions)
        if request.path.endswith("/messages"):
            return shapes.anthropic_answer(says)
        return shapes.openai_answer(says)


@asynccontextmanager
async def running() -> AsyncGenerator[VendorServer]:
    vendor = VendorServer()
    server = await asyncio.start_server(vendor.handle, "127.0.0.1", 0)
    vendor.port = server.sockets[0].getsockname()[1]
    try:
        yield vendor
    finally:
        server.close()
        for writer in set(vendor.writers):
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    first = await reader.readline()
    if not first:
        return None
    headers: dict[str, str] = {}
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    path = first.decode().split()[1].partition("?")[0]
    return Request(path, headers, json.loads(body))


async def _send(
    writer: asyncio.StreamWriter,
    content: str,
    code: int = 200,
    *,
    kind: str = "application/json",
    headers: Iterable[tuple[str, str]] = (),
    cut: int | None = None,
) -> None:
    body = content.encode()
    lines = [
        f"HTTP/1.1 {code} Whatever",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body[:cut])
    await writer.drain()


async def _stream(
    writer: asyncio.StreamWriter, events: Iterable[str], behaviour: Behaviour
) -> bool:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    listed = list(events)
    half = len(listed) // 2
    await _send_events(writer, listed if isinstance(behaviour, Says) else listed[:half])
    if isinstance(behaviour, Held):
        await behaviour.released.wait()
        await _send_events(writer, listed[half:])
    if isinstance(behaviour, Pause):
        await asyncio.sleep(behaviour.seconds)
    if isinstance(behaviour, Held | Says | EndsEarly):
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    return isinstance(behaviour, Held | Says)


async def _send_events(writer: asyncio.StreamWriter, events: Iterable[str]) -> None:
    for event in events:
        body = event.encode()
        writer.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        await writer.drain()


def _events(path: str, says: Says) -> Iterable[str]:
    return (
        shapes.anthropic_events(says) if path.endswith("/messages") else shapes.openai_events(says)
    )


def _said(behaviour: Behaviour) -> Says:
    if isinstance(behaviour, Held):
        return behaviour.says
    return behaviour if isinstance(behaviour, Says) else Says()


def _wrapped(says: Says, body: dict[str, Any]) -> Says:
    """The answer as a tool call where the request asks for it in that form."""
    names = [tool.get("name") or tool["function"]["name"] for tool in body.get("tools", [])]
    if ANSWER_TOOL not in names:
        return says
    # Models like to announce what they are about to do.
    return Says(text="Here it is: ", calls=(("call_answer", ANSWER_TOOL, says.text),))
