"""Reads a file of any known format: what is in it, piece by piece."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from longterm.errors import InvalidInputError
from longterm.imports import chatgpt, claude, jsonl, librechat, mem0, openwebui, own
from longterm.imports.files import Source, explained, sources
from longterm.imports.items import items
from longterm.imports.values import identifier, mapping
from longterm.records.importing import (
    FORMATS,
    Foreign,
    ForeignConversation,
    ForeignMessage,
    Format,
    Unread,
)

_IS_ONE: dict[Format, Callable[[object], bool]] = {
    "longterm": own.is_one,
    "chatgpt": chatgpt.is_one,
    "claude": claude.is_one,
    "openwebui": openwebui.is_one,
    "librechat": librechat.is_one,
    "mem0": mem0.is_one,
    "jsonl": jsonl.is_one,
}
_READ: dict[Format, Callable[[object, str], Iterator[Foreign]]] = {
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "openwebui": openwebui.read,
    "librechat": librechat.read,
    "mem0": mem0.read,
}
# Messages of one conversation that are held at a time, where each has a line of its own.
_MOST_GATHERED = 5_000
_MOST_CHARACTERS = 4_000_000


def detect(path: Path) -> Format:
    """The format of a file, by its first items."""
    for source in sources(path):
        with explained(source.name):
            for number, (_, item) in enumerate(items(source)):
                for name in FORMATS:
                    if _IS_ONE[name](item):
                        return name
                if number == 10:
                    break
    raise InvalidInputError(f"{path.name} has none of the formats that can be imported.")


def read(path: Path, format_: Format) -> Iterator[Foreign]:
    """Everything that a file holds, in its order."""
    for source in sources(path):
        with explained(source.name):
            yield from _read(source, format_)


def _read(source: Source, format_: Format) -> Iterator[Foreign]:
    if format_ == "longterm":
        gathered = own.Own()
        for where, item in items(source):
            yield from _unread(item) or gathered.read(item, where)
        if not gathered.is_whole:
            raise InvalidInputError(
                f"{source.name} is cut off: it has no end; what came before is stored."
            )
        return
    if format_ == "jsonl":
        lines = _Lines()
        for where, item in items(source):
            yield from _unread(item) or lines.read(item, where)
        yield from lines.rest()
        return
    for where, item in items(source):
        if not isinstance(item, Unread) and not _IS_ONE[format_](item):
            yield Unread(where=where, reason=f"This is nothing that {format_} exports.")
            continue
        yield from _unread(item) or _READ[format_](item, where)


def _unread(item: object) -> list[Foreign]:
    return [item] if isinstance(item, Unread) else []


class _Lines:
    """Gathers messages that have a line each into conversations."""

    def __init__(self) -> None:
        self._id: str = ""
        self._unnamed = ""
        self._names = jsonl.Names()
        self._messages: list[ForeignMessage] = []
        self._characters = 0
        self._places: dict[str, int] = {}

    def read(self, item: object, where: str) -> Iterator[Foreign]:
        told: Any = mapping(item)
        if "messages" in told:
            yield from self.rest()
            yield from jsonl.read(item, where, self._names)
            return
        named = identifier(told.get("conversation_id")) or identifier(told.get("session_id"))
        full = len(self._messages) >= _MOST_GATHERED or self._characters >= _MOST_CHARACTERS
        if named != self._id or full:
            yield from self.rest()
            self._id = named
        place = self._places.get(named, 0)
        self._places[named] = place + 1
        found = jsonl.message(told, place)
        if found is None:
            yield Unread(
                where=where, reason="A message needs the role user or assistant, and words."
            )
        else:
            self._messages.append(found)
            self._characters += len(found.content)

    def rest(self) -> Iterator[Foreign]:
        if self._messages:
            if not self._id:
                # All that name no conversation are one, whatever stands between them.
                self._unnamed = self._unnamed or self._names.of(self._messages)
            yield ForeignConversation(
                external_id=self._id or self._unnamed, title=None, messages=self._messages
            )
        self._messages = []
        self._characters = 0
