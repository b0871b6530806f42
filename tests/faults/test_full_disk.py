"""The disk of the embedded database and of the journal is full: nothing acknowledged is lost."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest

from longterm.errors import DatabaseFullError, DatabaseGoneError
from longterm.postgres.pool import Database
from longterm.runtime import Runtime
from longterm.store.embedded import EmbeddedPostgres
from tests.journeys.programs import StartServer, starting_servers
from tests.store.embedded_processes import only_linux, only_root, until, watched

MORE = "SELECT pg_logical_emit_message(false, 'more', repeat(md5(random()::text), 10000))"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, small enough to be filled."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=220m,mode=755", "tmpfs"]
    mounted = subprocess.run(["mount", *options, folder], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def data_dir(disk: Path, furnish: Callable[[Path], Path]) -> Iterator[Path]:
    yield from watched(furnish(disk / "data"))


@pytest.fixture
def start(data_dir: Path) -> Iterator[StartServer]:
    yield from starting_servers()


class Filler:
    """A file that takes all the room there is, until it is removed."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "filler"

    def fill(self) -> None:
        with suppress(OSError), self._path.open("ab", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)

    def remove(self) -> None:
        self._path.unlink()


def crash_by_writing(data_dir: Path) -> None:
    """Write until there is no room for another segment of the log: PostgreSQL panics then."""
    folder = (data_dir / "postgres-18" / "postmaster.pid").read_text().splitlines()[4]
    with psycopg.connect(f"host={folder} user=postgres dbname=longterm", autocommit=True) as conn:
        for _ in range(1000):
            try:
                conn.execute(MORE)
            except psycopg.OperationalError:
                return
    raise AssertionError("there is room enough")


@only_linux
@only_root
@pytest.mark.xdist_group("heavy")
@pytest.mark.parametrize("crashes", [False, True])
def test_a_full_disk_is_told_from_the_first_request_on_and_forgotten_when_there_is_room(
    disk: Path, data_dir: Path, start: StartServer, crashes: bool
) -> None:
    log = disk.with_name("server.log")
    server = start("serve", "--port", "0", "--data-dir", data_dir, log=log)
    filler = Filler(disk)
    kept: list[str] = []
    with httpx.Client(base_url=server.url(), timeout=60) as http:

        def say(words: str) -> httpx.Response:
            reply = http.post("/api/chat", json={"user_id": "ada", "message": words})
            if reply.status_code == 200:
                kept.append(words)
            return reply

        say("before")
        filler.fill()
        if crashes:
            crash_by_writing(data_dir)
        replies: list[httpx.Response] = []
        until(lambda: told_to_be_full(replies, say, len(replies)))
        # More often than a server that counts its attempts would try to start it again.
        time.sleep(8 if crashes else 0)
        replies += [say(f"much later {number} {'x' * 4000}") for number in range(5)]
        filler.remove()
        until(lambda: is_whole(http))
        say("after")

        assert {reply.status_code for reply in replies} <= {200, 503}
        refused = [reply.json()["detail"] for reply in replies if reply.status_code == 503]
        assert refused
        assert all("full" in each or "No space left" in each for each in refused)
        folder = (data_dir / "postgres-18" / "postmaster.pid").read_text().splitlines()[4]
        assert stored(folder) == sorted(kept)
        assert kept[-1] == "after"
    assert server.told(signal.SIGTERM)[0] == 0


def told_to_be_full(
    replies: list[httpx.Response], say: Callable[[str], httpx.Response], number: int
) -> bool:
    replies.append(say(f"message {number} {'x' * 4000}"))
    return replies[-1].status_code != 200


def is_whole(http: httpx.Client) -> bool:
    found = http.get("/readyz").json()
    return found["database"]["answers"] and not found["journal"]["pending"]


def stored(folder: str) -> list[str]:
    query = "SELECT content FROM longterm.messages WHERE role = 'user'"
    with psycopg.connect(f"host={folder} user=postgres dbname=longterm") as conn:
        return sorted(str(row[0]) for row in conn.execute(query))


@only_linux
@only_root
def test_a_start_on_a_full_disk_says_so(disk: Path, data_dir: Path) -> None:
    filler = Filler(disk)
    filler.fill()

    with pytest.raises(DatabaseFullError, match="disk of the database is full"):
        EmbeddedPostgres(data_dir).start()

    filler.remove()
    with EmbeddedPostgres(data_dir) as postgres:
        assert postgres.start()


@only_linux
async def test_a_statement_that_finds_no_room_is_refused_and_others_are_not(
    runtime: Runtime,
) -> None:
    database = runtime.parts.database

    with pytest.raises(DatabaseFullError) as refusal:
        await write_to_a_full_device(database)

    async with database.system() as conn:
        assert await conn.value("SELECT 1") == 1
    assert isinstance(refusal.value, DatabaseGoneError)
    assert not database.is_gone


async def write_to_a_full_device(database: Database) -> None:
    async with database.system() as conn:
        await conn.value("SELECT 1")
        # The role of the scope may write no file.
        await conn.raw.execute("RESET ROLE")
        await conn.raw.execute("COPY (SELECT 1) TO '/dev/full'")
