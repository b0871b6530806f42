"""How memory is doing, in numbers by day; each read is bounded by days, by rows or by facts."""

from datetime import date, timedelta

from longterm.postgres.transaction import Conn
from longterm.records.insight import Failure, MemoryDay, MessageDay, Queue, Stage, UsageDay

_OF_USER = "(%(user_id)s::text IS NULL OR user_id = %(user_id)s)"

# A range of the index for each day: GROUP BY sorts, on disk, because nobody knows how few days there
# are. With 100,000 messages in 30 days that takes 110 ms, and this 70 ms, mostly for the roles; to
# have those in the index as well, for 30 ms, every message would pay.
MESSAGES_OF_USER = """
    SELECT day::date AS day, counted."user", counted.assistant
      FROM generate_series(%(since)s::timestamp, now() AT TIME ZONE 'UTC', interval '1 day') AS day
     CROSS JOIN LATERAL
           (SELECT count(*) FILTER (WHERE role = 'user') AS "user",
                   count(*) FILTER (WHERE role = 'assistant') AS assistant
              FROM messages
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
               AND said_at >= day AT TIME ZONE 'UTC'
               AND said_at < (day + interval '1 day') AT TIME ZONE 'UTC'
               AND archived_at IS NULL) AS counted
     WHERE counted."user" + counted.assistant > 0
     ORDER BY day
"""

# Of all users at once there is no such index.
MESSAGES = """
    SELECT (said_at AT TIME ZONE 'UTC')::date AS day,
           count(*) FILTER (WHERE role = 'user') AS user,
           count(*) FILTER (WHERE role = 'assistant') AS assistant
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND said_at >= %(since)s
       AND archived_at IS NULL
     GROUP BY day
     ORDER BY day
"""

# What was deleted for good left a line in the audit trail and nothing else.
MEMORY = f"""
      WITH moves AS (
        SELECT recorded_at AS at, (version = 1)::int AS added, 0 AS replaced, 0 AS deleted,
               1 AS held
          FROM facts
         WHERE tenant_id = %(tenant_id)s
           AND {_OF_USER}
         UNION ALL
        SELECT valid_to, 0, (closed IN ('replaced', 'ended'))::int,
               (closed NOT IN ('replaced', 'ended'))::int, -1
          FROM facts
         WHERE tenant_id = %(tenant_id)s
           AND {_OF_USER}
           AND valid_to IS NOT NULL
         UNION ALL
        SELECT at, 0, 0, 1, 0
          FROM audit
         WHERE tenant_id = %(tenant_id)s
           AND {_OF_USER}
           AND action = 'delete fact'
           AND at >= %(since)s
    ), days AS (
        SELECT greatest((at AT TIME ZONE 'UTC')::date, %(since)s::date - 1) AS day,
               sum(added) AS added, sum(replaced) AS replaced, sum(deleted) AS deleted,
               sum(held) AS held
          FROM moves
         WHERE at <= now()
         GROUP BY 1
    ), counted AS (
        SELECT day, added, replaced, deleted, sum(held) OVER (ORDER BY day) AS total
          FROM days
    )
    SELECT day, added::int, replaced::int, deleted::int, total::int
      FROM counted
     WHERE day >= %(since)s::date
     ORDER BY day
"""

_LAST = """
        SELECT said_at, metadata
          FROM messages
         WHERE tenant_id = %(tenant_id)s
           AND archived_at IS NULL
"""

_LAST_OF_USER = f"{_LAST} AND user_id = %(user_id)s ORDER BY said_at DESC, id DESC LIMIT 2000"
_LAST_OF_ALL = f"{_LAST} ORDER BY id DESC LIMIT 2000"

_STAGES = """
           key AS stage,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY value::float8) AS p50_ms,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY value::float8) AS p95_ms,
           count(*) AS n
      FROM last, json_each_text(last.metadata -> 'memories' -> 'timings_ms')
     WHERE said_at >= %(since)s
     GROUP BY key
     ORDER BY p50_ms DESC, key
"""

STAGES_OF_USER = f"WITH last AS MATERIALIZED ({_LAST_OF_USER}) SELECT {_STAGES}"
STAGES = f"WITH last AS MATERIALIZED ({_LAST_OF_ALL}) SELECT {_STAGES}"

# Models are counted by tenant: of a user, their answers tell.
USAGE_OF_USER = f"""
      WITH last AS MATERIALIZED ({_LAST_OF_USER})
    SELECT (said_at AT TIME ZONE 'UTC')::date AS day, metadata ->> 'model' AS model,
           'chat' AS purpose, count(*) AS calls,
           sum((metadata -> 'used' ->> 'prompt_tokens')::bigint)::bigint AS prompt_tokens,
           sum((metadata -> 'used' ->> 'answer_tokens')::bigint)::bigint AS answer_tokens
      FROM last
     WHERE said_at >= %(since)s
       AND metadata -> 'used' IS NOT NULL
     GROUP BY 1, 2
     ORDER BY 1, 2
"""

USAGE = """
    SELECT day, model, purpose, calls, prompt_tokens, answer_tokens
      FROM usage
     WHERE tenant_id = %(tenant_id)s
       AND day >= %(since)s::date
     ORDER BY day, model, purpose
"""

QUEUE = f"""
    SELECT count(*) FILTER (WHERE state = 'queued') AS queued,
           count(*) FILTER (WHERE state = 'running') AS running,
           count(*) FILTER (WHERE state = 'dead') AS dead,
           coalesce(extract(epoch FROM now() - min(due_at)
                    FILTER (WHERE state <> 'dead' AND due_at <= now())), 0)::float8 AS lag_s
      FROM jobs
     WHERE tenant_id = %(tenant_id)s
       AND {_OF_USER}
"""

FAILURES = f"""
    SELECT task, last_error AS error, attempts, due_at AS at
      FROM jobs
     WHERE tenant_id = %(tenant_id)s
       AND {_OF_USER}
       AND last_error IS NOT NULL
     ORDER BY due_at DESC, task, key
     LIMIT 20
"""

HYGIENE = f"""
    SELECT json_build_object(
               'duplicates', coalesce(sum(duplicates), 0),
               'stale', coalesce(sum(stale), 0),
               'unused', coalesce(sum(unused), 0),
               'refused', (SELECT count(*)
                             FROM ledger
                            WHERE tenant_id = %(tenant_id)s
                              AND {_OF_USER}
                              AND outcome = 'refused'
                              AND at >= %(since)s))
      FROM (SELECT count(*) - 1 AS duplicates,
                   count(*) FILTER (WHERE greatest(said_at, last_accessed_at)
                                          < now() - interval '1 year') AS stale,
                   count(*) FILTER (WHERE access_count = 0
                                      AND said_at < now() - interval '30 days') AS unused
              FROM facts
             WHERE tenant_id = %(tenant_id)s
               AND {_OF_USER}
               AND valid_to IS NULL
             GROUP BY user_id, fingerprint) AS alike
"""


async def messages_per_day(conn: Conn, *, user_id: str | None, since: date) -> list[MessageDay]:
    """How many messages each day had."""
    if user_id is None:
        return await conn.all(MessageDay, MESSAGES, since=since)
    return await conn.all(MessageDay, MESSAGES_OF_USER, user_id=user_id, since=since)


async def memory_per_day(conn: Conn, *, user_id: str | None, since: date) -> list[MemoryDay]:
    """What became of facts on the days on which something did."""
    return await conn.all(MemoryDay, MEMORY, user_id=user_id, since=since)


async def stages(conn: Conn, *, user_id: str | None, since: date) -> list[Stage]:
    """How long recall took in the last answers, the longest stage first."""
    if user_id is None:
        return await conn.all(Stage, STAGES, since=since)
    return await conn.all(Stage, STAGES_OF_USER, user_id=user_id, since=since)


async def usage(conn: Conn, *, user_id: str | None, since: date) -> list[UsageDay]:
    """What models were asked each day."""
    if user_id is None:
        return await conn.all(UsageDay, USAGE, since=since)
    return await conn.all(UsageDay, USAGE_OF_USER, user_id=user_id, since=since)


async def queue(conn: Conn, user_id: str | None) -> Queue:
    """The background work by its state."""
    counted = await conn.first(Queue, QUEUE, user_id=user_id)
    if counted is None:
        raise AssertionError("a SELECT of counts returns a row")
    return counted


async def failures(conn: Conn, user_id: str | None) -> list[Failure]:
    """The jobs that failed last."""
    return await conn.all(Failure, FAILURES, user_id=user_id)


async def hygiene(conn: Conn, *, user_id: str | None, since: date) -> dict[str, int]:
    """How many facts look wrong, and how many messages were refused lately."""
    return await conn.value(HYGIENE, user_id=user_id, since=since)


def first_day(today: date, days: int) -> date:
    """The first of some days that end today."""
    return today - timedelta(days=days - 1)
