"""What is long goes piece by piece: an export as it is read, a file as it is sent."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longterm import InvalidInputError, SetupError, UnavailableError
from longterm.client import AsyncClient, Client
from longterm.errors import DatabaseGoneError
from tests.contract.answering import CUT, answer, answering
from tests.contract.conftest import House

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
HEADER = {"type": "longterm-export", "text": "a\u2028b"}
END = {"type": "end"}
EVENTS = "text/event-stream"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve) -> AsyncGenerator[str]:
    """Serve connections with a function, on loopback."""
    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def event(kind: str, **more: Any) -> str:
    told: dict[str, Any] = {"format": "claude", "messages": 3, "unread": [], **more}
    return f"event: {kind}\ndata: {json.dumps(told)}\n\n"


async def test_an_export_comes_as_it_is_read() -> None:
    read = asyncio.Event()

    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + line(HEADER) + line({"type": "message"})[:5])
        await writer.drain()
        # The rest comes only when what there is was handed out.
        await read.wait()
        writer.write(line({"type": "message"})[5:] + line(END))
        writer.close()

    async with serving(slowly) as url, AsyncClient(url) as client:
        records = client.export_user("ada")
        assert await anext(records) == HEADER
        read.set()
        assert [record async for record in records] == [{"type": "message"}, END]

        read.clear()
        with Client(url) as blocking:
            blocks = blocking.export_user("ada")
            assert await asyncio.to_thread(next, blocks) == HEADER
            read.set()
            assert await asyncio.to_thread(list, blocks) == [{"type": "message"}, END]


@pytest.mark.parametrize(
    ("told", "error"),
    [
        (line(HEADER), UnavailableError),
        (line(HEADER) + b'{"type": "mess', UnavailableError),
        (line(HEADER) + b"<html>\n", SetupError),
        (line(HEADER) + b"[1]\n", SetupError),
    ],
)
async def test_an_export_that_breaks_off_is_not_taken_for_whole(
    told: bytes, error: type[Exception]
) -> None:
    async with answering([HEAD + told]) as server, AsyncClient(server.url) as client:
        records = client.export_user("ada")
        assert await anext(records) == HEADER
        with pytest.raises(error):
            await anext(records)


async def test_a_file_is_sent_again_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_bytes(b"x" * 200_000)
    done = answer(event("progress") + ": still here\n\n" + event("done"), kind=EVENTS)

    async with answering([CUT, done, CUT, done]) as server, AsyncClient(server.url) as client:
        reports = [report async for report in client.import_stream("ada", file)]
        with Client(server.url) as blocking:
            report = await asyncio.to_thread(blocking.import_conversations, "ada", file)

    assert [report.messages for report in reports] == [3]
    assert report == reports[0]
    assert server.header("content-length") == ["200000"] * 4
    # It needs none, and with one the second attempt would wait for the first.
    assert server.header("idempotency-key") == []


async def test_an_import_that_ends_early_says_why(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text("[]")
    failed = event("progress") + event("error", detail="Gone.", code="database_gone")
    nothing, cut = event("done"), event("progress")

    answers = [answer(told, kind=EVENTS) for told in (failed, nothing, cut)]
    async with answering(answers) as server, AsyncClient(server.url) as client:
        with pytest.raises(DatabaseGoneError, match="Gone"):
            await client.import_conversations("ada", file)
        with pytest.raises(SetupError):
            await client.import_conversations("ada", file)
        with pytest.raises(UnavailableError, match="ended before"):
            await client.import_conversations("ada", file)


@pytest.mark.parametrize("blocking", [False, True])
async def test_a_file_is_never_in_memory_as_a_whole(tmp_path: Path, blocking: bool) -> None:
    size = 20_000_000
    file = tmp_path / "large.json"
    with file.open("wb") as sparse:
        sparse.truncate(size)
    received = 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal received
        await reader.readuntil(b"\r\n\r\n")
        while received < size:
            received += len(await reader.read(65_536))
        writer.write(answer(event("progress") + event("done"), kind=EVENTS))
        writer.close()

    async with serving(count) as url, AsyncClient(url) as client:
        tracemalloc.start()
        if blocking:
            with Client(url) as other:
                await asyncio.to_thread(other.import_conversations, "ada", file)
        else:
            await client.import_conversations("ada", file)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert received == size
    assert peak < size / 4


async def test_who_is_cut_off_while_sending_a_file_learns_what_it_may_be(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as sparse:
        sparse.truncate(20_000_000)

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async with serving(refuse) as url, AsyncClient(url, attempts=1) as client:
        with pytest.raises(UnavailableError, match="file may be too large"):
            await client.import_conversations("ada", file)


async def test_a_file_that_is_too_large_is_refused_by_the_server(
    house: House, tmp_path: Path
) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as sparse:
        sparse.truncate(2_500_000)

    async with AsyncClient(house.url, await house.key(), attempts=1) as client:
        with pytest.raises(InvalidInputError, match="at most 1,500,000 bytes"):
            await client.import_conversations("ada", file)
