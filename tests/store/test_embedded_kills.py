"""The embedded server after kill -9 of whatever can be killed."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from longterm.errors import SetupError
from longterm.store import binaries
from longterm.store.embedded import EmbeddedPostgres
from tests.store.embedded_processes import (
    StartUser,
    ask,
    at_work,
    end_all,
    keep_a_row,
    only_linux,
    postmaster,
    socket_folder,
    starting_users,
    until,
    watched,
)

pytestmark = only_linux

UNFINISHED = "postgres-18.unfinished"


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield from watched(tmp_path / "data")


@pytest.fixture
def user(data_dir: Path) -> Iterator[StartUser]:
    yield from starting_users(data_dir)


def test_the_server_outlives_its_killed_parent_and_is_stopped_by_the_next(
    used_dir: Path, user: StartUser
) -> None:
    parent = user()
    keep_a_row(parent.says())
    server = postmaster(used_dir)
    parent.kill()
    time.sleep(0.2)
    assert server in at_work(used_dir)

    with EmbeddedPostgres(used_dir) as postgres:
        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"
        assert postmaster(used_dir) == server

    assert at_work(used_dir) == []


def test_a_killed_user_no_longer_counts(used_dir: Path, user: StartUser) -> None:
    killed, last = user(), user()
    assert killed.says() == last.says()
    killed.kill()

    assert last.leave() == "left"

    assert at_work(used_dir) == []


def test_after_everything_was_killed_all_commits_are_there(used_dir: Path, user: StartUser) -> None:
    parent = user()
    keep_a_row(parent.says())
    parent.kill()
    assert len(end_all(used_dir)) > 3

    with EmbeddedPostgres(used_dir) as postgres:
        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"


def test_a_user_that_starts_again_revives_a_killed_server(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        keep_a_row(postgres.start())
        end_all(used_dir)

        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"


def test_a_start_waits_for_the_orphans_of_a_killed_server(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres, ThreadPoolExecutor(1) as thread:
        # A backend that computes does not notice at once that its server is gone.
        busy = "SELECT count(*) FROM generate_series(1, 8000000)"
        conninfo = postgres.start()
        work = thread.submit(ask, conninfo, busy)
        at_it = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT count%'"
        # Somebody who is done before we look is none to be waited for.
        until(lambda: work.done() or ask(conninfo, at_it) is not None)
        backends = set(at_work(used_dir))
        os.kill(postmaster(used_dir), signal.SIGKILL)

        assert ask(postgres.start(), "SELECT 1") == 1

        assert not backends & set(at_work(used_dir))


@pytest.fixture
def bystander(data_dir: Path) -> Iterator[int]:
    """A process of the server's account that has nothing to do with it."""
    account = binaries.account_for(data_dir)
    process = account.popen(["/bin/sleep", "60"], output=subprocess.DEVNULL)
    yield process.pid
    process.kill()
    process.wait()


def test_a_reused_process_id_is_not_taken_for_the_server(used_dir: Path, bystander: int) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        conninfo = postgres.start()
        keep_a_row(conninfo)
        server = str(postmaster(used_dir))
        sockets = socket_folder(conninfo)
        notes = [used_dir / "postgres-18/postmaster.pid", sockets / ".s.PGSQL.5432.lock"]
        end_all(used_dir)
        for note in notes:
            note.write_text(note.read_text().replace(server, str(bystander), 1))

        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"

    assert Path(f"/proc/{bystander}").exists()


def test_a_server_that_somebody_else_started_is_left_alone(used_dir: Path) -> None:
    cluster = used_dir / "postgres-18"
    account = binaries.account_for(cluster)
    programs = binaries.reachable(binaries.find(), account)
    with Path(os.devnull).open() as nothing:
        command = [programs.postgres, "--listen_addresses=", "--unix_socket_directories=."]
        output, keep = subprocess.DEVNULL, nothing.fileno()
        stranger = account.popen_in(cluster, command, output=output, keep=keep)
    note = cluster / "postmaster.pid"
    until(lambda: note.exists() and note.read_text().startswith(f"{stranger.pid}\n"))

    with pytest.raises(SetupError, match=f"process {stranger.pid}"):
        EmbeddedPostgres(used_dir).start()

    stranger.send_signal(signal.SIGINT)
    assert stranger.wait() == 0


@pytest.mark.parametrize("killed", ["parent", "parent and initdb"])
def test_a_killed_initdb_leaves_no_half_cluster(
    data_dir: Path, user: StartUser, killed: str
) -> None:
    parent = user()
    # Early, so that a busy machine does not let it finish first.
    until((data_dir / UNFINISHED / "base").exists)
    parent.kill()
    if killed == "parent and initdb":
        initdb = initdb_in(data_dir / UNFINISHED)
        until((data_dir / UNFINISHED / "global" / "pg_control").exists)
        # One that is done by now leaves a cluster that nobody vouches for.
        with suppress(ProcessLookupError):
            os.kill(initdb, signal.SIGKILL)
        end_all(data_dir)
        assert any((data_dir / UNFINISHED).iterdir())
    assert not (data_dir / "postgres-18").exists()

    with EmbeddedPostgres(data_dir) as postgres:
        assert ask(postgres.start(), "SELECT 1") == 1

    assert not (data_dir / UNFINISHED).exists()


def initdb_in(folder: Path) -> int:
    """The initdb that was given this folder; it works elsewhere and only keeps it open."""
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            process = opened.parent.parent
            if opened.samefile(folder) and (process / "exe").readlink().name == "initdb":
                return int(process.name)
    raise AssertionError("there is no initdb at work")
