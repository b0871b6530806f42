"""The tasks that jobs ask for; each can run twice with the result of once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from longterm.memory.operations import Parts
from longterm.memory.retention import cleanup_all
from longterm.memory.tenant import AsyncTenant
from longterm.records.job import CLEANUP, DIGEST, EMBED, LEARN, REEMBED, SETTLE, Job
from longterm.records.scope import Scope

# An answer may take minutes.
_ANSWER_UNDER_WAY = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to do for a job, how often to try, and how often to do it without being asked.

    `run` returns how long the job has to wait before it runs once more, or None when it is done.
    A slow one waits for others: a model that takes a minute must not keep all places.
    """

    name: str
    run: Callable[[Parts, Job], Awaitable[timedelta | None]]
    max_attempts: int = 8
    every: timedelta | None = None
    slow: bool = False


def all_tasks(*, cleanup_every: timedelta) -> dict[str, Task]:
    """Return every task by its name."""
    tasks = (
        Task(name=DIGEST, run=_digest),
        Task(name=EMBED, run=_embed),
        Task(name=LEARN, run=_learn, slow=True),
        Task(name=REEMBED, run=_reembed, slow=True),
        Task(name=SETTLE, run=_settle),
        Task(name=CLEANUP, run=_cleanup, every=cleanup_every),
    )
    return {task.name: task for task in tasks}


async def _digest(parts: Parts, job: Job) -> None:
    await AsyncTenant(parts, Scope(job.tenant_id)).index(job.key)


async def _learn(parts: Parts, job: Job) -> None:
    await AsyncTenant(parts, Scope(job.tenant_id)).learn(job.key)


async def _embed(parts: Parts, job: Job) -> None:
    await AsyncTenant(parts, Scope(job.tenant_id)).embed(job.key)


async def _reembed(parts: Parts, job: Job) -> None:
    await AsyncTenant(parts, Scope(job.tenant_id)).reembed()


async def _settle(parts: Parts, job: Job) -> timedelta | None:
    under_way = await AsyncTenant(parts, Scope(job.tenant_id)).settle(job.key)
    return _ANSWER_UNDER_WAY if under_way else None


async def _cleanup(parts: Parts, _: Job) -> None:
    await cleanup_all(parts)
