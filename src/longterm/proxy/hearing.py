"""Hears an answer while it passes by: whole or in pieces, it is put together to be stored."""

import json
from collections.abc import Mapping
from typing import Any

from longterm.providers.model import Usage
from longterm.proxy.json_shapes import as_dict, objects

_LONGEST = 20_000_000
_END = b"[DONE]"


class Hearing:
    """Listens to the bytes of an answer; of several choices, to the first."""

    def __init__(self, *, streams: bool) -> None:
        self._streams = streams
        self._waiting = bytearray()
        self._heard = 0
        self._text: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._whole: Mapping[str, Any] = {}
        self.model: str | None = None
        self.usage = Usage()
        self.is_done = False

    def hear(self, piece: bytes) -> None:
        """Take in a piece; what is far too long to be an answer is let go."""
        self._heard += len(piece)
        if self._heard > _LONGEST:
            return
        self._waiting += piece
        # Looked at line by line and not piece by piece: one event may have megabytes.
        if not self._streams or b"\n" not in piece:
            return
        *lines, rest = bytes(self._waiting).replace(b"\r\n", b"\n").split(b"\n")
        self._waiting = bytearray(rest)
        for line in lines:
            if line.startswith(b"data:"):
                self._event(line[5:].strip())

    @property
    def between_events(self) -> bool:
        """Whether nothing of an event is missing."""
        return not self._waiting

    def end(self) -> None:
        """Nothing more comes."""
        if self._streams:
            self.hear(b"\n")
            return
        told = _object(bytes(self._waiting))
        self._note(told)
        self._whole = as_dict(_first(told).get("message"))
        self.is_done = bool(self._whole)

    def message(self) -> dict[str, Any]:
        """What was said, as a message."""
        if self._whole:
            return dict(self._whole)
        calls = [call for _, call in sorted(self._calls.items())]
        return {"content": "".join(self._text), "tool_calls": calls or None}

    def _event(self, data: bytes) -> None:
        if data == _END:
            self.is_done = True
            return
        told = _object(data)
        self._note(told)
        choice = _first(told)
        delta = as_dict(choice.get("delta"))
        for kind in ("content", "refusal"):
            if isinstance(delta.get(kind), str):
                self._text.append(delta[kind])
        for part in objects(delta.get("tool_calls")):
            self._call(part)
        # Some servers never say that they are done.
        self.is_done = self.is_done or choice.get("finish_reason") is not None

    def _call(self, part: dict[str, Any]) -> None:
        index = part.get("index")
        empty: dict[str, Any] = {"type": "function", "function": {"name": "", "arguments": ""}}
        call = self._calls.setdefault(index if isinstance(index, int) else 0, empty)
        if part.get("id"):
            call["id"] = part["id"]
        told = as_dict(part.get("function"))
        for key in ("name", "arguments"):
            call["function"][key] += str(told.get(key) or "")

    def _note(self, told: dict[str, Any]) -> None:
        if isinstance(told.get("model"), str):
            self.model = told["model"]
        usage = as_dict(told.get("usage"))
        if usage:
            self.usage = Usage(
                prompt_tokens=_number(usage.get("prompt_tokens")),
                answer_tokens=_number(usage.get("completion_tokens")),
            )


def _object(data: bytes) -> dict[str, Any]:
    try:
        return as_dict(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def _first(told: dict[str, Any]) -> dict[str, Any]:
    choices = objects(told.get("choices"))
    return next((choice for choice in choices if choice.get("index", 0) == 0), as_dict(None))


def _number(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**40 else 0
