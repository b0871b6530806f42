"""The locks around the embedded PostgreSQL server: three files beside its cluster.

    gate     exclusive while somebody starts or stops the server, so that only one decides
    users    shared by everybody who uses the server: the reference count
    server   exclusive, inherited by initdb and by every process of the server: free = none lives

The kernel frees a lock when the last process that holds it ends, however it ends.
"""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from longterm.errors import UnavailableError

if TYPE_CHECKING or sys.platform != "win32":
    import fcntl

# Whoever holds the gate may be making a cluster on a slow disk, or waiting for a last checkpoint.
GATE_PATIENCE_S = 120.0
POLL_S = 0.01


class Locks:
    """The locks of one cluster, opened once: they still hold after the folder was deleted."""

    def __init__(self, cluster: Path) -> None:
        """Open the files, making them when missing; nothing is locked yet."""
        self._server_file = cluster.with_name(f"{cluster.name}.server.lock")
        self._gate = _open(cluster.with_name(f"{cluster.name}.gate.lock"))
        self._users = _open(cluster.with_name(f"{cluster.name}.users.lock"))
        self._server = _open(self._server_file)

    @contextmanager
    def gate(self) -> Generator[None]:
        """Let one process at a time get through."""
        if not _lock(self._gate, GATE_PATIENCE_S):
            raise UnavailableError(
                "Another process has been starting or stopping PostgreSQL for two minutes; "
                "try again shortly."
            )
        try:
            yield
        finally:
            # Unlocked, not only closed: a child forked by another thread shares the open file.
            fcntl.flock(self._gate, fcntl.LOCK_UN)

    def count_in(self) -> None:
        """Become a user; behind the gate, where nobody holds this lock exclusively."""
        fcntl.flock(self._users, fcntl.LOCK_SH)

    def count_out(self) -> bool:
        """Stop being a user; tells whether that was the last one.

        Behind the gate: flock turns a shared lock into an exclusive one in two steps.
        """
        return _lock(self._users, timeout_s=0)

    @contextmanager
    def server(self, timeout_s: float) -> Generator[int | None]:
        """Lend the server's lock, for a child to inherit; None while a server lives."""
        fd = _open(self._server_file)
        try:
            yield fd if _lock(fd, timeout_s) else None
        finally:
            # Closed, never unlocked: that would take it from the child, too.
            os.close(fd)

    def is_server_gone(self, timeout_s: float) -> bool:
        """Whether the last process of the server ends in time."""
        if not _lock(self._server, timeout_s):
            return False
        fcntl.flock(self._server, fcntl.LOCK_UN)
        return True

    def close(self) -> None:
        """Give up whatever is held."""
        for fd in (self._users, self._server, self._gate):
            os.close(fd)


def _open(path: Path) -> int:
    # Readable for others, in a folder that is closed to them: the owner of the cluster must be
    # able to go on where root began.
    return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)


def _lock(fd: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_S)
        else:
            return True
