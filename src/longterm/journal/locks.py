"""Locks between processes, which the kernel frees when their holder dies.

    gate.lock     while somebody writes into a segment or closes segments: microseconds
    replay.lock   while somebody writes back, or deletes what belongs to a user

Whoever needs both takes the replay lock first.
"""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from longterm.journal.errors import JournalBrokenError

if TYPE_CHECKING or sys.platform != "win32":
    import fcntl

# Nothing but a stopped process or a dying disk holds the gate for this long.
GATE_PATIENCE_S = 5.0
POLL_S = 0.0005


class FileLock:
    """An exclusive lock on a file of its own, made when missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def acquire(self, timeout_s: float) -> bool:
        """Whether it was free in time."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if not _lock(fd, timeout_s):
            os.close(fd)
            return False
        self._fd = fd
        return True

    def release(self) -> None:
        """Give it up, if it is held."""
        if self._fd is None:
            return
        # Unlocked, not only closed: a child forked by another thread shares the open file.
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)
        self._fd = None


def replay_lock(folder: Path) -> FileLock:
    """Held by the one process that writes back."""
    return FileLock(folder / "replay.lock")


@contextmanager
def gate(folder: Path) -> Generator[None]:
    """Be the only one who changes which segments are open, and what is in them."""
    lock = FileLock(folder / "gate.lock")
    if not lock.acquire(GATE_PATIENCE_S):
        raise JournalBrokenError(
            f"Another process has held the journal for {GATE_PATIENCE_S:.0f} seconds.",
            retry_after_s=GATE_PATIENCE_S,
        )
    try:
        yield
    finally:
        lock.release()


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
