"""Whether this machine has room for what Longterm writes, and who may come in."""

import os
import shutil
from pathlib import Path

from longterm.api.auth import is_loopback
from longterm.doctor.check import Check
from longterm.errors import LongtermError
from longterm.journal.journal import Journal
from longterm.postgres.pool import identity
from longterm.settings import Settings
from longterm.store.diagnose import Findings

# PostgreSQL stops altogether when its disk is full; its log of changes alone may take 1 GB.
ENOUGH_BYTES = 1_000_000_000


def disk(folder: Path, free_bytes: int) -> Check:
    """Whether there is room to write."""
    found = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    if free_bytes >= ENOUGH_BYTES:
        return Check(name="disk", found=found)
    return Check(
        name="disk",
        found=f"nearly full: {found}",
        mend="make room there, or move the data folder to a larger disk (--data-dir)",
    )


def journal(settings: Settings, conninfo: str | None) -> list[Check]:
    """Whether messages can wait on disk while the database is away, and whether some do."""
    root = settings.journal_dir or settings.data_dir / "journal"
    above = nearest(root)
    if not above.is_dir() or not os.access(above, os.W_OK):
        return [
            Check(
                name="journal",
                found=f"{root} cannot be written by this user",
                mend="give it to this user with `chown -R`, or set LONGTERM_JOURNAL_DIR",
            )
        ]
    free_bytes = shutil.disk_usage(above).free
    checks = [_waiting(settings, root, conninfo)]
    if settings.database_url is not None or above.stat().st_dev != _device(settings.data_dir):
        mend = "make room there, or set LONGTERM_JOURNAL_DIR to a larger disk"
        enough = free_bytes >= 2 * settings.journal_max_bytes
        found = f"{free_bytes / 1e9:.1f} GB free for {root}"
        checks.append(Check(name="disk", found=found, mend=None if enough else mend))
    return checks


def _device(folder: Path) -> int:
    return nearest(folder).stat().st_dev


def _waiting(settings: Settings, root: Path, conninfo: str | None) -> Check:
    kept = None if conninfo is None else root / identity(conninfo)
    if kept is None or not kept.is_dir():
        return Check(name="journal", found=f"{root}, empty")
    book = Journal(
        kept, max_bytes=settings.journal_max_bytes, max_records=settings.journal_max_records
    )
    try:
        waiting, is_full = book.pending(), book.is_full
    except LongtermError as error:
        return Check(name="journal", found=str(error), mend="mend what it says")
    if not waiting:
        return Check(name="journal", found=f"{root}, empty")
    what = f"{waiting} messages wait in {root} to be written back"
    return Check(
        name="journal",
        found=f"{what}, and no more fit" if is_full else what,
        mend="start the server: it writes them back",
        is_warning=not is_full,
    )


def nearest(folder: Path) -> Path:
    """The folder, or the one above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def keys(settings: Settings, found: Findings) -> Check | None:
    """Who may come in; None when we may not look."""
    if found.has_keys is None:
        return None
    if found.has_keys:
        return Check(name="keys", found="every request needs a key")
    if is_loopback(settings.host):
        return Check(
            name="keys",
            found="none was made: programs on this machine need none; make one before a proxy "
            "stands before Longterm",
        )
    return Check(
        name="keys",
        found=f"none was made, and without one the server does not listen on {settings.host}",
        mend="make one with `longterm keys create NAME`, or leave LONGTERM_HOST at 127.0.0.1",
    )
