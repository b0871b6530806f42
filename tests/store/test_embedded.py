"""The embedded server in everyday life: sharing it, looking at it, its log."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from longterm.store import binaries, embedded_files
from longterm.store.embedded import EmbeddedPostgres, EmbeddedStatus, inspect
from tests.store.embedded_processes import (
    StartUser,
    ask,
    at_work,
    keep_a_row,
    only_linux,
    postmaster,
    socket_folder,
    starting_users,
    watched,
)

pytestmark = only_linux


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield from watched(tmp_path / "data")


@pytest.fixture
def user(data_dir: Path) -> Iterator[StartUser]:
    yield from starting_users(data_dir)


def test_a_cold_start_makes_the_database(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as postgres:
        conninfo = postgres.start()

        assert ask(conninfo, "SELECT current_database() || ' ' || user") == "longterm postgres"
        assert ask(conninfo, "SHOW server_encoding") == "UTF8"
        assert ask(conninfo, "SHOW fsync") == "on"
        assert ask(conninfo, "SHOW listen_addresses") == ""
        provider = "SELECT datlocprovider::text || datlocale FROM pg_database WHERE datname = "
        assert ask(conninfo, f"{provider} 'longterm'") == "bC.UTF-8"

    assert data_dir.stat().st_mode & 0o777 == 0o700


def test_starting_again_changes_nothing(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        first = postgres.start()
        born = ask(first, "SELECT pg_postmaster_start_time()")

        again = postgres.start()

        assert again == first
        assert ask(again, "SELECT pg_postmaster_start_time()") == born


def test_stopping_twice_or_before_the_start_is_nothing(used_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_dir)
    postgres.stop()
    postgres.start()

    postgres.stop()
    postgres.stop()

    assert at_work(used_dir) == []


def test_what_was_written_is_there_after_a_stop(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        keep_a_row(postgres.start())

    with EmbeddedPostgres(used_dir) as postgres:
        assert ask(postgres.start(), "SELECT name FROM kept") == "Ada"


def test_threads_of_one_process_are_counted_one_by_one(used_dir: Path) -> None:
    shares = [EmbeddedPostgres(used_dir) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        conninfos = set(threads.map(EmbeddedPostgres.start, shares))
        threads.map(EmbeddedPostgres.stop, shares[1:])

    assert len(conninfos) == 1
    assert ask(conninfos.pop(), "SELECT 1") == 1
    shares[0].stop()
    assert at_work(used_dir) == []


def test_the_last_of_three_processes_stops_the_server(used_dir: Path, user: StartUser) -> None:
    users = [user() for _ in range(3)]
    conninfos = {each.says() for each in users}
    server = postmaster(used_dir)

    for each in users[:2]:
        assert each.leave() == "left"
        assert postmaster(used_dir) == server
        assert ask(min(conninfos), "SELECT 1") == 1

    assert users[2].leave() == "left"
    assert len(conninfos) == 1
    assert at_work(used_dir) == []
    assert not socket_folder(conninfos.pop()).exists()


def test_ten_processes_that_start_at_once_get_one_server(data_dir: Path, user: StartUser) -> None:
    users = [user() for _ in range(10)]

    conninfos = {each.says() for each in users}

    births = {ask(each, "SELECT pg_postmaster_start_time()") for each in conninfos}
    assert len(births) == 1
    assert [each.leave() for each in users] == ["left"] * 10
    assert at_work(data_dir) == []


def test_nobody_meets_a_stopping_server(used_dir: Path, user: StartUser) -> None:
    users = [user("--rounds=8") for _ in range(4)]

    assert all(each.says().startswith("host=") for each in users)
    assert [each.leave() for each in users] == ["left"] * 4
    assert at_work(used_dir) == []


def test_a_second_folder_does_not_disturb_the_first(
    data_dir: Path, furnish: Callable[[Path], Path]
) -> None:
    with (
        EmbeddedPostgres(furnish(data_dir / "one")) as first,
        EmbeddedPostgres(furnish(data_dir / "two")) as second,
    ):
        keep_a_row(first.start())

        assert socket_folder(first.start()) != socket_folder(second.start())
        assert ask(second.start(), "SELECT to_regclass('kept') IS NULL") is True
        second.stop()
        assert ask(first.start(), "SELECT name FROM kept") == "Ada"


def test_a_forked_child_cannot_stop_the_server_of_its_parent(
    used_dir: Path, user: StartUser
) -> None:
    parent = user("--forget-in-child")

    assert ask(parent.says(), "SELECT 1") == 1
    assert parent.leave() == "left"


def test_looking_touches_nothing(data_dir: Path) -> None:
    programs = binaries.find()

    assert inspect(data_dir) == EmbeddedStatus(
        data_dir=data_dir,
        binaries=programs,
        cluster=None,
        writable=True,
        answers=False,
        problem=None,
    )
    assert not data_dir.exists()


def test_looking_tells_whether_a_server_answers(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        running = inspect(used_dir)
    stopped = inspect(used_dir)

    assert (running.answers, stopped.answers) == (True, False)
    assert running.cluster == stopped.cluster == used_dir / "postgres-18"


def test_looking_says_what_is_wrong(tmp_path: Path) -> None:
    seen = inspect(tmp_path, binaries=tmp_path)

    assert seen.binaries is None
    assert "no `bin/postgres`" in str(seen.problem)


def test_the_log_does_not_grow_for_ever(data_dir: Path) -> None:
    data_dir.mkdir()
    log = data_dir / "postgres.log"
    log.write_text("old\n" * (embedded_files.LOG_LIMIT // 4 + 1))

    with EmbeddedPostgres(data_dir):
        assert embedded_files.LOG_KEPT <= log.stat().st_size < embedded_files.LOG_LIMIT // 2


def test_the_log_holds_no_words_of_users(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        conninfo = postgres.start()
        ask(conninfo, "CREATE TABLE notes (note text PRIMARY KEY)")
        for _ in range(2):
            with suppress(psycopg.errors.UniqueViolation):
                ask(conninfo, "INSERT INTO notes VALUES ('my secret')")

    log = (used_dir / "postgres.log").read_text()
    assert "duplicate key" in log
    assert "my secret" not in log


def test_the_server_inherits_only_the_lock_that_tells_it_lives(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        names: set[str] = set()
        for opened in Path(f"/proc/{postmaster(used_dir)}/fd").iterdir():
            # It may just have closed the line of somebody who connected.
            with suppress(FileNotFoundError):
                names.add(opened.readlink().name)

    assert {name for name in names if name.endswith(".lock")} == {"postgres-18.server.lock"}
