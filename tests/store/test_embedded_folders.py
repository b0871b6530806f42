"""The folders of the embedded server: deleted, deep, closed, or somebody's trap."""

import os
import pwd
import stat
from collections.abc import Iterator
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
    fake_programs,
    keep_a_row,
    only_linux,
    only_root,
    open_to_all,
    remove,
    socket_folder,
    starting_users,
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


@pytest.fixture
def open_folder() -> Iterator[Path]:
    yield from open_to_all()


def test_a_server_whose_folder_was_deleted_is_stopped(used_dir: Path) -> None:
    postgres = EmbeddedPostgres(used_dir)
    sockets = socket_folder(postgres.start())
    remove(used_dir)

    postgres.stop()

    assert at_work(used_dir) == []
    assert not sockets.exists()


def test_a_folder_made_anew_gets_a_server_of_its_own(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as old, EmbeddedPostgres(data_dir) as new:
        keep_a_row(old.start())
        remove(data_dir)

        assert ask(new.start(), "SELECT to_regclass('kept') IS NULL") is True
        assert ask(new.start(), "SHOW data_directory") is not None

    assert at_work(data_dir) == []


def test_a_path_longer_than_postgresql_takes_is_no_trouble(data_dir: Path) -> None:
    deep = data_dir.joinpath(*["x" * 200] * 6)

    with EmbeddedPostgres(deep) as postgres:
        assert ask(postgres.start(), "SELECT 1") == 1


def test_the_socket_is_closed_to_others(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        sockets = socket_folder(postgres.start())

        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        assert stat.S_IMODE((sockets / ".s.PGSQL.5432").stat().st_mode) == 0o700
        assert len(str(sockets / ".s.PGSQL.5432")) < 104


@pytest.mark.parametrize("trap", ["symlink", "open folder", "folder of another", "file"])
def test_a_trap_in_place_of_the_socket_folder_is_refused(
    used_dir: Path, tmp_path: Path, trap: str
) -> None:
    if trap == "folder of another" and os.geteuid() != 0:
        pytest.skip("only root can make one")
    with EmbeddedPostgres(used_dir) as postgres:
        sockets = socket_folder(postgres.start())
    set_trap(trap, sockets, tmp_path)
    before = sockets.lstat()

    with pytest.raises(SetupError, match="not a private folder"):
        EmbeddedPostgres(used_dir).start()

    assert sockets.lstat() == before
    sockets.rmdir() if trap.endswith(("folder", "another")) else sockets.unlink()


def set_trap(trap: str, sockets: Path, elsewhere: Path) -> None:
    match trap:
        case "symlink":
            sockets.symlink_to(elsewhere)
        case "open folder":
            sockets.mkdir()
            sockets.chmod(0o777)
        case "folder of another":
            sockets.mkdir(mode=0o700)
            os.chown(sockets, pwd.getpwnam("daemon").pw_uid, -1)
        case _:
            sockets.touch(mode=0o600)


@only_root
def test_the_server_is_not_root_and_opens_no_folder(data_dir: Path) -> None:
    closed = data_dir / "closed"
    closed.mkdir(parents=True, mode=0o700)

    with EmbeddedPostgres(closed / "data") as postgres:
        conninfo = postgres.start()
        ask(conninfo, "CREATE EXTENSION vector")
        ask(conninfo, "CHECKPOINT")
        owners: set[int] = set()
        for pid in at_work(data_dir):
            with suppress(FileNotFoundError):
                owners.add(Path(f"/proc/{pid}").stat().st_uid)

        assert ask(conninfo, "SELECT (pg_stat_file('PG_VERSION')).size") == 3
        assert len(owners) == 1
        assert 0 not in owners
        assert closed.stat().st_mode & 0o777 == 0o700
        assert (closed / "data").stat().st_uid == 0


@only_root
def test_root_leaves_a_cluster_to_its_owner(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o700)
    daemon = pwd.getpwnam("daemon").pw_uid
    os.chown(data_dir, daemon, -1)

    with EmbeddedPostgres(data_dir):
        assert (data_dir / "postgres-18").stat().st_uid == daemon


@only_root
def test_an_ordinary_user_needs_no_root(open_folder: Path, user: StartUser) -> None:
    home = open_folder / "home"
    binaries.account_for().make_private(home)

    ordinary = user("--account=nobody", folder=home / "data")

    assert ask(ordinary.says(), "SELECT 1") == 1
    assert (home / "data" / "postgres.log").stat().st_uid == binaries.account_for().uid
    assert ordinary.leave() == "left"


@only_root
def test_a_folder_that_is_not_writable_is_named(open_folder: Path, user: StartUser) -> None:
    answer = user("--account=nobody", folder=open_folder / "data").says()

    assert answer.startswith(f"SetupError: The data folder {open_folder}/data cannot be used")
    assert "--data-dir" in answer


def test_a_failing_initdb_is_explained_by_its_last_words(data_dir: Path, open_folder: Path) -> None:
    complain = '[ "$1" = --version ] && exit; echo no space left on device; exit 1'
    programs = fake_programs(open_folder, version="18.4", initdb=complain)

    with pytest.raises(SetupError, match=r"(?s)initdb could not .*no space left on device"):
        EmbeddedPostgres(data_dir, binaries=programs).start()

    assert not (data_dir / "postgres-18").exists()
    assert not (data_dir / UNFINISHED).exists()


def test_a_server_that_ends_at_once_is_explained_by_its_log(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir) as postgres:
        sockets = socket_folder(postgres.start())
    with (used_dir / "postgres-18" / "postgresql.conf").open("a") as conf:
        conf.write("nonsense = 1\n")

    with pytest.raises(SetupError, match=r'(?s)ended right after .*"nonsense"'):
        EmbeddedPostgres(used_dir).start()

    assert not sockets.exists()
