"""The events of an answer, read."""

from typing import Any

from longterm.client.reading import record
from longterm.records.chat import ChatEvent, ChatReply, ToolUse


def event(told: tuple[Any, Any]) -> ChatEvent:
    """Read one event."""
    kind, data = told
    if kind in ("done", "error"):
        return ChatEvent(kind=kind, reply=record(ChatReply)(data))
    if kind == "tool":
        return ChatEvent(kind=kind, tool=record(ToolUse)(data))
    if kind == "delta":
        return ChatEvent(kind=kind, text=data["text"])
    return ChatEvent(kind=kind, ids=data)
