"""A server on loopback that speaks OpenAI's language and does as it is told."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from socket import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.providers import shapes
from tests.providers.shapes import Says

HEADERS = {
    "x-request-id": "req_upstream",
    "openai-processing-ms": "12",
    "x-ratelimit-remaining-requests": "99",
    "set-cookie": "__cf_bm=secret",
    "connection": "keep-alive",
}


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw)

    @property
    def said(self) -> list[tuple[str, Any]]:
        return [(one["role"], one.get("content")) for one in self.body["messages"]]


Behaviour = Callable[[Received], Response]


def says(text: str = "Fine.", calls: tuple[tuple[str, str, str], ...] = ()) -> Behaviour:
    """An answer, whole or in pieces, as the request wants it."""

    def answer(received: Received) -> Response:
        told = Says(text, calls)
        if received.body.get("stream"):
            events = [event.encode() for event in shapes.openai_events(told)]
            return StreamingResponse(_each(events), headers=HEADERS, media_type="text/event-stream")
        return whole(shapes.openai_answer(told))

    return answer


def whole(told: Any, status: int = 200) -> Response:
    return Response(json.dumps(told), status, headers=HEADERS, media_type="application/json")


async def _each(events: list[bytes]) -> AsyncIterator[bytes]:
    for event in events:
        yield event


@dataclass
class Upstream:
    """Behaves as told, and remembers what it was asked."""

    url: str = ""
    behave: Behaviour = field(default_factory=says)
    received: list[Received] = field(default_factory=list[Received])

    @property
    def last(self) -> Received:
        return self.received[-1]

    def reset(self) -> None:
        self.behave = says()
        self.received.clear()

    async def handle(self, request: Request) -> Response:
        raw = await request.body()
        self.received.append(Received(request.url.path, dict(request.headers), raw))
        if request.method == "GET":
            return whole({"object": "list", "data": [{"id": "gpt-test", "object": "model"}]})
        return self.behave(self.last)

    def app(self) -> Starlette:
        return Starlette(
            routes=[Route("/base/v1/{rest:path}", self.handle, methods=["GET", "POST"])]
        )


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def serving(app: Any, listener: socket | None = None) -> AsyncGenerator[str]:
    """Serve an application on loopback; gives its address."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_config=None, access_log=False, ws="none",
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = _Server(config)
    running = asyncio.create_task(server.serve(None if listener is None else [listener]))
    while not server.started:
        assert not running.done(), "the server did not start"
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
