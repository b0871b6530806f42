"""An exchange: a question, what memory had to say to it, and the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from longterm.records.recall import Recall

EventKind = Literal["start", "delta", "tool", "done", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that the model called, with what came of it."""

    name: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What was answered, and from what.

    `conversation_id` and the ids of the messages are None where nothing was stored. `error` says
    what went wrong: the answer is then what could be said all the same. `degraded` when memory
    or the database was away.
    """

    answer: str
    model: str
    conversation_id: str | None = None
    message_id: int | None = None
    answer_id: int | None = None
    memories: Recall | None = None
    tools: tuple[ToolUse, ...] = ()
    options: tuple[str, ...] = ()
    error: str | None = None
    degraded: bool = False
    prompt_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEvent:
    """One event of a stream: `start` has the ids, `delta` words, `tool` a tool that was used.

    `done` and `error` are the last, and have the whole reply.
    """

    kind: EventKind
    text: str = ""
    reply: ChatReply | None = None
    tool: ToolUse | None = None
    ids: Mapping[str, Any] = field(default_factory=dict[str, Any])
