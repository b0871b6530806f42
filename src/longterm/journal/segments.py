"""The files of a journal, by the end of their names.

    .open      one process appends to it, behind the gate
    .sealed    nobody appends any more; read, rewritten and deleted under the replay lock
    .done      ids of the records of a segment that were written back; named after it and its size
    .damaged   bytes that were no record, moved aside for a person to look at
    .new       a rewritten segment that did not get its name yet

The name before the dot is a UUID, never used twice: a file that is gone was sealed or emptied.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from longterm.journal import disk
from longterm.journal.lines import Damage, Entry, read
from longterm.journal.locks import gate
from longterm.journal.record import Record
from longterm.observe.log import get_logger

# An id and a line break.
DONE_BYTES = 37

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of the records of a segment that were not written back yet."""

    kept: int = 0
    dropped: int = 0


def seal(folder: Path) -> list[Path]:
    """Close all open segments, whoever wrote them, and name what can be written back.

    Behind the gate nobody is in the middle of a write: an unfinished one is a dead process's.
    """
    with gate(folder):
        for path in folder.glob("*.open"):
            path.rename(path.with_suffix(".sealed"))
    for path in folder.glob("*.new"):
        path.unlink()
    sealed = sorted(folder.glob("*.sealed"))
    for path in set(folder.glob("*.done")) - set(map(_done_file, sealed)):
        path.unlink()
    return sealed


def done_name(stem: str, size: int) -> str:
    """What the file of marks is called, without its end.

    Every rewriting makes a segment smaller: marks that a kill left behind never count again.
    """
    return f"{stem}-{size}"


def mark_done(segment: Path, record_id: str) -> Path:
    """Note that a record was written back; returns the file to sync."""
    path = _done_file(segment)
    disk.append(path, f"{record_id}\n".encode())
    return path


def done_ids(segment: Path) -> set[str]:
    """The records of a segment that were written back."""
    try:
        text = _done_file(segment).read_text("ascii", "replace")
    except FileNotFoundError:
        return set()
    return set(text.splitlines())


def entries(segment: Path) -> Iterator[Entry | Damage]:
    """What is still to be written back, and the damage in between, moved aside."""
    done = done_ids(segment)
    for found in read(segment):
        if isinstance(found, Damage):
            _put_aside(segment, found)
            yield found
        elif found.record.id not in done:
            yield found


def count(segment: Path) -> int:
    """How many lines are still to be written back, unchecked."""
    return segment.read_bytes().count(b"\n") - len(done_ids(segment))


def rewrite(segment: Path, keep: Callable[[Record], bool]) -> Rewritten:
    """Leave only what is still to be written back and to be kept; an empty segment goes."""
    kept: list[bytes] = []
    dropped = 0
    for found in entries(segment):
        if isinstance(found, Damage):
            continue
        if keep(found.record):
            kept.append(found.raw + b"\n")
        else:
            dropped += 1
    if not kept:
        remove(segment)
    elif sum(map(len, kept)) != segment.stat().st_size:
        _replace(segment, kept)
    return Rewritten(len(kept), dropped)


def remove(segment: Path) -> None:
    """Delete a segment; a kill between the two leaves a file that `seal` sweeps away."""
    done = _done_file(segment)
    segment.unlink()
    done.unlink(missing_ok=True)
    disk.sync_folder(segment.parent)


def _replace(segment: Path, kept: list[bytes]) -> None:
    done, new = _done_file(segment), segment.with_suffix(".new")
    new.unlink(missing_ok=True)
    disk.append(new, b"".join(kept))
    disk.sync(new)
    new.rename(segment)
    disk.sync_folder(segment.parent)
    # Last: without it, records that were written back and are still there would come again.
    done.unlink(missing_ok=True)


def _done_file(segment: Path) -> Path:
    return segment.with_name(f"{done_name(segment.stem, segment.stat().st_size)}.done")


def _put_aside(segment: Path, damage: Damage) -> None:
    if damage.is_torn:
        return
    # Named after its content: found again after a kill, it is the same file.
    path = segment.with_name(f"{segment.stem}-{crc32(damage.raw):08x}.damaged")
    if path.exists() and path.stat().st_size == len(damage.raw):
        return
    path.unlink(missing_ok=True)
    disk.append(path, damage.raw)
    disk.sync(path)
    disk.sync_folder(path.parent)
    _log.warning("journal record damaged", file=str(path), bytes=len(damage.raw))
