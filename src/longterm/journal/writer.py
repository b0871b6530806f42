"""Appending to the segment of this process, and taking back what did not get to the disk."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longterm.journal import disk
from longterm.journal.errors import JournalBrokenError
from longterm.journal.locks import gate
from longterm.records.ids import new_id


@dataclass(frozen=True, slots=True)
class Written:
    """What was written but may not be on disk yet."""

    fd: int
    start: int
    end: int


class Writer:
    """Writes into one segment until it is large enough, or sealed by somebody."""

    def __init__(self, folder: Path, *, segment_bytes: int) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._segment = ""

    def write(self, data: bytes, open_bytes: Mapping[str, int]) -> Written:
        """Write behind the gate, given the segments that are open; to be synced after it."""
        if open_bytes.get(self._segment, self._segment_bytes) >= self._segment_bytes:
            self._segment = new_id()
        fd = disk.open_to_append(self._path())
        start = os.fstat(fd).st_size
        try:
            disk.write_all(fd, data)
        except OSError:
            self._give_up(fd, start)
            os.close(fd)
            raise
        return Written(fd, start, start + len(data))

    def sync(self, written: Written) -> None:
        """Wait until it is on disk; raises when it never will be."""
        try:
            os.fsync(written.fd)
            if written.start == 0:
                disk.sync_folder(self._folder)
        except OSError:
            self._take_back(written)
            raise
        finally:
            os.close(written.fd)

    def _take_back(self, written: Written) -> None:
        # Without the gate it stays: nobody was told that it was kept.
        with suppress(JournalBrokenError), gate(self._folder):
            # Sealed meanwhile, it belongs to whoever writes it back.
            if self._path().exists() and os.fstat(written.fd).st_size == written.end:
                self._give_up(written.fd, written.start)

    def _path(self) -> Path:
        return self._folder / f"{self._segment}.open"

    def _give_up(self, fd: int, start: int) -> None:
        """Never write to this segment again: after a failed sync, its state is unknown."""
        self._segment = ""
        with suppress(OSError):
            os.ftruncate(fd, start)
