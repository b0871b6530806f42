"""How much there is in the folder, from all processes, by reading only what is new."""

import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longterm.journal.lines import id_of
from longterm.journal.segments import DONE_BYTES, done_name

_READ_BYTES = 1024 * 1024


@dataclass(slots=True)
class _Counted:
    """How far a segment was read; its lines, and the id of the last."""

    offset: int = 0
    records: int = 0
    last_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What all processes together have left to write back."""

    records: int
    bytes: int
    last_id: str
    open_bytes: dict[str, int]


class Tally:
    """Counts the records of a folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _Counted] = {}
        self._lock = threading.Lock()

    def totals(self) -> Totals:
        """Look again; behind the gate the answer is exact, else it may be a moment old."""
        with self._lock:
            found = sizes(self._folder)
            marks = found.get(".done", {})
            segments = found.get(".sealed", {}) | found.get(".open", {})
            self._known = {
                stem: self._count(stem, suffix, size)
                for suffix in (".sealed", ".open")
                for stem, size in found.get(suffix, {}).items()
            }
            return Totals(
                records=sum(known.records for known in self._known.values())
                - sum(
                    marks.get(done_name(*segment), 0) // DONE_BYTES for segment in segments.items()
                ),
                bytes=sum(segments.values()),
                last_id=max((known.last_id for known in self._known.values()), default=""),
                open_bytes=found.get(".open", {}),
            )

    def _count(self, stem: str, suffix: str, size: int) -> _Counted:
        known = self._known.get(stem, _Counted())
        if size < known.offset:
            # Rewritten: that only ever makes a segment smaller.
            known = _Counted()
        if size > known.offset:
            _read_on(self._folder / f"{stem}{suffix}", known)
        return known


def sizes(folder: Path) -> dict[str, dict[str, int]]:
    """The sizes of the files, by how their names end and begin.

    Strings, not paths: every append looks here, and with 64 segments that was half of its time.
    """
    found: dict[str, dict[str, int]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                stem, dot, suffix = entry.name.rpartition(".")
                with suppress(FileNotFoundError):
                    found.setdefault(dot + suffix, {})[stem] = entry.stat().st_size
    except FileNotFoundError:
        return {}
    return found


def _read_on(path: Path, known: _Counted) -> None:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        # Sealed or deleted since it was listed; the next look finds out.
        return
    with file:
        file.seek(known.offset)
        rest = b""
        while read := file.read(_READ_BYTES):
            lines, found, rest = (rest + read).rpartition(b"\n")
            if not found:
                continue
            known.records += lines.count(b"\n") + 1
            known.offset += len(lines) + 1
            last = lines.rpartition(b"\n")[2]
            known.last_id = max(known.last_id, id_of(last) or "")
