"""Whose records wait to be written back, by reading only what is new."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from longterm.journal.lines import entry
from longterm.journal.segments import done_name
from longterm.journal.tally import sizes


@dataclass(slots=True)
class _Seen:
    """How far a segment and its marks were read, and whose records are left in it."""

    read: int = 0
    marks_read: int = 0
    left: dict[str, str] = field(default_factory=dict[str, str])
    streams: Counter[str] = field(default_factory=Counter[str])

    def add(self, raw: bytes) -> None:
        found = entry(raw)
        if found is not None:
            self.left[found.record.id] = found.record.stream
            self.streams[found.record.stream] += 1

    def mark(self, raw: bytes) -> None:
        stream = self.left.pop(raw.decode("ascii", "replace"), None)
        if stream is not None:
            self.streams[stream] -= 1


class Waiting:
    """Knows which streams have records in a folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, _Seen] = {}
        self._lock = threading.Lock()

    def has(self, stream: str) -> bool:
        """Whether something of this stream waits, whichever process kept it."""
        with self._lock:
            self._look()
            return any(seen.streams[stream] > 0 for seen in self._seen.values())

    def _look(self) -> None:
        found = sizes(self._folder)
        self._seen = {
            stem: self._read_on(stem, suffix, size, found.get(".done", {}))
            for suffix in (".sealed", ".open")
            for stem, size in found.get(suffix, {}).items()
        }

    def _read_on(self, stem: str, suffix: str, size: int, marks: dict[str, int]) -> _Seen:
        seen = self._seen.get(stem, _Seen())
        if size < seen.read:
            # Rewritten: that only ever makes a segment smaller.
            seen = _Seen()
        if size > seen.read:
            lines, seen.read = _lines(self._folder / f"{stem}{suffix}", seen.read)
            for raw in lines:
                seen.add(raw)
        name = done_name(stem, size)
        if marks.get(name, 0) > seen.marks_read:
            lines, seen.marks_read = _lines(self._folder / f"{name}.done", seen.marks_read)
            for raw in lines:
                seen.mark(raw)
        return seen


def _lines(path: Path, start: int) -> tuple[list[bytes], int]:
    """Return the whole lines from `start` on, and where they end."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            whole, found, _ = file.read().rpartition(b"\n")
    except FileNotFoundError:
        # Sealed or deleted since it was listed; the next look finds out.
        return [], start
    return (whole.split(b"\n"), start + len(whole) + 1) if found else ([], start)
