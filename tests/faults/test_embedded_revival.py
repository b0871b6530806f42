"""Processes of the embedded PostgreSQL are killed under `longterm serve`, and it recovers."""

import os
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import httpx
import psycopg
import pytest

from longterm.errors import DatabaseFullError, LongtermError, SetupError
from longterm.store import embedded_revival
from longterm.store.embedded_revival import Revival
from tests.journeys.programs import StartServer, starting_servers
from tests.store.embedded_processes import only_linux, postmaster, until

pytestmark = [only_linux, pytest.mark.xdist_group("heavy")]


@pytest.fixture
def start(used_dir: Path) -> Iterator[StartServer]:
    yield from starting_servers()


def starts(data_dir: Path) -> int:
    return (data_dir / "postgres.log").read_text().count("starting PostgreSQL")


def ask(url: str, path: str) -> httpx.Response:
    return httpx.get(f"{url}{path}", timeout=60)


def test_one_of_two_servers_starts_their_killed_database_again(
    start: StartServer, used_dir: Path
) -> None:
    log = used_dir.with_name("servers.log")
    servers = [start("serve", "--port", "0", "--data-dir", used_dir, log=log) for _ in range(2)]
    urls = [server.url() for server in servers]
    body = {"user_id": "ada", "message": "My name is Ada"}
    first = httpx.post(f"{urls[0]}/api/chat", json=body, timeout=60).json()
    killed = postmaster(used_dir)

    os.kill(killed, signal.SIGKILL)

    # Whoever asks it next notices.
    place = {**body, "conversation_id": first["conversation_id"]}
    meanwhile = [httpx.post(f"{url}/api/chat", json=place, timeout=60).json() for url in urls]
    until(lambda: not any(ask(url, "/readyz").json()["degraded"] for url in urls), timeout_s=60)
    assert [each["error"] for each in meanwhile] == [None, None]
    assert postmaster(used_dir) != killed
    assert starts(used_dir) == 2
    path = f"/api/conversations/{first['conversation_id']}/messages?user_id=ada"
    told = ask(urls[1], path).json()["items"]
    assert [one["role"] for one in told] == ["user", "assistant"] * 3
    assert [server.told(signal.SIGTERM)[0] for server in servers] == [0, 0]


async def test_a_server_that_does_not_start_is_tried_again_without_end_and_not_all_the_time() -> (
    None
):
    now = 0.0
    tried: list[float] = []

    def start() -> None:
        tried.append(now)
        raise SetupError("It ended right after its start.")

    revival = Revival(start, clock=lambda: now)
    while now < 3600:
        assert await revival.attempt() is not None
        now += 0.25

    pauses = [later - earlier for earlier, later in pairwise(tried)]
    assert pauses[0] < embedded_revival.LONGEST_PAUSE_S
    assert set(pauses[10:]) == {embedded_revival.LONGEST_PAUSE_S}


async def test_the_pause_is_short_again_after_a_success() -> None:
    now = 0.0
    errors: list[LongtermError | None] = [DatabaseFullError(), DatabaseFullError(), None, None]

    def start() -> None:
        if (error := errors.pop(0)) is not None:
            raise error

    revival = Revival(start, clock=lambda: now)
    first = await revival.attempt()
    too_soon = await revival.attempt()
    now += embedded_revival.LONGEST_PAUSE_S
    second = await revival.attempt()
    now += embedded_revival.LONGEST_PAUSE_S

    assert [type(each) for each in (first, too_soon, second)] == [DatabaseFullError] * 3
    assert await revival.attempt() is None
    assert await revival.attempt() is None
    assert errors == []


def test_a_backend_that_is_killed_costs_a_recovery_and_no_message(
    start: StartServer, used_dir: Path
) -> None:
    log = used_dir.with_name("server.log")
    server = start("serve", "--port", "0", "--data-dir", used_dir, log=log)
    url = server.url()
    conninfo = f"host={socket_folder_of(used_dir)} user=postgres dbname=longterm"
    body = {"user_id": "ada", "message": "My name is Ada"}
    place = httpx.post(f"{url}/api/chat", json=body, timeout=60).json()["conversation_id"]
    before = postmaster(used_dir)
    answered: list[str] = []

    for number in range(3):
        with psycopg.connect(conninfo, autocommit=True) as another:
            if number == 0:
                # PostgreSQL waits five seconds for it, and lets nobody in meanwhile.
                os.kill(another.info.backend_pid, signal.SIGSTOP)
            kill_a_backend(conninfo)
            for part in range(4):
                words = f"message {number}.{part}"
                said = {**body, "message": words, "conversation_id": place}
                reply = httpx.post(f"{url}/api/chat", json=said, timeout=60)
                if reply.status_code == 200:
                    answered.append(words)
            until(lambda: is_whole(url), timeout_s=60)
            another.pgconn.finish()

    path = f"/api/conversations/{place}/messages?user_id=ada&limit=1000"
    told = [one["content"] for one in ask(url, path).json()["items"] if one["role"] == "user"]
    assert len(answered) == 12
    assert told == [body["message"], *answered]
    assert postmaster(used_dir) == before
    assert "shutdown request" not in (used_dir / "postgres.log").read_text()
    assert server.told(signal.SIGTERM)[0] == 0


def socket_folder_of(data_dir: Path) -> str:
    return (data_dir / "postgres-18" / "postmaster.pid").read_text().splitlines()[4]


def kill_a_backend(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as conn:
        os.kill(conn.info.backend_pid, signal.SIGKILL)
        conn.pgconn.finish()


def is_whole(url: str) -> bool:
    found = ask(url, "/readyz").json()
    return found["ready"] and not found["degraded"]
