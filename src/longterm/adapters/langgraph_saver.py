"""LangGraph: a checkpointer, so that a graph goes on where its thread stopped."""

from collections.abc import AsyncIterator, Iterator, Sequence
from secrets import token_hex
from typing import Any, cast

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.extras import missing
from longterm.errors import InvalidInputError
from longterm.memory.checkpoints import Checkpoints
from longterm.records.checkpoint import Blob, Channel, NewCheckpoint, Thread, Write
from longterm.records.checkpoint import Checkpoint as Stored
from longterm.records.json import JsonObject

try:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_checkpoint_metadata,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol
except ModuleNotFoundError as error:
    raise missing("LangGraph", "langgraph") from error

_PAGE = 50
# A list that grows by a message adds one piece of at most so many elements, and not itself again.
_PIECE = 16


class LongtermSaver(BaseCheckpointSaver[str]):
    """Keeps the threads of users.

    The user is `user_id`, or else what each config has in `configurable["user_id"]`: a thread
    belongs to one user, and two users may have threads of the same name.
    """

    def __init__(
        self,
        tenant: AnyTenant,
        user_id: str | None = None,
        *,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde)
        self._tenant = tenant
        self._calls = Calls(tenant)
        self._checkpoints = Checkpoints.of(self._calls.tenant)
        self._user_id = user_id

    def for_user(self, user_id: str) -> "LongtermSaver":
        """Return the same for one user, whom configs need not name."""
        return LongtermSaver(self._tenant, user_id, serde=self.serde)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a config names, or the newest one of its thread."""
        return self._calls.wait(self._get, config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a config names, or the newest one of its thread."""
        return await self._calls.run(self._get, config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints of a thread, or of all threads of the user, newest first."""
        given = self._conditions(config, filter, before)
        for offset, wanted in _pages(limit):
            page = self._calls.wait(self._page, given, offset, wanted)
            yield from page
            if len(page) < wanted:
                return

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints of a thread, or of all threads of the user, newest first."""
        given = self._conditions(config, filter, before)
        for offset, wanted in _pages(limit):
            page = await self._calls.run(self._page, given, offset, wanted)
            for one in page:
                yield one
            if len(page) < wanted:
                return

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, and of its channels those with a new version."""
        return self._calls.wait(self._put, config, checkpoint, metadata, new_versions)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, and of its channels those with a new version."""
        return await self._calls.run(self._put, config, checkpoint, metadata, new_versions)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task has written before its step is over."""
        self._calls.wait(self._put_writes, config, writes, task_id, task_path)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task has written before its step is over."""
        await self._calls.run(self._put_writes, config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread of the user."""
        self._calls.wait(self._checkpoints.delete, self._user(None), str(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread of the user."""
        await self._calls.run(self._checkpoints.delete, self._user(None), str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete what some runs have stored of the user."""
        self._calls.wait(self._checkpoints.delete_runs, self._user(None), _texts(run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete what some runs have stored of the user."""
        await self._calls.run(self._checkpoints.delete_runs, self._user(None), _texts(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Put all of a thread into another one of the user."""
        self._calls.wait(self._copy, source_thread_id, target_thread_id)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Put all of a thread into another one of the user."""
        await self._calls.run(self._copy, source_thread_id, target_thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoint of each namespace, or all (`delete`)."""
        self._calls.wait(self._prune, thread_ids, strategy)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoint of each namespace, or all (`delete`)."""
        await self._calls.run(self._prune, thread_ids, strategy)

    def get_next_version(self, current: str | None, channel: None) -> str:  # noqa: ARG002
        """A version after `current`, different on each branch that goes on from there."""
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:032}.{token_hex(8)}"

    async def _get(self, config: RunnableConfig) -> CheckpointTuple | None:
        stored = await self._checkpoints.get(self._thread(config), get_checkpoint_id(config))
        return None if stored is None else self._tuple(stored)

    async def _page(self, given: dict[str, Any], offset: int, limit: int) -> "_Tuples":
        page = await self._checkpoints.page(**given, offset=offset, limit=limit)
        return [self._tuple(stored) for stored in page]

    async def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread = self._thread(config)
        values = checkpoint["channel_values"]
        body = {key: part for key, part in checkpoint.items() if key != "channel_values"}
        versions = checkpoint["channel_versions"]
        await self._checkpoints.put(
            NewCheckpoint(
                thread=thread,
                id=checkpoint["id"],
                parent_id=get_checkpoint_id(config),
                body=Blob(*self.serde.dumps_typed(body)),
                metadata=cast("JsonObject", get_checkpoint_metadata(config, metadata)),
                versions={name: str(version) for name, version in versions.items()},
                channels=tuple(
                    self._channel(name, str(version), values[name])
                    for name, version in new_versions.items()
                    if name in values
                ),
            )
        )
        return self._config(thread, checkpoint["id"])

    async def _put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> None:
        made = [
            Write(
                task_id=task_id,
                place=WRITES_IDX_MAP.get(channel, place),
                task_path=task_path,
                channel=channel,
                value=Blob(*self.serde.dumps_typed(value)),
            )
            for place, (channel, value) in enumerate(writes)
        ]
        # Of two in the same place the later one counts.
        distinct = {write.place: write for write in made}
        checkpoint_id = cast("str", get_checkpoint_id(config))
        await self._checkpoints.put_writes(
            self._thread(config), checkpoint_id, tuple(distinct.values())
        )

    async def _copy(self, source: str, target: str) -> None:
        await self._checkpoints.copy(self._user(None), str(source), str(target))

    async def _prune(self, thread_ids: Sequence[str], strategy: str) -> None:
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInputError("strategy must be keep_latest or delete.")
        user_id = self._user(None)
        if strategy == "keep_latest":
            await self._checkpoints.keep_latest(user_id, _texts(thread_ids))
        else:
            for thread_id in _texts(thread_ids):
                await self._checkpoints.delete(user_id, thread_id)

    def _channel(self, name: str, version: str, value: Any) -> Channel:
        is_list = type(value) is list
        parts = _parts(cast("list[Any]", value)) if is_list else [value]
        pieces = tuple(Blob(*self.serde.dumps_typed(part)) for part in parts)
        return Channel(name=name, version=version, is_list=is_list, pieces=pieces)

    def _value(self, channel: Channel) -> Any:
        parts = [self.serde.loads_typed((piece.kind, piece.data)) for piece in channel.pieces]
        return [one for part in parts for one in part] if channel.is_list else parts[0]

    def _tuple(self, stored: Stored) -> CheckpointTuple:
        body = self.serde.loads_typed((stored.body.kind, stored.body.data))
        values = {channel.name: self._value(channel) for channel in stored.channels}
        parent = stored.parent_id
        return CheckpointTuple(
            config=self._config(stored.thread, stored.id),
            checkpoint=cast("Checkpoint", {**body, "channel_values": values}),
            metadata=cast("CheckpointMetadata", stored.metadata),
            parent_config=None if parent is None else self._config(stored.thread, parent),
            pending_writes=[
                (
                    write.task_id,
                    write.channel,
                    self.serde.loads_typed((write.value.kind, write.value.data)),
                )
                for write in stored.writes
            ],
        )

    def _conditions(
        self,
        config: RunnableConfig | None,
        metadata: dict[str, Any] | None,
        before: RunnableConfig | None,
    ) -> dict[str, Any]:
        named = (config or {}).get("configurable", {})
        thread_id = named.get("thread_id")
        return {
            "user_id": self._user(config),
            "thread_id": None if thread_id is None else str(thread_id),
            "namespace": named.get("checkpoint_ns"),
            "checkpoint_id": named.get("checkpoint_id"),
            "before": None if before is None else get_checkpoint_id(before),
            "metadata": metadata,
        }

    def _thread(self, config: RunnableConfig) -> Thread:
        named = config.get("configurable", {})
        return Thread(
            user_id=self._user(config),
            thread_id=str(named["thread_id"]),
            namespace=named.get("checkpoint_ns", ""),
        )

    def _user(self, config: RunnableConfig | None) -> str:
        named: str | None = (config or {}).get("configurable", {}).get("user_id")
        if self._user_id is None and named is None:
            raise InvalidInputError(
                "A checkpoint belongs to a user: give `LongtermSaver` a user_id, or the config one "
                "in `configurable`, or take `saver.for_user(user_id)`."
            )
        if None not in (self._user_id, named) and self._user_id != named:
            raise InvalidInputError("user_id in the config is not the user of this saver.")
        return cast("str", self._user_id or named)

    def _config(self, thread: Thread, checkpoint_id: str) -> RunnableConfig:
        named = {
            "thread_id": thread.thread_id,
            "checkpoint_ns": thread.namespace,
            "checkpoint_id": checkpoint_id,
        }
        return {"configurable": named if self._user_id else {**named, "user_id": thread.user_id}}


_Tuples = list[CheckpointTuple]


def _texts(ids: Sequence[str]) -> list[str]:
    # LangGraph takes UUIDs and numbers too.
    return [str(id_) for id_ in ids]


def _parts(value: Sequence[Any]) -> list[Sequence[Any]]:
    return [value[start : start + _PIECE] for start in range(0, len(value), _PIECE)]


def _pages(limit: int | None) -> Iterator[tuple[int, int]]:
    """Offsets and sizes of pages, up to a limit where there is one."""
    offset = 0
    while limit is None or offset < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - offset)
        yield offset, size
        offset += size
