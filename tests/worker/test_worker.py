"""§3 "nothing lost between the steps": jobs are retried, are idempotent, and survive a crash."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from longterm import AsyncTenant, InvalidInputError
from longterm.memory.operations import Parts
from longterm.postgres.pool import Database
from longterm.records.job import SETTLE, Job, NewJob, back_off_s
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import jobs, messages
from longterm.worker.loop import Worker
from longterm.worker.tasks import Task, all_tasks
from tests.outside import UNDER_WAY

_names = itertools.count()
Run = Callable[[Parts, Job], Awaitable[None]]


@pytest.fixture
def task_name() -> str:
    """A task of this test alone: the queue is everybody's."""
    return f"task-{next(_names)}"


def a_worker(runtime: Runtime, task: Task, **options: object) -> Worker:
    return Worker(runtime.parts, {task.name: task}, wake=asyncio.Event(), **options)  # pyright: ignore[reportArgumentType]


async def queue(runtime: Runtime, tenant_id: int, task: str, key: str = "k") -> None:
    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await jobs.queue(conn, NewJob(task=task, key=key))


async def job_row(raw: psycopg.AsyncConnection, task: str) -> tuple[object, ...] | None:
    cursor = await raw.execute(
        "SELECT state, attempts, last_error FROM jobs WHERE task = %s", [task]
    )
    return await cursor.fetchone()


async def make_due(raw: psycopg.AsyncConnection, task: str) -> None:
    await raw.execute("UPDATE jobs SET due_at = now() WHERE task = %s", [task])


async def test_a_message_and_its_job_are_one_transaction(
    runtime: Runtime, mem: AsyncTenant, raw: psycopg.AsyncConnection, tenant_id: int
) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "hello")
    cursor = await raw.execute(
        "SELECT task, key, user_id FROM jobs WHERE tenant_id = %s", [tenant_id]
    )
    queued = await cursor.fetchall()

    async def write_and_fail() -> None:
        async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
            await messages.append_turn(
                conn,
                user_id="ada",
                conversation_id=conversation.id,
                query="q",
                response="r",
                metadata={},
            )
            raise InvalidInputError

    with pytest.raises(InvalidInputError):
        await write_and_fail()

    cursor = await raw.execute("SELECT requested FROM jobs WHERE tenant_id = %s", [tenant_id])
    assert queued == [("digest", conversation.id, "ada")]
    assert await cursor.fetchall() == [(1,)]
    assert await mem.count_messages("ada") == 1


async def test_a_job_that_succeeds_leaves_the_queue(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    seen: list[str] = []

    async def run(_: Parts, job: Job) -> None:
        seen.append(job.key)

    await queue(runtime, tenant_id, task_name)
    await queue(runtime, tenant_id, task_name)

    done = await a_worker(runtime, Task(name=task_name, run=run)).drain()

    assert (done, seen) == (1, ["k"])
    assert await job_row(raw, task_name) is None


async def test_a_job_that_has_to_wait_is_deferred_and_no_failure(
    runtime: Runtime,
    raw: psycopg.AsyncConnection,
    tenant_id: int,
    task_name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    waits = [timedelta(hours=1)] * 20

    async def run(_: Parts, __: Job) -> timedelta | None:
        return waits.pop() if waits else None

    worker = a_worker(runtime, Task(name=task_name, run=run, max_attempts=2))
    await queue(runtime, tenant_id, task_name)
    with caplog.at_level(logging.WARNING):
        await worker.drain()
        left = [await job_row(raw, task_name)]
        while waits:
            await make_due(raw, task_name)
            await worker.drain()
        left.append(await job_row(raw, task_name))
        await make_due(raw, task_name)
        done = await worker.drain()

    assert left == [("queued", 0, None)] * 2
    assert (done, await job_row(raw, task_name)) == (1, None)
    assert caplog.records == []


async def test_an_answer_under_way_is_looked_at_again_without_a_failure(
    runtime: Runtime,
    raw: psycopg.AsyncConnection,
    mem: AsyncTenant,
    tenant_id: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    question = await mem.add_message("ada", "user", "How long does this take?")
    values = {"tenant_id": tenant_id, "question_id": question, "user_id": "ada"}
    await raw.execute(UNDER_WAY, values)
    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await jobs.queue(conn, NewJob(task=SETTLE, key=str(question), user_id="ada"))
    tasks = all_tasks(cleanup_every=timedelta(hours=1))
    worker = a_worker(runtime, tasks[SETTLE])

    with caplog.at_level(logging.WARNING):
        await worker.drain()
    row = "SELECT state, attempts, last_error FROM jobs WHERE tenant_id = %s AND task = %s"
    waiting = await (await raw.execute(row, [tenant_id, SETTLE])).fetchone()
    await raw.execute("DELETE FROM answers WHERE tenant_id = %s", [tenant_id])
    await make_due(raw, SETTLE)
    await worker.drain()

    assert waiting == ("queued", 0, None)
    # Other parts of the process may log at the same time.
    assert [record for record in caplog.records if "worker" in record.name] == []
    assert await (await raw.execute(row, [tenant_id, SETTLE])).fetchone() is None


async def test_a_job_that_fails_is_tried_again_later_and_then_kept_as_dead(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    async def run(_: Parts, job: Job) -> None:
        raise InvalidInputError(f"attempt {job.attempts}")

    worker = a_worker(runtime, Task(name=task_name, run=run, max_attempts=12))
    await queue(runtime, tenant_id, task_name)
    # Ten times in vain: the next attempt is some minutes away, and not two seconds.
    await raw.execute("UPDATE jobs SET attempts = 10 WHERE task = %s", [task_name])

    assert await worker.drain() == 1
    assert await job_row(raw, task_name) == ("queued", 11, "InvalidInputError: attempt 11")
    assert await worker.drain() == 0

    await make_due(raw, task_name)
    assert await worker.drain() == 1
    assert await job_row(raw, task_name) == ("dead", 12, "InvalidInputError: attempt 12")

    await make_due(raw, task_name)
    assert await worker.drain() == 0


async def test_dead_jobs_can_be_listed_and_retried(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    failing = [True]

    async def run(_: Parts, __: Job) -> None:
        if failing:
            raise InvalidInputError

    worker = a_worker(runtime, Task(name=task_name, run=run, max_attempts=1))
    await queue(runtime, tenant_id, task_name)
    await worker.drain()
    failing.clear()

    async with runtime.parts.database.system() as conn:
        dead = await jobs.list_(conn, state="dead", limit=1000)
        retried = await jobs.retry_dead(conn, tenant_id=tenant_id, task=None, key=None)

    assert [job.key for job in dead if job.task == task_name] == ["k"]
    assert retried == 1
    assert await worker.drain() == 1
    assert await job_row(raw, task_name) is None


async def test_an_unexpected_error_is_told_without_its_words(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    async def run(_: Parts, __: Job) -> None:
        raise ValueError("what the user said")

    await queue(runtime, tenant_id, task_name)
    await a_worker(runtime, Task(name=task_name, run=run, max_attempts=1)).drain()

    assert await job_row(raw, task_name) == ("dead", 1, "ValueError")


async def test_a_job_asked_for_while_it_runs_runs_once_more(
    mem: AsyncTenant, runtime: Runtime
) -> None:
    runs: list[str] = []
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "one")

    async def run(_: Parts, job: Job) -> None:
        if job.key != conversation.id:
            return
        runs.append(job.key)
        if len(runs) == 1:
            await mem.add_message("ada", "user", "two")

    await a_worker(runtime, Task(name="digest", run=run)).drain()

    assert len(runs) == 2


async def test_no_worker_takes_a_job_before_the_write_it_follows_from_is_committed(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int
) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "one")

    async def due() -> list[str]:
        async with runtime.parts.database.system() as conn:
            claimed = await jobs.claim(
                conn, tasks=["digest"], limit=1000, lease=timedelta(seconds=0)
            )
        return [job.key for job in claimed]

    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        await messages.append_turn(
            conn,
            user_id="ada",
            conversation_id=conversation.id,
            query="q",
            response="r",
            metadata={},
        )
        meanwhile = await due()
    afterwards = await due()

    assert conversation.id not in meanwhile
    assert conversation.id in afterwards


async def test_the_job_of_a_worker_that_died_is_taken_over_and_the_dead_one_can_not_finish_it(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    await queue(runtime, tenant_id, task_name)
    no_time = timedelta(seconds=0)

    async with runtime.parts.database.system() as conn:
        (first,) = await jobs.claim(conn, tasks=[task_name], limit=1, lease=no_time)
    async with runtime.parts.database.system() as conn:
        (second,) = await jobs.claim(conn, tasks=[task_name], limit=1, lease=timedelta(hours=1))
    async with runtime.parts.database.system() as conn:
        third = await jobs.claim(conn, tasks=[task_name], limit=1, lease=no_time)
        await jobs.finish(conn, first)

    assert (first.attempts, second.attempts, third) == (1, 2, [])
    assert await job_row(raw, task_name) == ("running", 2, None)


async def test_a_long_job_keeps_its_lease(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    ends: list[datetime] = []

    async def run(_: Parts, job: Job) -> None:
        # Until it was put off twice: nobody takes what is not due.
        async with asyncio.timeout(60):
            while len(ends) < 3:
                cursor = await raw.execute("SELECT due_at FROM jobs WHERE task = %s", [task_name])
                found = await cursor.fetchone()
                if found is not None and found[0] not in ends:
                    ends.append(found[0])
                await asyncio.sleep(0.01)

    await queue(runtime, tenant_id, task_name)
    lease = timedelta(seconds=0.3)
    done = await a_worker(runtime, Task(name=task_name, run=run), lease=lease).drain()

    assert done == 1
    assert ends == sorted(ends)
    assert await job_row(raw, task_name) is None


async def test_many_workers_share_the_queue_and_run_each_job_once(
    runtime: Runtime, tenant_id: int, task_name: str
) -> None:
    seen: list[str] = []

    async def run(_: Parts, job: Job) -> None:
        seen.append(job.key)
        await asyncio.sleep(0)

    for number in range(60):
        await queue(runtime, tenant_id, task_name, key=str(number))

    workers = [a_worker(runtime, Task(name=task_name, run=run)) for _ in range(4)]
    done = await asyncio.gather(*(worker.drain() for worker in workers))

    assert sum(done) == 60
    assert sorted(seen, key=int) == [str(number) for number in range(60)]


async def test_a_periodic_task_is_run_by_one_of_many_workers_and_comes_back(
    runtime: Runtime, raw: psycopg.AsyncConnection, task_name: str
) -> None:
    """b4"""
    runs: list[str] = []

    async def run(_: Parts, job: Job) -> None:
        runs.append(job.task)

    task = Task(name=task_name, run=run, every=timedelta(hours=6))
    workers = [a_worker(runtime, task, poll_s=0.01) for _ in range(3)]
    running = [asyncio.create_task(worker.run()) for worker in workers]
    while await job_row(raw, task_name) is None:
        await asyncio.sleep(0.01)
    await make_due(raw, task_name)
    while not runs:
        await asyncio.sleep(0.01)
    for worker in workers:
        worker.stop()
    await asyncio.gather(*running)

    cursor = await raw.execute(
        "SELECT state, due_at > now() + interval '5 hours' FROM jobs WHERE task = %s", [task_name]
    )
    assert runs == [task_name]
    assert await cursor.fetchall() == [("queued", True)]


async def test_a_worker_lives_through_lost_connections(
    runtime: Runtime, raw: psycopg.AsyncConnection, conninfo: str, tenant_id: int, task_name: str
) -> None:
    # Connections of its own: those of everybody else are not to be lost.
    own = Database(make_conninfo(conninfo, application_name=task_name))
    await own.open()
    seen: list[str] = []

    async def run(_: Parts, job: Job) -> None:
        seen.append(job.key)

    parts, task = replace(runtime.parts, database=own), Task(name=task_name, run=run)
    worker = Worker(parts, {task_name: task}, wake=asyncio.Event(), poll_s=0.01)
    running = asyncio.create_task(worker.run())
    cursor = await raw.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
        [task_name],
    )
    lost = await cursor.fetchall()
    await raw.execute(
        "INSERT INTO jobs (tenant_id, task, key) VALUES (%s, %s, 'k')", [tenant_id, task_name]
    )
    while not seen:
        await asyncio.sleep(0.01)
    worker.stop()
    await running
    await own.close()

    assert lost
    assert seen == ["k"]


async def test_stop_lets_the_job_under_way_come_to_its_end(
    runtime: Runtime, raw: psycopg.AsyncConnection, tenant_id: int, task_name: str
) -> None:
    started, finished = asyncio.Event(), asyncio.Event()

    async def run(_: Parts, __: Job) -> None:
        started.set()
        await asyncio.sleep(0.05)
        finished.set()

    worker = a_worker(runtime, Task(name=task_name, run=run), poll_s=0.01)
    await queue(runtime, tenant_id, task_name)
    running = asyncio.create_task(worker.run())
    await started.wait()
    worker.stop()
    await running

    assert finished.is_set()
    assert await job_row(raw, task_name) is None


def test_back_off_grows_and_is_bounded() -> None:
    waits = [back_off_s(attempts) for attempts in (1, 3, 6, 500)]

    assert waits == sorted(waits)
    assert waits[-1] <= 3600 * 1.2
