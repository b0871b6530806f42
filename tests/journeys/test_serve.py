"""`longterm serve` and `longterm worker`, from outside."""

import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from longterm import Longterm
from tests.journeys.programs import (
    StartServer,
    longterm,
    longterm_here,
    quiet_port,
    starting_servers,
)
from tests.store.embedded_processes import at_work, only_linux, until, watched

pytestmark = only_linux
LONGEST_S = 60


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield from watched(tmp_path / "data")


@pytest.fixture
def start(data_dir: Path) -> Iterator[StartServer]:
    yield from starting_servers()


def is_ready(url: str) -> bool:
    """What a server says of itself; one that got no time for seconds says that it is not."""
    return httpx.get(f"{url}/readyz", timeout=LONGEST_S).json()["ready"]


def test_the_last_server_of_a_folder_stops_its_database(start: StartServer, data_dir: Path) -> None:
    first = start("serve", "--port", "0", "--data-dir", data_dir)
    first_url = first.url()
    assert first.says() == f"Its data is in {data_dir} (embedded PostgreSQL)."
    assert first.says() == "Stop it with Ctrl-C."
    second = start("serve", "--port", "0", "--data-dir", data_dir)
    second_url = second.url()
    until(lambda: is_ready(first_url), LONGEST_S)
    assert str(data_dir) in httpx.get(f"{first_url}/status", timeout=LONGEST_S).text

    status, out, err = first.told(signal.SIGINT)

    assert (status, out, err) == (130, "", "")
    until(lambda: is_ready(second_url), LONGEST_S)
    assert second.told(signal.SIGTERM)[0] == 0
    assert at_work(data_dir) == []


def test_after_kill_9_everything_is_still_there(start: StartServer, used_dir: Path) -> None:
    port = str(quiet_port())
    killed = start("serve", "--port", port, "--data-dir", used_dir)
    killed.url()
    with Longterm(data_dir=used_dir) as lt:
        lt.tenant(1).add_message("ada", "user", "My name is Ada")
    killed.kill()

    again = start("serve", "--port", port, "--data-dir", used_dir)

    url = again.url()
    until(lambda: is_ready(url), LONGEST_S)
    with Longterm(data_dir=used_dir) as lt:
        (message,) = lt.tenant(1).get_recent_messages("ada")
    assert message.content == "My name is Ada"
    assert again.told(signal.SIGINT)[0] == 130


def test_a_server_that_is_stopped_while_it_starts_leaves_no_database_running(
    start: StartServer, data_dir: Path
) -> None:
    server = start("serve", "--port", "0", "--data-dir", data_dir)
    until(lambda: at_work(data_dir) != [], LONGEST_S)

    status, _, err = server.told(signal.SIGTERM)

    assert (status, err) == (0, "")
    assert at_work(data_dir) == []


def test_a_port_that_is_taken_is_told_before_a_database_is_made(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        refused = longterm_here("serve", "--port", str(port), "--data-dir", data_dir)

    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith(f"longterm: Port {port} is taken")
    assert "--port" in refused.stderr
    assert not data_dir.exists()


def test_nobody_but_this_machine_is_listened_to_without_a_key(data_dir: Path) -> None:
    refused = longterm_here("serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", data_dir)

    assert refused.returncode == 1
    assert refused.stderr.startswith("longterm: Longterm does not listen on 0.0.0.0 without a key")
    assert "longterm keys create" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_other_machines_are_listened_to_once_there_is_a_key(
    start: StartServer, new_database: Callable[[str], str]
) -> None:
    database = new_database("serve_others")
    key = longterm_here("keys", "create", "test", "--database-url", database).stdout.split("\n")[0]

    server = start("serve", "--host", "0.0.0.0", "--port", "0", "--database-url", database)

    url = server.url().replace("0.0.0.0", "127.0.0.1") + "/api/templates"
    host = {"Host": "memory.example"}
    without = httpx.get(url, headers=host, timeout=LONGEST_S)
    with_key = httpx.get(url, headers={**host, "Authorization": f"Bearer {key}"}, timeout=LONGEST_S)
    assert (without.status_code, with_key.status_code) == (401, 200)
    assert server.told(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker",)])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"dbname": "nowhere"}, '"nowhere" does not exist'), ({"user": "nobody"}, "role")],
)
def test_a_database_that_refuses_ends_the_start_in_one_line(
    server: str, command: tuple[str, ...], wrong: dict[str, str], words: str
) -> None:
    url = make_conninfo(server, password="secret", **wrong)

    refused = longterm(*command, "--database-url", url)

    assert refused.returncode == 1
    assert refused.stderr.startswith("longterm: The database refuses the connection")
    assert words in refused.stderr
    assert "secret" not in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_worker_does_what_is_queued(
    start: StartServer, new_database: Callable[[str], str]
) -> None:
    # Its own: the jobs of every other test would come before.
    database = new_database("serve_worker")
    with Longterm(database_url=database) as lt:
        lt.tenant(1).add_message("ada", "user", "My name is Ada")
    assert _jobs_of(database, 1) == 1

    worker = start("worker", "--database-url", database)

    until(lambda: _jobs_of(database, 1) == 0, timeout_s=60)
    status, out, err = worker.told(signal.SIGTERM)
    assert (status, out) == (0, "Longterm's worker is running. Stop it with Ctrl-C.\n"), err


def _jobs_of(conninfo: str, tenant_id: int) -> int:
    with psycopg.connect(conninfo) as conn:
        query = "SELECT count(*) FROM longterm.jobs WHERE tenant_id = %s AND state <> 'dead'"
        row = conn.execute(query, [tenant_id]).fetchone()
    assert row is not None
    return row[0]


def test_an_external_database_is_named_without_its_password(
    start: StartServer, new_database: Callable[[str], str]
) -> None:
    database = f"{new_database('serve_external')} password=secret"

    server = start("serve", "--no-worker", "--port", "0", "--database-url", database)

    url = server.url()
    where = server.says()
    until(lambda: is_ready(url), LONGEST_S)
    ready = httpx.get(f"{url}/readyz", timeout=LONGEST_S).json()
    page = httpx.get(f"{url}/status", timeout=LONGEST_S).text
    assert (ready["database"]["kind"], ready["worker"]) == ("external", "off")
    assert "serve_external" in where
    assert "serve_external" in page
    assert "secret" not in where + page
    assert server.told(signal.SIGTERM)[0] == 0
