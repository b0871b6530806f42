"""The events of a stream, taken from its bytes."""

import json
from typing import Any

from longterm.client.reading import record
from longterm.records.chat import ChatEvent, ChatReply, ToolUse

_LAST = ("done", "error")


class Events:
    """Collects bytes until an event is whole."""

    def __init__(self) -> None:
        self._pending = b""
        self.ended = False

    def feed(self, data: bytes) -> list[tuple[str, Any]]:
        """Take some bytes, and return the events that are whole now: kind and data."""
        # By bytes: JSON may hold characters that count as line ends elsewhere.
        *whole, self._pending = (self._pending + data).split(b"\n\n")
        events = [_parsed(block) for block in whole if block]
        self.ended = self.ended or any(kind in _LAST for kind, _ in events)
        return events


def event(told: tuple[Any, Any]) -> ChatEvent:
    """Read one event."""
    kind, data = told
    if kind in _LAST:
        return ChatEvent(kind=kind, reply=record(ChatReply)(data))
    if kind == "tool":
        return ChatEvent(kind=kind, tool=record(ToolUse)(data))
    if kind == "delta":
        return ChatEvent(kind=kind, text=data["text"])
    return ChatEvent(kind=kind, ids=data)


def _parsed(block: bytes) -> tuple[str, Any]:
    lines = dict(line.split(b": ", 1) for line in block.split(b"\n") if b": " in line)
    return lines[b"event"].decode(), json.loads(lines[b"data"])
