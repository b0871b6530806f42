"""The loop of a worker: claim, run, finish or give back."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from functools import partial

from longterm.errors import LongtermError, UnavailableError
from longterm.memory.operations import Parts
from longterm.observe import log, trace
from longterm.records.job import Job, NewJob, back_off_s
from longterm.records.scope import SYSTEM_TENANT, Scope
from longterm.store import jobs
from longterm.worker.tasks import Task

LEASE = timedelta(seconds=60)
POLL_S = 1.0

_log = log.get_logger(__name__)


class Worker:
    """Runs due jobs, some at a time; many workers can share one queue."""

    def __init__(
        self,
        parts: Parts,
        tasks: Mapping[str, Task],
        *,
        wake: asyncio.Event,
        concurrency: int = 4,
        lease: timedelta = LEASE,
        poll_s: float = POLL_S,
    ) -> None:
        self._parts = parts
        self._tasks = tasks
        self._wake = wake
        self._concurrency = concurrency
        self._lease = lease
        self._poll_s = poll_s
        self._running: dict[asyncio.Task[None], str] = {}
        self._stopping = False

    async def run(self) -> None:
        """Work until `stop`; a database that is away is waited for."""
        await self._until_available(self._schedule, patience_s=math.inf)
        while not self._stopping:
            self._wake.clear()
            claimed = await self._claim(self._concurrency - len(self._running))
            for job in claimed:
                self._start(job)
            if not claimed or len(self._running) >= self._concurrency:
                await self._wait()
        await self.finish()

    async def finish(self) -> None:
        """Wait for the jobs under way."""
        if self._running:
            await asyncio.wait(set(self._running))

    def stop(self) -> None:
        """Take no more jobs, and let the ones under way come to their end."""
        self._stopping = True
        self._wake.set()

    async def drain(self) -> int:
        """Run everything that is due now, and tell how many jobs that were."""
        done = 0
        while claimed := await self._claim(self._concurrency):
            await asyncio.gather(*(self._run_job(job) for job in claimed))
            done += len(claimed)
        return done

    async def _schedule(self) -> None:
        async with self._parts.database.tenant(Scope(SYSTEM_TENANT)) as conn:
            for task in self._tasks.values():
                if task.every is not None:
                    await jobs.queue(conn, NewJob(task=task.name, key=""), delay=task.every)

    async def _claim(self, limit: int) -> list[Job]:
        if limit < 1:
            return []
        try:
            async with self._parts.database.system() as conn:
                return await jobs.claim(conn, tasks=self._wanted(), limit=limit, lease=self._lease)
        except UnavailableError as error:
            if self._stopping:
                return []
            _log.warning("no jobs to be had", error=str(error))
            return []

    def _wanted(self) -> list[str]:
        """The tasks that may begin now: slow ones leave a place for the others."""
        most = max(self._concurrency - 1, 1)
        busy = Counter(self._running.values())
        return [
            task.name for task in self._tasks.values() if not task.slow or busy[task.name] < most
        ]

    def _start(self, job: Job) -> None:
        running = asyncio.create_task(self._run_job(job), name=f"{job.task} {job.key}")
        self._running[running] = job.task
        running.add_done_callback(self._ended)

    def _ended(self, running: "asyncio.Task[None]") -> None:
        self._running.pop(running, None)
        self._wake.set()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._poll_s):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _run_job(self, job: Job) -> None:
        # What nobody's trace asked for begins one here: its lines, and what it asks for in turn,
        # belong together.
        begun = self._parts.tracer.begin(job.task, trace.read(job.traceparent), kind="consumer")
        told = {"tenant": job.tenant_id, "user": job.user_id, "attempt": job.attempts}
        with log.context(task=job.task, operation=job.task, **told), begun as step:
            step.note({"tenant": job.tenant_id, "attempt": job.attempts})
            heartbeat = asyncio.create_task(self._keep(job))
            try:
                wait = await self._tasks[job.task].run(self._parts, job)
            except Exception as error:  # noqa: BLE001
                # The boundary of a job: whatever it was, the job is tried again or kept as dead.
                await self._until_available(partial(self._failed, job, error))
            else:
                ended = self._succeeded if wait is None else partial(self._deferred, wait)
                await self._until_available(partial(ended, job))
            finally:
                heartbeat.cancel()

    async def _keep(self, job: Job) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            try:
                async with self._parts.database.system() as conn:
                    await jobs.extend(conn, job, lease=self._lease)
            except UnavailableError as error:
                _log.warning("lease not extended", error=str(error))

    async def _succeeded(self, job: Job) -> None:
        every = self._tasks[job.task].every
        async with self._parts.database.system() as conn:
            if every is not None and job.tenant_id == SYSTEM_TENANT:
                await jobs.give_back(conn, job, state="queued", attempts=0, delay=every, error=None)
            else:
                await jobs.finish(conn, job)
        self._parts.metrics.jobs_run.labels(job.task, "done").inc()

    async def _deferred(self, wait: timedelta, job: Job) -> None:
        # To wait is no failure: the attempt does not count.
        async with self._parts.database.system() as conn:
            await jobs.give_back(
                conn, job, state="queued", attempts=job.attempts - 1, delay=wait, error=None
            )
        self._parts.metrics.jobs_run.labels(job.task, "deferred").inc()

    async def _failed(self, job: Job, error: Exception) -> None:
        # What is away comes back some day; only a defect is given up.
        away = isinstance(error, UnavailableError)
        dead = not away and job.attempts >= self._tasks[job.task].max_attempts
        async with self._parts.database.system() as conn:
            await jobs.give_back(
                conn,
                job,
                state="dead" if dead else "queued",
                attempts=job.attempts,
                delay=_delay(job, error),
                error=_told(error),
            )
        self._parts.metrics.jobs_run.labels(job.task, "dead" if dead else "retry").inc()
        _log.error("job failed", error=_told(error), dead=dead)

    async def _until_available(
        self, attempt: Callable[[], Awaitable[None]], *, patience_s: float | None = None
    ) -> None:
        """Try until the database is back; given up when we are to stop, or the lease runs out.

        Then the job is run once more: every task can bear that.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + (patience_s or self._lease.total_seconds())
        while True:
            try:
                return await attempt()
            except UnavailableError as error:
                _log.warning("database away", error=str(error))
            if self._stopping or loop.time() > deadline:
                return None
            await asyncio.sleep(self._poll_s)


def _delay(job: Job, error: Exception) -> timedelta:
    wanted = error.retry_after_s if isinstance(error, UnavailableError) else None
    return timedelta(seconds=back_off_s(job.attempts) if wanted is None else wanted)


def _told(error: Exception) -> str:
    # Only our own errors are sure to hold nothing that a user said.
    if isinstance(error, LongtermError):
        return f"{type(error).__name__}: {error}"[:500]
    return type(error).__name__
