"""What the tests of the embedded server share: other processes, and a view into /proc."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

USER_SCRIPT = Path(__file__).with_name("embedded_user.py")
StartUser = Callable[..., "User"]

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


class User:
    """Another process that uses the server."""

    def __init__(self, data_dir: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, USER_SCRIPT, data_dir, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> str:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.says()

    def kill(self) -> None:
        """Kill the process and all that share its session, as closing a terminal would."""
        with self.process, suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def starting_users(data_dir: Path) -> Generator[StartUser]:
    """Lend a function that starts users; whoever is left at the end is killed."""
    users: list[User] = []

    def start(*options: str, folder: Path = data_dir) -> User:
        users.append(User(folder, *options))
        return users[-1]

    yield start
    for each in users:
        each.kill()


def watched(folder: Path) -> Generator[Path]:
    """Lend a folder in which nothing may be at work at the end."""
    yield folder
    assert end_all(folder) == []


def open_to_all() -> Generator[Path]:
    """Lend a folder that every account can reach, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="longterm-test-"))
    folder.chmod(0o755)
    yield from watched(folder)
    shutil.rmtree(folder)


def at_work(data_dir: Path) -> list[int]:
    """The processes whose working directory is, or was, inside the data folder."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            where = entry.readlink().as_posix()
            is_inside = where.removesuffix(" (deleted)").startswith(f"{data_dir}/")
            # Who ends closes all files, and with them frees the locks, before it leaves its folder.
            if is_inside and any((entry.parent / "fd").iterdir()):
                found.append(int(entry.parent.name))
    return found


def end_all(data_dir: Path) -> list[int]:
    """Kill what is at work there; tells whom that was."""
    ended = at_work(data_dir)
    for pid in ended:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until(lambda: at_work(data_dir) == [])
    return ended


def until(holds: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def remove(folder: Path) -> None:
    """Remove a folder, although a server still makes and removes files in it."""

    def is_gone() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    until(is_gone)


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres-18" / "postmaster.pid").read_text().split()[0])


def ask(conninfo: str, query: str) -> object:
    with psycopg.connect(conninfo, autocommit=True) as conn:
        cursor = conn.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def socket_folder(conninfo: str) -> Path:
    return Path(str(conninfo_to_dict(conninfo)["host"]))


def keep_a_row(conninfo: str) -> None:
    with psycopg.connect(conninfo) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 'Ada' AS name")


def fake_programs(folder: Path, *, version: str, initdb: str) -> Path:
    (folder / "bin").mkdir()
    for name, script in (
        ("postgres", f"echo 'postgres (PostgreSQL) {version}'"),
        ("initdb", initdb),
    ):
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    return folder
