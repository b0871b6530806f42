"""Writing back: every record in the order of its stream, marked as done after it was applied."""

import heapq
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from longterm.errors import LongtermError
from longterm.journal import disk, segments
from longterm.journal.errors import StopReplayError
from longterm.journal.lines import Damage
from longterm.journal.locks import FileLock, replay_lock
from longterm.journal.record import Record
from longterm.journal.threads import in_thread
from longterm.observe.log import get_logger

BATCH = 64

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """What came of a replay; `ran` is false when another process was at it."""

    ran: bool = True
    applied: int = 0
    failed: int = 0
    left: int = 0
    damaged: int = 0


@dataclass(slots=True)
class _Source:
    """A segment that is being written back."""

    path: Path
    found: int = 0
    done: int = 0
    damaged: int = 0
    at_end: bool = False


Apply = Callable[[Record], Awaitable[None]]
Found = tuple[Record, _Source]


class Pass:
    """The blocking side of one replay, under the replay lock."""

    def __init__(self, folder: Path) -> None:
        """Seal what is there; nothing is read yet."""
        self._folder = folder
        self._sources = [_Source(path) for path in segments.seal(folder)]
        # Merged by id over all segments, and so in order within every stream.
        self._records = heapq.merge(*map(_records, self._sources), key=_id)
        self._marked: set[Path] = set()
        self.damaged = 0

    def take(self) -> list[Found]:
        """The next records, after what was marked since the last call is safe and swept."""
        self._sync_marks()
        for source in [source for source in self._sources if source.at_end]:
            if source.done == source.found:
                self._drop(source)
        return list(islice(self._records, BATCH))

    def mark(self, found: Found) -> None:
        """Note that a record was applied."""
        record, source = found
        source.done += 1
        try:
            self._marked.add(segments.mark_done(source.path, record.id))
        except OSError as error:
            # A full disk must not keep the journal from being emptied: deleting needs no room.
            _log.warning("journal mark not written", record=record.id, error=str(error))

    def finish(self) -> int:
        """Leave on disk only what was not applied, and count it."""
        self._sync_marks()
        left = 0
        for source in self._sources:
            if source.found and not source.done and not source.damaged:
                # As it was: reading it again would make every failed attempt cost the journal.
                left += segments.count(source.path)
            else:
                left += segments.rewrite(source.path, keep=lambda _: True).kept
            self.damaged += source.damaged
        return left

    def _sync_marks(self) -> None:
        for path in self._marked:
            disk.sync(path)
        if self._marked:
            disk.sync_folder(self._folder)
        self._marked.clear()

    def _drop(self, source: _Source) -> None:
        segments.remove(source.path)
        self._sources.remove(source)
        self.damaged += source.damaged


def _id(found: Found) -> str:
    return found[0].id


def _records(source: _Source) -> Iterator[Found]:
    for found in segments.entries(source.path):
        if not isinstance(found, Damage):
            source.found += 1
            yield found.record, source
        elif found.is_torn:
            _log.info("unfinished journal write cut off", bytes=len(found.raw))
        else:
            source.damaged += 1
    source.at_end = True


async def replay(folder: Path, apply: Apply) -> ReplayReport:
    """Write back what is in the folder, unless somebody else is at it."""
    lock = replay_lock(folder)
    with disk.explained(folder):
        try:
            work = await in_thread(_begin, folder, lock)
            return await _write_back(work, apply) if work else ReplayReport(ran=False)
        finally:
            lock.release()


def _begin(folder: Path, lock: FileLock) -> Pass | None:
    disk.prepare(folder)
    return Pass(folder) if lock.acquire(timeout_s=0) else None


async def _write_back(work: Pass, apply: Apply) -> ReplayReport:
    applied = 0
    stopped: set[str] = set()
    with suppress(StopReplayError):
        while batch := await in_thread(work.take):
            for found in batch:
                record, _ = found
                if record.stream in stopped:
                    continue
                if await _is_applied(apply, record):
                    await in_thread(work.mark, found)
                    applied += 1
                else:
                    stopped.add(record.stream)
    left = await in_thread(work.finish)
    return ReplayReport(applied=applied, failed=len(stopped), left=left, damaged=work.damaged)


async def _is_applied(apply: Apply, record: Record) -> bool:
    try:
        await apply(record)
    except StopReplayError as error:
        _log.warning("journal replay stopped", error=str(error))
        raise
    except Exception as error:  # noqa: BLE001 - a boundary: one stream must not hold up the others
        _log.warning(
            "journal record not applied",
            record=record.id,
            stream=record.stream,
            # Only our own sentences: a database quotes the row that it refuses.
            error=str(error) if isinstance(error, LongtermError) else type(error).__name__,
        )
        return False
    return True
