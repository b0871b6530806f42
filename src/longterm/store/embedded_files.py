"""Files of the embedded server: opened without following links; its log, kept short."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT

LOG_LIMIT = 4_000_000
LOG_KEPT = 1_000_000
LOG_TAIL = 200_000


@contextmanager
def opened(path: Path, flags: int = os.O_RDONLY) -> Generator[int]:
    """Open a file or folder while inside, closed to others where it is made."""
    fd = os.open(path, flags | os.O_NOFOLLOW, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)


def free_bytes(folder: Path) -> int:
    """How much room its disk has."""
    return shutil.disk_usage(folder).free


def trim(log: Path) -> None:
    """Keep the end of a log that has become long."""
    if not log.exists() or log.stat().st_size <= LOG_LIMIT:
        return
    with opened(log) as old:
        os.lseek(old, -LOG_KEPT, os.SEEK_END)
        kept = os.read(old, LOG_KEPT)
    with opened(log, os.O_WRONLY | os.O_APPEND | os.O_TRUNC) as new:
        os.write(new, kept)


def tail_of(log: Path) -> str:
    """Return the last lines of a log, as far as they say something."""
    with opened(log) as fd:
        os.lseek(fd, max(0, os.fstat(fd).st_size - LOG_TAIL), os.SEEK_SET)
        lines = os.read(fd, LOG_TAIL).decode(errors="replace").splitlines()
    # It refuses whoever probes it while it recovers, and says so each time.
    refused = ("is starting up", "is in recovery mode", "is not yet accepting connections")
    return "\n".join([line for line in lines if not line.endswith(refused)][-8:])
