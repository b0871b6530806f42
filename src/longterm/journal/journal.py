"""The journal: chat turns on disk while PostgreSQL is away.

Every process appends to segment files of its own; a record is one line with its length and
CRC32. An append is written behind the gate (a file lock held for microseconds, in which the
bounds hold exactly and ids ascend over all processes) and synced to disk before it returns.

A replay, by whichever process holds the replay lock, first seals the open segments of all
processes, dead or alive: their writers go on in new ones. What is sealed never grows, so it can
be merged by id, applied, and deleted. A record is marked as done, by its id in a file beside the
segment, after `apply` returned. A kill in between makes the next replay apply it again, and so
does a power cut for the last few marks: *`apply` must be idempotent by the record's id*.

An append that raised was taken back where the disk allowed it. Where not, its record may still
be written back later: as with a commit whose answer got lost, nobody was told that it was kept.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from longterm.errors import InvalidInputError
from longterm.journal import disk, segments
from longterm.journal.errors import JournalBrokenError, JournalFullError
from longterm.journal.lines import HEADER_BYTES, line
from longterm.journal.locks import gate, replay_lock
from longterm.journal.record import Body, Record, encode
from longterm.journal.replay import Apply, ReplayReport, replay
from longterm.journal.tally import Tally, Totals
from longterm.journal.waiting import Waiting
from longterm.journal.writer import Writer
from longterm.observe.log import get_logger
from longterm.records.ids import new_id

SEGMENT_BYTES = 4 * 1024 * 1024
FORGET_PATIENCE_S = 60.0
# A guess: nobody knows when the database comes back.
RETRY_AFTER_S = 5.0

_log = get_logger(__name__)


class Journal:
    """Keeps records in a folder that several processes share; blocking, safe between threads.

    The bounds are for the folder: all processes together, whatever waits to be written back.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int,
        max_records: int,
        segment_bytes: int = SEGMENT_BYTES,
    ) -> None:
        """Nothing is opened or made before it is needed."""
        self.folder = folder
        self._max_bytes = max_bytes
        self._max_records = max_records
        self._tally = Tally(folder)
        self._waiting = Waiting(folder)
        self._writer = Writer(folder, segment_bytes=segment_bytes)
        self._last_id = ""
        self._lock = threading.Lock()

    def append(self, record: Mapping[str, Any]) -> str:
        """Keep a record and return its id; it is on disk when this returns."""
        ids = self.append_all([self.check(record)])
        if not ids:
            raise self.full()
        return ids[0]

    def check(self, record: Mapping[str, Any]) -> Body:
        """A record as it will be written, or why it never can be."""
        body = encode(record)
        if len(body) + HEADER_BYTES >= self._max_bytes:
            raise InvalidInputError("A record cannot be larger than the whole journal.")
        return body

    def append_all(self, bodies: Sequence[Body]) -> list[str]:
        """Keep checked records with one sync; the ids of those that fit, from the first on."""
        with self._lock, disk.explained(self.folder):
            disk.prepare(self.folder)
            with gate(self.folder):
                totals = self._tally.totals()
                ids, lines = self._fitting(bodies, totals)
                if not ids:
                    return []
                written = self._writer.write(b"".join(lines), totals.open_bytes)
            self._writer.sync(written)
        return ids

    def pending(self) -> int:
        """How many records wait to be written back."""
        return self._totals().records

    def waits(self, stream: str) -> bool:
        """Whether something of this stream waits to be written back."""
        with disk.explained(self.folder):
            return self._waiting.has(stream)

    def bytes(self) -> int:
        """How much room the segments take on disk."""
        return self._totals().bytes

    @property
    def is_full(self) -> bool:
        """Whether not even the smallest record would be taken."""
        totals = self._totals()
        return totals.records >= self._max_records or totals.bytes + HEADER_BYTES >= self._max_bytes

    def full(self) -> JournalFullError:
        """The refusal, with figures."""
        return JournalFullError(
            f"The journal is full: {self.pending()} of {self._max_records} records and "
            f"{self.bytes()} of {self._max_bytes} bytes wait to be written back; "
            "nothing was kept.",
            retry_after_s=RETRY_AFTER_S,
        )

    async def replay(self, apply: Apply) -> ReplayReport:
        """Write back what is there, each stream in order; does nothing while another one does.

        `apply` must be idempotent by the record's id. When it raises, the record and those after
        it in its stream stay; when it raises StopReplayError, everything that is left does.
        """
        return await replay(self.folder, apply)

    def forget(self, belongs: Callable[[Record], bool]) -> int:
        """Delete the records that belong to somebody, and say how many waited to be written back.

        What was moved aside as damaged goes too: nobody can tell whose it was. What is appended
        meanwhile stays: whoever forgets a user stops their chat first.
        """
        with disk.explained(self.folder):
            disk.prepare(self.folder)
            lock = replay_lock(self.folder)
            if not lock.acquire(FORGET_PATIENCE_S):
                raise JournalBrokenError(
                    "The journal is being written back; try again shortly.",
                    retry_after_s=RETRY_AFTER_S,
                )
            try:
                return self._forget(belongs)
            finally:
                lock.release()

    def _forget(self, belongs: Callable[[Record], bool]) -> int:
        dropped = sum(
            segments.rewrite(segment, keep=lambda record: not belongs(record)).dropped
            for segment in segments.seal(self.folder)
        )
        for path in self.folder.glob("*.damaged"):
            path.unlink()
            _log.warning("damaged journal record deleted, to forget a user", file=str(path))
        disk.sync_folder(self.folder)
        return dropped

    def _totals(self) -> Totals:
        with disk.explained(self.folder):
            return self._tally.totals()

    def _fitting(self, bodies: Sequence[Body], totals: Totals) -> tuple[list[str], list[Body]]:
        """Lines for as many as fit; none after one that does not, to keep their order."""
        size = totals.bytes
        ids: list[str] = []
        lines: list[Body] = []
        self._last_id = max(self._last_id, totals.last_id)
        for body in bodies[: max(0, self._max_records - totals.records)]:
            record_id = _id_after(self._last_id)
            raw = line(record_id, body)
            size += len(raw)
            if size > self._max_bytes:
                break
            self._last_id = record_id
            ids.append(record_id)
            lines.append(raw)
        return ids, lines


def _id_after(last: str) -> str:
    """A new id above `last`: two of one millisecond have no order, and clocks are set back."""
    made = new_id()
    return made if made > last else str(UUID(int=UUID(last).int + 1))
