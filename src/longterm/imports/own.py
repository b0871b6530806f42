"""Our own export: conversations with their messages, what is known, and states of graphs."""

from collections.abc import Iterator, Mapping
from typing import Any

from longterm.imports.values import mapping, moment, text, weight, whole
from longterm.records.importing import (
    Foreign,
    ForeignConversation,
    ForeignMessage,
    ForeignRecord,
    Unread,
)

# Of one conversation, which is held as a whole: what half a million messages have.
MOST_CHARACTERS = 256 * 1024 * 1024
HEADER = "longterm-export"
VERSION = 1
_KINDS = ("fact", "place", "memory", "user")
_OF_CONVERSATION = (
    "kind", "title_by", "archived", "pinned", "retention_hours", "turn_count", "metadata",
)  # fmt: skip
_OF_STATE = {"checkpoint_piece": "pieces", "checkpoint_write": "writes"}
_OF_MESSAGE = (
    "status", "tool_calls", "suggested_values", "suggested_actions", "custom_payload", "metadata",
    "learned",
)  # fmt: skip


def is_one(item: object) -> bool:
    """Whether this is the first line of an export."""
    return mapping(item).get("type") == HEADER


class _State:
    """Gathers the lines of a checkpoint until something else begins."""

    def __init__(self) -> None:
        self._about: Mapping[str, Any] | None = None
        self._parts: dict[str, list[Any]] = {}
        self._characters = 0

    def begin(self, told: Mapping[str, Any]) -> None:
        """Begin with a checkpoint; what belongs to it follows."""
        self._about, self._parts = told, {part: [] for part in _OF_STATE.values()}
        self._characters = weight(told)

    def add(self, told: Mapping[str, Any], where: str) -> Iterator[Foreign]:
        """Add a line that belongs to the checkpoint before it."""
        if self._about is None or told.get("thread_id") != self._about.get("thread_id"):
            yield Unread(where=where, reason="A part of a checkpoint needs its checkpoint.")
            return
        self._characters += weight(told)
        if self._characters > MOST_CHARACTERS:
            self._about, self._parts = None, {}
            yield Unread(
                where=where, reason=f"A checkpoint has more than {MOST_CHARACTERS:,} characters."
            )
            return
        self._parts[_OF_STATE[str(told["type"])]].append(told)

    def rest(self) -> Iterator[Foreign]:
        """The checkpoint that was gathered last."""
        if self._about is not None:
            data = {**self._about, **self._parts}
            yield ForeignRecord(kind="checkpoint", data=data, weight=self._characters)
        self._about, self._parts = None, {}


class Own:
    """Gathers the lines of a conversation until the next one begins."""

    def __init__(self) -> None:
        self._about: Mapping[str, Any] | None = None
        self._messages: list[ForeignMessage] = []
        self._characters = 0
        # Whether the last line was there: what has no end was cut off.
        self.is_whole = False
        self._state = _State()

    def read(self, item: object, where: str) -> Iterator[Foreign]:
        """What is whole with this line."""
        told = mapping(item)
        kind = told.get("type")
        if kind == "message":
            yield from self._add(told, where)
            return
        if kind == "episode":
            return
        if kind in _OF_STATE:
            yield from self._state.add(told, where)
            return
        yield from self._rest()
        yield from self._state.rest()
        self.is_whole = self.is_whole or kind == "end"
        if kind == "conversation" and not text(told.get("id")):
            yield Unread(where=where, reason="The conversation has no id.")
        elif kind == "conversation":
            self._about = told
        elif kind == "checkpoint":
            self._state.begin(told)
        elif kind in _KINDS:
            yield ForeignRecord(kind=kind, data=told)
        elif kind == HEADER and told.get("version") != VERSION:
            yield Unread(where=where, reason=f"Only version {VERSION} of an export can be read.")
        elif kind not in (HEADER, "end"):
            yield Unread(where=where, reason="A line has a `type` that is not known.")

    def _rest(self) -> Iterator[Foreign]:
        """The conversation that was gathered last."""
        if self._about is None:
            return
        about, said = self._about, self._messages
        self._about, self._messages, self._characters = None, [], 0
        times = ("created_at", "updated_at", "expires_at")
        yield ForeignConversation(
            external_id=text(about.get("id")),
            title=text(about.get("title")) or None,
            messages=said,
            extra={
                **{name: about.get(name) for name in _OF_CONVERSATION},
                **{name: moment(about.get(name)) for name in times},
            },
        )

    def _add(self, told: Mapping[str, Any], where: str) -> Iterator[Foreign]:
        role, turn = told.get("role"), whole(told.get("turn"), least=1)
        belongs = self._about is not None and told.get("conversation_id") == self._about.get("id")
        if not belongs or role not in ("user", "assistant") or turn is None:
            yield Unread(where=where, reason="A message needs its conversation, a role and a turn.")
            return
        self._characters += weight(told)
        if self._characters > MOST_CHARACTERS:
            self._about = None
            self._messages = []
            self._characters = 0
            yield Unread(
                where=where, reason=f"A conversation has more than {MOST_CHARACTERS:,} characters."
            )
            return
        self._messages.append(
            ForeignMessage(
                external_id=text(str(told.get("id"))),
                role="user" if role == "user" else "assistant",
                content=text(told.get("content")),
                said_at=moment(told.get("created_at")),
                name=text(told.get("name")) or None,
                turn=turn,
                extra={
                    **{name: told.get(name) for name in _OF_MESSAGE},
                    "recorded_at": moment(told.get("recorded_at")),
                    "archived_at": moment(told.get("archived_at")),
                },
            )
        )
