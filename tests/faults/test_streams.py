"""Two hundred people listen to one server at once, some slowly, some not at all, some leave."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.faults.talking import HANG_S
from tests.journeys.programs import Server, StartServer, starting_servers
from tests.providers import vendor_server
from tests.providers.shapes import Says
from tests.providers.vendor_server import Held, VendorServer
from tests.store.embedded_processes import only_linux

pytestmark = [only_linux, pytest.mark.xdist_group("heavy"), pytest.mark.timeout(600)]

LISTENERS = 200
# Fewer than listeners by far: whoever held a connection while listening would be noticed.
POOL = 5
# Without whoever asks, and without PostgreSQL's own workers, which clean up at any moment.
CONNECTED = """
    SELECT count(*)
      FROM pg_stat_activity
     WHERE datname = current_database()
       AND backend_type = 'client backend'
       AND pid <> pg_backend_pid()
"""
# As the kernel writes it: established, or left by the other side and not closed by ours.
HELD = ("01", "08")
# More than the kernel takes off our hands for somebody who does not read.
LONG = "All work and no play makes Jack a dull boy. " * 5000


@pytest.fixture(scope="module")
async def vendor() -> AsyncIterator[VendorServer]:
    async with vendor_server.running() as running:
        yield running


@pytest.fixture(scope="module")
def start() -> Iterator[StartServer]:
    yield from starting_servers()


@pytest.fixture(scope="module")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("streams")


class Listened:
    """A server, and what it takes."""

    def __init__(self, server: Server, url: str, database: str) -> None:
        self.url = url
        self._pid = server.process.pid
        self._database = database

    def rss_mb(self) -> int:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self._pid}/status").read_text())
        assert found is not None
        return int(found[1]) // 1024

    def sockets(self) -> int:
        """How many connections of listeners the server has not let go of."""
        port = int(self.url.rpartition(":")[2])
        table = Path(f"/proc/{self._pid}/net/tcp").read_text().splitlines()[1:]
        ends = [line.split() for line in table]
        return sum(end[1].endswith(f":{port:04X}") and end[3] in HELD for end in ends)

    def connections(self) -> int:
        with psycopg.connect(self._database) as conn:
            row = conn.execute(CONNECTED).fetchone()
        assert row is not None
        return row[0]


@pytest.fixture(scope="module")
async def listened(
    start: StartServer,
    vendor: VendorServer,
    database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Listened:
    server = start(
        *("serve", "--no-worker", "--port", "0", "--database-url", database),
        log=tmp_path_factory.mktemp("streams") / "server.log",
        LONGTERM_LLM="openai-compatible:test",
        LONGTERM_LLM_BASE_URL=f"{vendor.url}/v1",
        LONGTERM_LLM_API_KEY="none",
        LONGTERM_POOL_SIZE=str(POOL),
        # All of them wait for one of these, on however busy a machine.
        LONGTERM_CONNECT_TIMEOUT_S=str(HANG_S),
    )
    return Listened(server, await asyncio.to_thread(server.url), database)


class Listener:
    """Somebody who asks, and reads what comes as it comes."""

    def __init__(self, number: int) -> None:
        self.name = f"listener {number}"
        self.begun = asyncio.Event()
        self.last: tuple[str, dict[str, Any]] = ("", {})

    async def listen(self, url: str, *, leave: bool = False) -> None:
        reader, writer = await asked(url, self.name)
        try:
            kind = ""
            while line := await reader.readline():
                told = line.decode().strip()
                if told.startswith("event: "):
                    kind = told.removeprefix("event: ")
                elif told.startswith("data: "):
                    self.last = (kind, json.loads(told.removeprefix("data: ")))
                    if kind == "delta":
                        self.begun.set()
                        if leave:
                            return
        finally:
            writer.close()


async def asked(url: str, user: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a question, and read nothing."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**24)
    body = json.dumps({"user_id": user, "message": "Tell me a story"}).encode()
    head = (
        "POST /api/chat/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    return reader, writer


async def wave(listened: Listened, vendor: VendorServer, size: int = LISTENERS) -> None:
    """All listen at once: nobody hears the end before everybody has heard the beginning."""
    released = asyncio.Event()
    vendor.always = Held(released)
    listeners = [Listener(number) for number in range(size)]
    listening = asyncio.gather(*(each.listen(listened.url) for each in listeners))
    try:
        async with asyncio.timeout(4 * HANG_S):
            await asyncio.gather(*(each.begun.wait() for each in listeners))
            await few_connections(listened)
            assert await asyncio.to_thread(listened.sockets) >= size
            released.set()
            await listening
    finally:
        # Whatever failed here, the next test finds a server that can answer.
        released.set()
        listening.cancel()
        vendor.always = Says()
    assert {each.last[0] for each in listeners} == {"done"}
    assert {each.last[1]["answer"] for each in listeners} == {Says().text}
    # In the database and not on disk.
    assert all(each.last[1]["answer_id"] for each in listeners)


@pytest.fixture(scope="module")
async def warm(listened: Listened, vendor: VendorServer) -> Listened:
    """A server that has loaded what it needs for so many at once."""
    await wave(listened, vendor)
    await hung_up(listened)
    return listened


async def hung_up(listened: Listened) -> None:
    """Wait until the server has let go of everybody."""
    async with asyncio.timeout(HANG_S):
        while await asyncio.to_thread(listened.sockets) > 0:
            await asyncio.sleep(0.05)


async def test_two_hundred_streams_at_once_take_few_connections_and_no_memory(
    warm: Listened, vendor: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = warm.rss_mb()
    await wave(warm, vendor)
    await hung_up(warm)
    after = warm.rss_mb()

    with capsys.disabled():
        sys.stdout.write(f"\nresident memory before and after a wave: {before}, {after} MB\n")
    assert after < 1.05 * before


async def test_who_does_not_read_harms_nobody(warm: Listened, vendor: VendorServer) -> None:
    vendor.always = Says(text=LONG)
    before, requests = warm.rss_mb(), len(vendor.requests)
    deaf = [await asked(warm.url, f"deaf {number}") for number in range(20)]
    slow_reader, slow_writer = await asked(warm.url, "slow")

    async def slowly() -> None:
        while await slow_reader.read(1):
            await asyncio.sleep(1)

    reading = asyncio.create_task(slowly())
    async with asyncio.timeout(HANG_S):
        while len(vendor.requests) < requests + len(deaf) + 1:
            await asyncio.sleep(0.05)
    await wave(warm, vendor, 50)

    assert warm.rss_mb() - before < 20 * 4
    reading.cancel()
    for _, writer in (*deaf, (slow_reader, slow_writer)):
        writer.transport.abort()


async def test_who_goes_away_leaves_nothing_behind(
    listened: Listened, vendor: VendorServer
) -> None:
    """d4: and the answer is made to its end all the same."""
    vendor.always = Says()
    await Listener(0).listen(listened.url)
    await quiet(listened)
    released = asyncio.Event()
    vendor.always = Held(released)
    leaving = [Listener(number) for number in range(50)]

    async with asyncio.timeout(HANG_S):
        await asyncio.gather(*(each.listen(listened.url, leave=True) for each in leaving))
        released.set()
        await quiet(listened)
    await hung_up(listened)

    async with httpx.AsyncClient(base_url=listened.url, timeout=HANG_S) as http:
        listed = await http.get("/api/conversations", params={"user_id": "listener 7"})
        path = f"/api/conversations/{listed.json()['items'][0]['id']}/messages"
        told = (await http.get(path, params={"user_id": "listener 7"})).json()["items"]
    assert (told[-1]["content"], told[-1]["status"]) == (Says().text, "complete")
    await few_connections(listened)


async def few_connections(listened: Listened) -> None:
    """Wait until there are no more than the pool's: to look whether it answers, one more is made."""
    async with asyncio.timeout(HANG_S):
        while await asyncio.to_thread(listened.connections) > POOL:
            await asyncio.sleep(0.05)


async def quiet(listened: Listened) -> None:
    """Wait until no answer is being made."""
    async with httpx.AsyncClient(timeout=HANG_S) as http, asyncio.timeout(HANG_S):
        while (
            "longterm_answers_under_way 0.0" not in (await http.get(f"{listened.url}/metrics")).text
        ):
            await asyncio.sleep(0.05)
