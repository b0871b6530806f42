"""The embedded PostgreSQL is killed under `longterm serve`: it is started again, once."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from longterm.errors import SetupError
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
    until(lambda: all(ask(url, "/readyz").status_code == 200 for url in urls), timeout_s=60)
    assert [each["error"] for each in meanwhile] == [None, None]
    assert postmaster(used_dir) != killed
    assert starts(used_dir) == 2
    until(lambda: not any(ask(url, "/readyz").json()["degraded"] for url in urls), timeout_s=60)
    path = f"/api/conversations/{first['conversation_id']}/messages?user_id=ada"
    told = ask(urls[1], path).json()["items"]
    assert [one["role"] for one in told] == ["user", "assistant"] * 3
    assert [server.told(signal.SIGTERM)[0] for server in servers] == [0, 0]


async def test_what_dies_again_and_again_is_left_alone_for_a_while() -> None:
    now = 0.0
    tried: list[float] = []

    def start() -> None:
        tried.append(now)
        raise SetupError("It ended right after its start.")

    revival = Revival(start, clock=lambda: now)
    for _ in range(20):
        await revival.attempt()
    assert len(tried) == embedded_revival.MOST

    now += embedded_revival.WITHIN_S + 1
    await revival.attempt()

    assert len(tried) == embedded_revival.MOST + 1
