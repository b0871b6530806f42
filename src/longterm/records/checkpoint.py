"""A checkpoint: the state of a thread after one step of a graph, as LangGraph keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass

from longterm.records.json import JsonObject


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that only their maker reads, with the kind that the maker gave them."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread of a user; graphs inside of its graph have a namespace each."""

    user_id: str
    thread_id: str
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What one channel of a graph holds; a list comes in pieces of several elements each."""

    name: str
    version: str
    is_list: bool
    pieces: tuple[Blob, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What a task has written into a channel, to be applied at the end of the step."""

    task_id: str
    place: int
    task_path: str
    channel: str
    value: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCheckpoint:
    """A checkpoint to store; `channels` are those that changed, `versions` those it has."""

    thread: Thread
    id: str
    parent_id: str | None
    body: Blob
    metadata: JsonObject
    versions: Mapping[str, str]
    channels: tuple[Channel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A stored checkpoint with everything that belongs to it."""

    thread: Thread
    id: str
    parent_id: str | None
    body: Blob
    metadata: JsonObject
    channels: tuple[Channel, ...]
    writes: tuple[Write, ...]
