"""A start of the embedded server succeeds, whatever state the last one was left in."""

import os
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from longterm.store import embedded
from longterm.store.embedded import ENDING, EmbeddedPostgres
from longterm.store.embedded_sockets import ServerState
from tests.store.embedded_processes import (
    StartUser,
    ask,
    at_work,
    end_all,
    keep_a_row,
    only_linux,
    postmaster,
    starting_users,
    until,
)

pytestmark = only_linux


@pytest.fixture
def user(used_dir: Path) -> Iterator[StartUser]:
    yield from starting_users(used_dir)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Escalate soon; how long a real server may take is not what is tested."""
    shorter = {state: min(patience, 1.0) for state, patience in embedded.PATIENCE_S.items()}
    shorter[ServerState.RECOVERING] = embedded.PATIENCE_S[ServerState.RECOVERING]
    monkeypatch.setattr(embedded, "PATIENCE_S", shorter)
    monkeypatch.setattr(embedded, "ENDING", tuple((number, 7.0) for number, _ in ENDING))


@contextmanager
def stopped_backend(conninfo: str) -> Generator[None]:
    """A backend that reacts to no signal but SIGKILL and SIGCONT."""
    with psycopg.connect(conninfo, autocommit=True) as conn:
        pid = conn.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGCONT)
            conn.pgconn.finish()


def refuses(conninfo: str, words: str) -> bool:
    try:
        ask(conninfo, "SELECT 1")
    except psycopg.OperationalError as error:
        return words in str(error)
    return False


def log_of(data_dir: Path) -> str:
    return (data_dir / "postgres.log").read_text()


def crash_a_backend(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as conn:
        os.kill(conn.info.backend_pid, signal.SIGKILL)
        conn.pgconn.finish()


def left_by_a_killed_user(user: StartUser) -> str:
    """A server that outlived whoever used it; returns how to connect."""
    parent = user()
    conninfo = parent.says()
    keep_a_row(conninfo)
    parent.kill()
    return conninfo


def test_a_server_that_recovers_is_waited_for_and_not_shut_down(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        conninfo = postgres.start()
        keep_a_row(conninfo)
        server = postmaster(used_dir)
        # The others are killed five seconds after the first one died: so long it lets nobody in.
        with stopped_backend(conninfo):
            crash_a_backend(conninfo)
            until(lambda: refuses(conninfo, "in recovery mode"))

            assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"

        assert postmaster(used_dir) == server
        assert "shutdown request" not in log_of(used_dir)


def test_the_last_user_waits_for_a_recovery_before_it_shuts_the_server_down(
    used_dir: Path,
) -> None:
    postgres = EmbeddedPostgres(used_dir)
    conninfo = postgres.start()
    with stopped_backend(conninfo):
        crash_a_backend(conninfo)
        until(lambda: refuses(conninfo, "in recovery mode"))

        postgres.stop()

    said = log_of(used_dir)
    assert at_work(used_dir) == []
    assert said.rindex("ready to accept connections") < said.index("shutdown request")
    assert said.rstrip().endswith("database system is shut down")


def test_a_server_that_hangs_while_it_shuts_down_is_ended(used_dir: Path, user: StartUser) -> None:
    conninfo = left_by_a_killed_user(user)
    server = postmaster(used_dir)
    with stopped_backend(conninfo):
        os.kill(server, signal.SIGINT)
        until(lambda: refuses(conninfo, "shutting down"))

        with EmbeddedPostgres(used_dir) as postgres:
            assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"
            assert postmaster(used_dir) != server


def test_a_smart_shutdown_that_waits_for_clients_becomes_a_fast_one(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        conninfo = postgres.start()
        keep_a_row(conninfo)
        server = postmaster(used_dir)
        client = psycopg.connect(conninfo)
        os.kill(server, signal.SIGTERM)
        until(lambda: refuses(conninfo, "shutting down"))

        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"

        client.close()
        assert "database system was not properly shut down" not in log_of(used_dir)


def test_a_stopped_server_is_resumed(used_dir: Path, user: StartUser) -> None:
    left_by_a_killed_user(user)
    server = postmaster(used_dir)
    os.kill(server, signal.SIGSTOP)

    with EmbeddedPostgres(used_dir) as postgres:
        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"
        assert postmaster(used_dir) == server


def test_an_orphan_that_does_not_end_is_killed(used_dir: Path, user: StartUser) -> None:
    conninfo = left_by_a_killed_user(user)
    with stopped_backend(conninfo):
        os.kill(postmaster(used_dir), signal.SIGKILL)

        with EmbeddedPostgres(used_dir) as postgres:
            assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"


@pytest.mark.parametrize("moment", ["recovery", "shutdown"])
def test_a_server_that_was_killed_meanwhile_starts_again(
    used_dir: Path, user: StartUser, moment: str
) -> None:
    conninfo = left_by_a_killed_user(user)
    with stopped_backend(conninfo):
        if moment == "recovery":
            crash_a_backend(conninfo)
            until(lambda: refuses(conninfo, "in recovery mode"))
        else:
            os.kill(postmaster(used_dir), signal.SIGINT)
            until(lambda: refuses(conninfo, "shutting down"))
        end_all(used_dir)

    with EmbeddedPostgres(used_dir) as postgres:
        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"


def test_a_folder_that_was_copied_while_its_server_ran_has_a_server_of_its_own(
    used_dir: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with EmbeddedPostgres(used_dir) as original:
        conninfo = original.start()
        keep_a_row(conninfo)
        ask(conninfo, "CHECKPOINT")
        subprocess.run(["cp", "-Rp", used_dir, copy], check=True)

        with EmbeddedPostgres(copy) as postgres:
            assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"
            assert postmaster(copy) != postmaster(used_dir)

        assert ask(original.start(), "SELECT name FROM kept") == "Ada"
    assert at_work(copy) == []
    shutil.rmtree(copy)


def test_a_server_without_room_for_another_client_is_left_alone(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        conninfo = postgres.start()
        server = postmaster(used_dir)
        clients: list[psycopg.Connection] = []
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            fill(clients, conninfo)

        assert postgres.start() == conninfo

        for client in clients:
            client.close()
        assert postmaster(used_dir) == server
        assert "shutdown request" not in log_of(used_dir)


def fill(clients: list[psycopg.Connection], conninfo: str) -> None:
    while True:
        clients.append(psycopg.connect(conninfo))
