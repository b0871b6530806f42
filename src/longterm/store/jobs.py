"""The queue: one row for each task and key that has something to do."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from longterm.observe import trace
from longterm.postgres.transaction import Conn
from longterm.records.job import Job, JobState, NewJob

COLUMNS = """
    tenant_id, task, key, user_id, state, requested, attempts, due_at, last_error, traceparent
"""

# A part of other statements, whose first part is named `conversation`: the job is queued if and
# only if the write takes place. Updating a job that is there also locks it, so that no worker
# takes it and finishes before what it should have seen is committed. Of those who ask for the
# same job, the last one's trace is kept.
QUEUED = """queued AS (
        INSERT INTO jobs (tenant_id, task, key, user_id, traceparent)
        SELECT %(tenant_id)s, %(task)s, id::text, %(user_id)s, %(traceparent)s
          FROM conversation
            ON CONFLICT (tenant_id, task, key) DO UPDATE
           SET requested = jobs.requested + 1,
               due_at = CASE WHEN jobs.state = 'running' THEN jobs.due_at
                             ELSE least(jobs.due_at, excluded.due_at) END,
               attempts = CASE WHEN jobs.state = 'dead' THEN 0 ELSE jobs.attempts END,
               state = CASE WHEN jobs.state = 'dead' THEN 'queued' ELSE jobs.state END,
               traceparent = coalesce(excluded.traceparent, jobs.traceparent)
    )"""

QUEUE = """
    INSERT INTO jobs (tenant_id, task, key, user_id, due_at, traceparent)
    VALUES (%(tenant_id)s, %(task)s, %(key)s, %(user_id)s, now() + %(delay)s, %(traceparent)s)
        ON CONFLICT (tenant_id, task, key) DO NOTHING
"""

# As `QUEUED`, for a job that follows from another.
REQUEST = """
    INSERT INTO jobs (tenant_id, task, key, user_id, traceparent)
    VALUES (%(tenant_id)s, %(task)s, %(key)s, %(user_id)s, %(traceparent)s)
        ON CONFLICT (tenant_id, task, key) DO UPDATE
       SET requested = jobs.requested + 1,
           due_at = CASE WHEN jobs.state = 'running' THEN jobs.due_at
                         ELSE least(jobs.due_at, excluded.due_at) END,
           attempts = CASE WHEN jobs.state = 'dead' THEN 0 ELSE jobs.attempts END,
           state = CASE WHEN jobs.state = 'dead' THEN 'queued' ELSE jobs.state END,
           traceparent = coalesce(excluded.traceparent, jobs.traceparent)
"""

# Due are queued jobs whose time has come, and running ones whose lease is over.
CLAIM = f"""
    UPDATE jobs
       SET state = 'running',
           attempts = attempts + 1,
           due_at = now() + %(lease)s
     WHERE (tenant_id, task, key) IN (
               SELECT tenant_id, task, key
                 FROM jobs
                WHERE state <> 'dead'
                  AND due_at <= now()
                  AND task = ANY(%(tasks)s)
                ORDER BY due_at
                LIMIT %(limit)s
                  FOR UPDATE SKIP LOCKED)
 RETURNING {COLUMNS}
"""

# The number of the attempt tells whether the lease is still ours.
EXTEND = """
    UPDATE jobs
       SET due_at = now() + %(lease)s
     WHERE tenant_id = %(job_tenant)s
       AND task = %(task)s
       AND key = %(key)s
       AND state = 'running'
       AND attempts = %(attempts)s
"""

FINISH = """
    DELETE FROM jobs
     WHERE tenant_id = %(job_tenant)s
       AND task = %(task)s
       AND key = %(key)s
       AND state = 'running'
       AND attempts = %(attempts)s
       AND requested = %(requested)s
"""

RETURN = """
    UPDATE jobs
       SET state = %(state)s,
           attempts = %(left_attempts)s,
           due_at = now() + %(delay)s,
           last_error = %(last_error)s
     WHERE tenant_id = %(job_tenant)s
       AND task = %(task)s
       AND key = %(key)s
       AND state = 'running'
       AND attempts = %(attempts)s
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM jobs
     WHERE (%(state)s::text IS NULL OR state = %(state)s)
     ORDER BY due_at, tenant_id, task, key
     LIMIT %(limit)s
"""

RETRY_DEAD = """
    UPDATE jobs
       SET state = 'queued',
           attempts = 0,
           due_at = now()
     WHERE state = 'dead'
       AND (%(job_tenant)s::bigint IS NULL OR tenant_id = %(job_tenant)s)
       AND (%(task)s::text IS NULL OR task = %(task)s)
       AND (%(key)s::text IS NULL OR key = %(key)s)
"""

DEPTH = """
    SELECT json_object_agg(state, jobs)
      FROM (SELECT state, count(*) AS jobs
              FROM jobs
             GROUP BY state) AS counted
"""

LAG = """
    SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8
      FROM jobs
     WHERE state <> 'dead'
       AND due_at <= now()
"""

NOW = timedelta(0)
SOON = timedelta(seconds=30)


async def queue(conn: Conn, job: NewJob, *, delay: timedelta = NOW) -> bool:
    """Queue a job unless it is there already; tells whether it was new."""
    touched = await conn.run(QUEUE, **_asked(job), delay=delay)
    return touched > 0


async def request(conn: Conn, job: NewJob) -> None:
    """Queue a job, or tell the one that is there that it has to look once more."""
    await conn.run(REQUEST, **_asked(job))


async def claim(conn: Conn, *, tasks: Sequence[str], limit: int, lease: timedelta) -> list[Job]:
    """Take up to `limit` due jobs for as long as the lease lasts."""
    return await conn.all(Job, CLAIM, tasks=list(tasks), limit=limit, lease=lease)


async def extend(conn: Conn, job: Job, *, lease: timedelta) -> bool:
    """Keep a job for another lease; False when somebody else has it by now."""
    return await conn.run(EXTEND, **_claimed(job), lease=lease) > 0


async def finish(conn: Conn, job: Job) -> None:
    """Take a job out of the queue, or back to its end when it was asked for again meanwhile."""
    if not await conn.run(FINISH, **_claimed(job), requested=job.requested):
        await give_back(conn, job, state="queued", attempts=0, delay=NOW, error=None)


async def give_back(
    conn: Conn, job: Job, *, state: JobState, attempts: int, delay: timedelta, error: str | None
) -> None:
    """Put a job back that is not done: to try again after `delay`, or never."""
    await conn.run(
        RETURN,
        **_claimed(job),
        state=state,
        left_attempts=attempts,
        delay=delay,
        last_error=error,
    )


async def list_(conn: Conn, *, state: JobState | None, limit: int) -> list[Job]:
    """Jobs of all tenants, the ones due first at the top."""
    return await conn.all(Job, LIST, state=state, limit=limit)


async def retry_dead(
    conn: Conn, *, tenant_id: int | None, task: str | None, key: str | None
) -> int:
    """Queue dead jobs once more, and tell how many."""
    return await conn.run(RETRY_DEAD, job_tenant=tenant_id, task=task, key=key)


async def depth(conn: Conn) -> dict[str, int]:
    """How many jobs there are, by state."""
    return await conn.value(DEPTH) or {}


async def lag_s(conn: Conn) -> float:
    """For how many seconds the oldest due job has been waiting."""
    return await conn.value(LAG)


def _asked(job: NewJob) -> dict[str, Any]:
    return {
        "task": job.task,
        "key": job.key,
        "user_id": job.user_id,
        "traceparent": trace.header(),
    }


def _claimed(job: Job) -> dict[str, Any]:
    return {
        "job_tenant": job.tenant_id,
        "task": job.task,
        "key": job.key,
        "attempts": job.attempts,
    }
