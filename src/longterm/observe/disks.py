"""How much room is left where we write."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# A full journal (64 MB) and some write-ahead logs of 16 MB each: below this both may fail soon.
LEAST_FREE_BYTES = 256 * 1024 * 1024
UNUSABLE_BELOW_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """The room on the file system of a folder, and whether we may use it."""

    folder: str
    free_bytes: int
    free_share: float
    writable: bool = True

    @property
    def is_unusable(self) -> bool:
        """Whether nothing can be written to it."""
        return not self.writable or self.free_bytes < UNUSABLE_BELOW_BYTES

    @property
    def problem(self) -> str | None:
        """What is wrong, in a sentence; None where there is room."""
        if not self.writable:
            return f"The {self.folder} folder cannot be written to."
        if self.free_bytes >= LEAST_FREE_BYTES:
            return None
        free, least = self.free_bytes // 2**20, LEAST_FREE_BYTES // 2**20
        return f"The disk of the {self.folder} folder has {free} MiB left; it needs {least} MiB."


def measure(folders: Mapping[str, Path]) -> list[Disk]:
    """Look at the file system of each folder; not for an event loop: a network disk may hang."""
    return [_measured(name, path) for name, path in folders.items()]


def _measured(name: str, path: Path) -> Disk:
    # What was not written to yet is not there yet; it will be below what is.
    there = next(each for each in (path, *path.parents) if each.exists())
    room = shutil.disk_usage(there)
    return Disk(
        folder=name,
        free_bytes=room.free,
        free_share=round(room.free / max(room.total, 1), 4),
        writable=there.is_dir() and os.access(there, os.W_OK | os.X_OK),
    )
