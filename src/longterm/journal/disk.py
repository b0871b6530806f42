"""Files that only we can read, and that are there after a power cut."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from longterm.journal.errors import JournalBrokenError
from longterm.observe.log import get_logger

_log = get_logger(__name__)

RETRY_AFTER_S = 5.0


def prepare(folder: Path) -> None:
    """Make the folder, closed to others."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder.parent)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def open_to_append(path: Path) -> int:
    """Open for writing at the end, made when missing."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(path, flags, 0o600)


def write_all(fd: int, data: bytes) -> None:
    """Write everything: a disk that is nearly full takes a part first, and fails then."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def append(path: Path, data: bytes) -> None:
    """Add to the end; safe from a kill, and after `sync` from a power cut too."""
    fd = open_to_append(path)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def sync(path: Path) -> None:
    """Wait until a file is on disk."""
    _sync(path, os.O_RDONLY)


def sync_folder(folder: Path) -> None:
    """Wait until names that were made, changed or removed are on disk."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _sync(path: Path, flags: int) -> None:
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def explained(folder: Path) -> Generator[None]:
    """Say in our own words that the disk is full, read-only or broken."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        # Where it is stands in the log alone: callers of the HTTP API read the error.
        _log.error("journal cannot be used", folder=str(folder), error=why)
        raise JournalBrokenError(
            f"The journal cannot be used: {why}.", retry_after_s=RETRY_AFTER_S
        ) from error
