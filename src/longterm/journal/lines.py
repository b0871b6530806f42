r"""One record is one line: length, CRC32, id, JSON.

    0000004f 9a3b0c11 0198c3f2-… {"at":…,"stream":…,"payload":…}\n

JSON holds no line break, so whatever happens to one line, the next one begins after the next
break. The length finds the end of a record even where its line break was damaged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from longterm.journal.record import Record, decode

_HEADER = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f-]{36}) ")
HEADER_BYTES = 8 + 1 + 8 + 1 + 36 + 1
# What one reader holds of its file; a replay has one reader for each segment.
CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, and its line without the break."""

    record: Record
    raw: bytes


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that are no record; torn is the end of a write that was never acknowledged."""

    raw: bytes

    @property
    def is_torn(self) -> bool:
        """Whether the file ended in the middle of it."""
        return not self.raw.endswith(b"\n")


def line(record_id: str, body: bytes) -> bytes:
    """The line of a record."""
    name = record_id.encode()
    return b"%08x %08x %s %s\n" % (len(body), crc32(body, crc32(name)), name, body)


def id_of(raw: bytes) -> str | None:
    """The id of a line that is whole."""
    frame = _frame(raw)
    return frame[0] if frame else None


def read(path: Path) -> Iterator[Entry | Damage]:
    """All of a segment, in the order it was written."""
    for raw in _lines(path):
        yield from _parse(raw)


def _lines(path: Path) -> Iterator[bytes]:
    offset = 0
    while True:
        # Opened anew for each chunk: a thousand segments must not need a thousand open files.
        with path.open("rb") as file:
            file.seek(offset)
            found = file.readlines(CHUNK_BYTES)
        if not found:
            return
        yield from found
        offset += sum(map(len, found))


def _parse(raw: bytes) -> Iterator[Entry | Damage]:
    while raw:
        found = entry(raw)
        if found is None:
            # No search for a header further on: it could be one that a user wrote into a message.
            yield Damage(raw)
            return
        yield found
        raw = raw[len(found.raw) + 1 :]


def entry(raw: bytes) -> Entry | None:
    """The record that a line begins with, if it does."""
    frame = _frame(raw)
    if frame is None:
        return None
    record_id, body = frame
    try:
        record = decode(record_id, body)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Entry(record, raw[: HEADER_BYTES + len(body)])


def _frame(raw: bytes) -> tuple[str, bytes] | None:
    header = _HEADER.match(raw)
    if header is None:
        return None
    body = raw[HEADER_BYTES : HEADER_BYTES + int(header[1], 16)]
    if crc32(body, crc32(header[3])) != int(header[2], 16):
        return None
    return header[3].decode(), body
