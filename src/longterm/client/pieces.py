"""Streams, cut into pieces: bytes are kept until a piece is whole, and no longer."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

from longterm.client.problems import error_in_words

_LAST = ("done", "error")


class Pieces(Protocol):
    """Takes bytes as they come, and gives the pieces that are whole with them."""

    accept: ClassVar[str]

    @property
    def ended(self) -> bool:
        """Whether it was told that this was all."""
        ...

    def feed(self, data: bytes) -> Iterator[Any]:
        """Take some bytes, and yield what is whole now."""
        ...


class _Blocks:
    """Bytes between two ends."""

    def __init__(self, end: bytes) -> None:
        self._end = end
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        # Not from the beginning: a record of some megabytes would be searched with each packet.
        start = max(0, len(self._pending) - len(self._end) + 1)
        self._pending += data
        while (at := self._pending.find(self._end, start)) >= 0:
            block = bytes(self._pending[:at])
            del self._pending[: at + len(self._end)]
            start = 0
            if block:
                yield block


class Events:
    """Server-sent events, each as its kind and its data; what is said aside is passed over."""

    accept: ClassVar[str] = "text/event-stream"

    def __init__(self) -> None:
        self._blocks = _Blocks(b"\n\n")
        self.ended = False

    def feed(self, data: bytes) -> Iterator[tuple[str, Any]]:
        """Take some bytes, and yield the events that are whole now."""
        # By bytes: JSON may hold characters that count as line ends elsewhere.
        for block in self._blocks.feed(data):
            lines = dict(line.split(b": ", 1) for line in block.split(b"\n") if b": " in line)
            if lines.keys() == {b""}:
                continue
            kind, told = lines[b"event"].decode(), json.loads(lines[b"data"])
            self.ended = self.ended or kind in _LAST
            yield kind, told


class Reports:
    """What an import tells: a report with each step; an error is raised."""

    accept: ClassVar[str] = Events.accept

    def __init__(self) -> None:
        self._events = Events()

    @property
    def ended(self) -> bool:
        """Whether it was told that this was all."""
        return self._events.ended

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Take some bytes, and yield the reports that are whole now."""
        for kind, told in self._events.feed(data):
            if kind == "error":
                raise error_in_words(told)
            # The last report was told before: `done` repeats it.
            if kind == "progress":
                yield told


class Lines:
    """JSON Lines; the last one says that it is the last."""

    accept: ClassVar[str] = "application/x-ndjson"

    def __init__(self) -> None:
        self._blocks = _Blocks(b"\n")
        self.ended = False

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Take some bytes, and yield the lines that are whole now."""
        for block in self._blocks.feed(data):
            told = json.loads(block)
            self.ended = told["type"] == "end"
            yield told
