"""Checkpoints: the states of a graph's threads, kept for LangGraph.

They are bytes of a framework and no memory: hence no part of `AsyncTenant`, and no door of HTTP.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.checkpoint import Checkpoint, NewCheckpoint, Thread, Write
from longterm.records.json import JsonObject
from longterm.store import checkpoint_threads, checkpoints, users

# Namespaces name the way through nested graphs.
_MAX_NAMESPACE = 1000


class Checkpoints(Operations):
    """Puts, gets, lists, copies and deletes checkpoints of a tenant's users."""

    @classmethod
    def of(cls, tenant: Operations) -> Self:
        """Return the checkpoints of the same scope."""
        return cls(tenant._parts, tenant._scope)  # noqa: SLF001

    async def put(self, new: NewCheckpoint) -> None:
        """Store a checkpoint, and of its channels what is not stored yet."""
        thread = _thread(new.thread)
        inputs.json_object(new.metadata, "metadata", limits=self._rules.limits)
        checked = replace(new, thread=thread, id=inputs.name(new.id, "checkpoint_id"))
        with self._operation("put_checkpoint", user_id=thread.user_id):
            async with self._transaction() as conn:
                await users.ensure(conn, thread.user_id)
                await checkpoints.put(conn, checked)

    async def put_writes(self, thread: Thread, checkpoint_id: str, writes: Sequence[Write]) -> None:
        """Store what tasks of a step have written."""
        thread = _thread(thread)
        checkpoint_id = inputs.name(checkpoint_id, "checkpoint_id")
        with self._operation("put_checkpoint_writes", user_id=thread.user_id):
            async with self._transaction() as conn:
                await checkpoints.put_writes(
                    conn, thread, checkpoint_id=checkpoint_id, writes=writes
                )

    async def get(self, thread: Thread, checkpoint_id: str | None = None) -> Checkpoint | None:
        """One checkpoint of a thread; the newest one where no id is given."""
        thread, checkpoint_id = _thread(thread), _given(checkpoint_id, "checkpoint_id")
        with self._operation("get_checkpoint", user_id=thread.user_id):
            async with self._transaction() as conn:
                return await checkpoints.get(conn, thread, id_=checkpoint_id)

    async def page(
        self,
        user_id: str,
        *,
        thread_id: str | None = None,
        namespace: str | None = None,
        checkpoint_id: str | None = None,
        before: str | None = None,
        metadata: JsonObject | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Checkpoint]:
        """Checkpoints of a user that have all of this, newest first."""
        user_id, limit, offset = inputs.user_id(user_id), inputs.limit(limit), inputs.offset(offset)
        thread_id, before = _given(thread_id, "thread_id"), _given(before, "before")
        namespace = namespace and _given(namespace, "namespace", longest=_MAX_NAMESPACE)
        checkpoint_id = _given(checkpoint_id, "checkpoint_id")
        metadata = inputs.metadata(metadata, limits=self._rules.limits)
        with self._operation("list_checkpoints", user_id=user_id):
            async with self._transaction() as conn:
                return await checkpoints.list_(
                    conn,
                    user_id=user_id,
                    thread_id=thread_id,
                    namespace=namespace,
                    id_=checkpoint_id,
                    before=before,
                    metadata=metadata,
                    limit=limit,
                    offset=offset,
                )

    async def delete(self, user_id: str, thread_id: str | None = None) -> int:
        """Delete a thread, or all of a user's, and tell how many checkpoints that were."""
        user_id = inputs.user_id(user_id)
        thread_id = _given(thread_id, "thread_id")
        with self._operation("delete_checkpoints", user_id=user_id):
            async with self._transaction() as conn:
                return await checkpoint_threads.delete(conn, user_id=user_id, thread_id=thread_id)

    async def delete_runs(self, user_id: str, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that some runs have made."""
        user_id = inputs.user_id(user_id)
        runs = [inputs.name(run_id, "run_id") for run_id in run_ids]
        with self._operation("delete_checkpoints", user_id=user_id):
            async with self._transaction() as conn:
                await checkpoint_threads.delete_runs(conn, user_id=user_id, run_ids=runs)

    async def keep_latest(self, user_id: str, thread_ids: Sequence[str]) -> None:
        """Delete all checkpoints of some threads but the newest one of each namespace."""
        user_id = inputs.user_id(user_id)
        threads = [inputs.name(thread_id, "thread_id") for thread_id in thread_ids]
        with self._operation("prune_checkpoints", user_id=user_id):
            async with self._transaction() as conn:
                await checkpoint_threads.keep_latest(conn, user_id=user_id, thread_ids=threads)

    async def copy(self, user_id: str, source: str, target: str) -> None:
        """Put all of a thread into another one of the same user."""
        user_id = inputs.user_id(user_id)
        source, target = inputs.name(source, "thread_id"), inputs.name(target, "thread_id")
        with self._operation("copy_checkpoints", user_id=user_id):
            async with self._transaction() as conn:
                await checkpoint_threads.copy(conn, user_id=user_id, source=source, target=target)


def _given(value: str | None, what: str, *, longest: int = inputs.MAX_ID_LENGTH) -> str | None:
    return None if value is None else inputs.name(value, what, longest=longest)


def _thread(given: Thread) -> Thread:
    namespace = given.namespace
    return Thread(
        user_id=inputs.user_id(given.user_id),
        thread_id=inputs.name(given.thread_id, "thread_id"),
        namespace=namespace and inputs.name(namespace, "namespace", longest=_MAX_NAMESPACE),
    )
