"""The same over a real network: what only a server and a socket can get wrong."""

import asyncio
import gc
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from longterm import Settings
from longterm.api import connections
from longterm.server import serve
from tests.api.checks import good, problem

ADA = {"user_id": "ada"}


@pytest.fixture(scope="module")
def settings(new_database: Callable[[str], str]) -> Settings:
    database = new_database("api_server")
    return Settings(database_url=database, worker=False, port=0, max_body_bytes=100_000)


@pytest.fixture(scope="module")
async def url(settings: Settings) -> AsyncIterator[str]:
    """The address of a server that listens to this machine."""
    async with listening(settings) as address:
        yield address
    gc.unfreeze()


@asynccontextmanager
async def listening(settings: Settings) -> AsyncGenerator[str]:
    announced: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(settings, announce=announced.set_result))
    yield await announced
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def talk(url: str, *parts: bytes) -> tuple[int, bytes]:
    """Send bytes as they are, and return the status and all that comes back."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        return int(head.split()[1]), head
    finally:
        writer.close()


def head(method: str, path: str, *lines: str) -> bytes:
    told = "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *lines))
    return f"{told}\r\n\r\n".encode("latin-1")


JSON = "Content-Type: application/json"


async def test_a_whole_story(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        made = good(await http.post("/api/conversations", json=ADA), 201)
        path = f"/api/conversations/{made['id']}/messages"
        said = {**ADA, "role": "user", "content": "My name is Ada."}
        good(await http.post(path, json=said), 201)
        extract = {**ADA, "conversation_id": made["id"]}
        good(await http.post("/api/memories/extract", json=extract))
        found = good(await http.post("/api/recall", json={**ADA, "query": "what is my name?"}))
        head_ = await http.head(path, params=ADA)
        problem(await http.get("/api/nothing"), 404)

    assert "Ada" in found["text"]
    assert head_.status_code == 200
    assert int(head_.headers["content-length"]) > 0


async def test_an_answer_leaves_in_one_piece(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []
    send = socket.socket.send

    def watched(line: socket.socket, data: bytes, *flags: int) -> int:
        pieces.append(bytes(data))
        return send(line, data, *flags)

    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "send", watched)
        for path in ("/healthz", "/nothing"):
            await talk(url, head("GET", path))

    # Threads wake the loop by a byte of nothing.
    answers = [piece for piece in pieces if not piece.startswith((b"GET", b"\0"))]
    assert [answer[:13] for answer in answers] == [b"HTTP/1.1 200 ", b"HTTP/1.1 404 "]
    for told, _, body in (answer.partition(b"\r\n\r\n") for answer in answers):
        assert f"content-length: {len(body)}".encode() in told


@pytest.mark.usefixtures("url")
async def test_what_a_server_has_loaded_is_not_looked_through_for_garbage() -> None:
    """e7: whenever all of it was, everybody waited for a tenth of a second."""
    assert gc.get_freeze_count() > 100_000


async def test_a_body_of_100_megabytes_is_refused_by_its_length(url: str) -> None:
    status, told = await talk(url, head("POST", "/api/memories", JSON, "Content-Length: 100000000"))

    assert status == 413
    assert b"connection: close" in told.lower()


async def test_an_endless_body_in_chunks_is_refused(url: str) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    begun = head("POST", "/api/memories", JSON, "Transfer-Encoding: chunked")

    assert (await talk(url, begun, chunk, chunk))[0] == 413


async def test_who_sends_slowly_is_not_waited_for(settings: Settings) -> None:
    begun = head("POST", "/api/memories", JSON, "Content-Length: 100")

    # A server of its own: what others ask for may take longer, on a busy machine.
    async with listening(settings.model_copy(update={"request_timeout_s": 0.5})) as url:
        status, told = await talk(url, begun, b'{"user_id"')

    assert status == 503
    assert b"retry-after" in told.lower()


@pytest.mark.parametrize("length", [1, 20])
async def test_ten_thousand_headers_are_refused(url: str, length: int) -> None:
    """Short ones, too: all of them may come at once, before anybody counts their bytes."""
    lines = [f"X-{number}: {'x' * length}" for number in range(10_000)]

    assert (await talk(url, head("GET", "/api/templates", *lines)))[0] in (400, 431)


@pytest.mark.parametrize("begun", [b"", b"GET /api/templates HTTP/1.1\r\nHost: loc"])
async def test_who_never_ends_the_head_of_a_request_is_not_waited_for(
    url: str, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)

    assert (await talk(url, begun))[0] == 408


async def test_who_drips_the_head_of_a_second_request_is_not_waited_for(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head("GET", "/healthz"))
    await reader.readuntil(b'"}')
    monkeypatch.setattr(connections, "HEAD_S", 0.2)

    async def drip() -> None:
        while True:
            writer.write(b"X")
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
    dripping.cancel()
    writer.close()

    assert told.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("raw", "statuses"),
    [
        (b"nonsense\r\n\r\n", {400}),
        (b"GET / HTTP/1.1\r\n\r\n", {400, 421}),
        (head("GET", "/api/templates", "Host: evil.example"), {400, 421}),
        (head("POST", "/api/memories", JSON, "Content-Length: x"), {400}),
        (head("GET", "/api/users/%ff%fe/state"), {400}),
        (head("GET", "/api/conversations?user_id=%ff"), {400}),
        (head("GET", "/api/conversations?user_id=a%00"), {400}),
        (head("BREW", "/api/templates"), {405}),
    ],
)
async def test_strange_requests_are_answered(url: str, raw: bytes, statuses: set[int]) -> None:
    assert (await talk(url, raw))[0] in statuses


async def test_two_at_once_over_the_network_are_done_once(url: str) -> None:
    headers = {"Idempotency-Key": "network"}
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        answers = await asyncio.gather(
            *(
                http.post("/api/conversations", json={"user_id": "eve"}, headers=headers)
                for _ in range(8)
            )
        )
        listed = good(await http.get("/api/conversations", params={"user_id": "eve"}))

    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len(listed["items"]) == 1
