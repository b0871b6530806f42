"""Watching the disk."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The name and size of every file at the moment it was synced."""
    calls: list[tuple[str, int]] = []
    fsync = os.fsync

    def counted(fd: int) -> None:
        fsync(fd)
        calls.append((Path(f"/proc/self/fd/{fd}").readlink().name, os.fstat(fd).st_size))

    monkeypatch.setattr(os, "fsync", counted)
    return calls
