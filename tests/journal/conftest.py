"""Watching the disk."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, int]]:
    """The name and size of every file of this test at the moment it was synced."""
    calls: list[tuple[str, int]] = []
    fsync = os.fsync

    def counted(fd: int) -> None:
        fsync(fd)
        path = Path(f"/proc/self/fd/{fd}").readlink()
        # Another Longterm of this process has a journal, too.
        if path.is_relative_to(tmp_path):
            calls.append((path.name, os.fstat(fd).st_size))

    monkeypatch.setattr(os, "fsync", counted)
    return calls
