"""What becomes of whole threads of LangGraph: deleted, copied, or thinned out."""

from collections.abc import Sequence

from longterm.postgres.transaction import Conn

_LOCKED = "hashtextextended('checkpoints ' || %(user_id)s, %(tenant_id)s)"

# Who stores a checkpoint relies on pieces that are there already: nobody may take them away.
LOCK_SHARED = f"SELECT pg_advisory_xact_lock_shared({_LOCKED})"
LOCK = f"SELECT pg_advisory_xact_lock({_LOCKED})"

_OF_THREAD = """
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (%(thread_id)s::text IS NULL OR thread_id = %(thread_id)s)
"""

DELETE = f"""
    WITH channels AS (
        DELETE FROM checkpoint_channels {_OF_THREAD}
    ), pieces AS (
        DELETE FROM checkpoint_pieces {_OF_THREAD}
    ), writes AS (
        DELETE FROM checkpoint_writes {_OF_THREAD}
    )
    DELETE FROM checkpoints {_OF_THREAD}
"""

_SOURCE = """
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = %(source)s
        ON CONFLICT DO NOTHING
"""

COPY = f"""
    WITH channels AS (
        INSERT INTO checkpoint_channels (tenant_id, user_id, thread_id, namespace, channel,
                                         version, is_list, pieces)
        SELECT tenant_id, user_id, %(target)s, namespace, channel, version, is_list, pieces
          FROM checkpoint_channels {_SOURCE}
    ), pieces AS (
        INSERT INTO checkpoint_pieces (tenant_id, user_id, thread_id, hash, kind, data)
        SELECT tenant_id, user_id, %(target)s, hash, kind, data
          FROM checkpoint_pieces {_SOURCE}
    ), writes AS (
        INSERT INTO checkpoint_writes (tenant_id, user_id, thread_id, namespace, checkpoint_id,
                                       task_id, place, task_path, channel, kind, data)
        SELECT tenant_id, user_id, %(target)s, namespace, checkpoint_id, task_id, place, task_path,
               channel, kind, data
          FROM checkpoint_writes {_SOURCE}
    )
    INSERT INTO checkpoints (tenant_id, user_id, thread_id, namespace, id, parent_id, kind, data,
                             metadata, versions)
    SELECT tenant_id, user_id, %(target)s, namespace, id, parent_id, kind, data, metadata, versions
      FROM checkpoints {_SOURCE}
"""

_WITH_WRITES = """
     RETURNING namespace, thread_id, id
    ), writes AS (
        DELETE FROM checkpoint_writes
         USING gone
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND checkpoint_writes.thread_id = gone.thread_id
           AND checkpoint_writes.namespace = gone.namespace
           AND checkpoint_id = gone.id
    )
    SELECT DISTINCT thread_id
      FROM gone
     ORDER BY thread_id
"""

# A channel that keeps only what was added (LangGraph's DeltaChannel) is put together from the
# checkpoints before: where there is one, all of them stay.
KEEP_LATEST = f"""
    WITH gone AS (
        DELETE FROM checkpoints
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND thread_id = ANY(%(thread_ids)s)
           AND (SELECT latest.id > checkpoints.id
                       AND coalesce(latest.metadata ->> 'counters_since_delta_snapshot', '{{}}')
                           = '{{}}'
                  FROM checkpoints AS latest
                 WHERE latest.tenant_id = %(tenant_id)s
                   AND latest.user_id = %(user_id)s
                   AND latest.thread_id = checkpoints.thread_id
                   AND latest.namespace = checkpoints.namespace
                 ORDER BY latest.id DESC
                 LIMIT 1)
{_WITH_WRITES}"""

DELETE_RUNS = f"""
    WITH gone AS (
        DELETE FROM checkpoints
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND metadata ->> 'run_id' = ANY(%(run_ids)s)
{_WITH_WRITES}"""

SWEEP_CHANNELS = """
    DELETE FROM checkpoint_channels
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = ANY(%(thread_ids)s)
       AND NOT EXISTS (SELECT
                         FROM checkpoints
                        WHERE tenant_id = %(tenant_id)s
                          AND user_id = %(user_id)s
                          AND thread_id = checkpoint_channels.thread_id
                          AND namespace = checkpoint_channels.namespace
                          AND versions ->> checkpoint_channels.channel
                              = checkpoint_channels.version)
"""

SWEEP_PIECES = """
    DELETE FROM checkpoint_pieces
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND thread_id = ANY(%(thread_ids)s)
       AND (thread_id, hash) NOT IN (
                SELECT thread_id, substring(pieces FROM 32 * number + 1 FOR 32)
                  FROM checkpoint_channels,
                       generate_series(0, octet_length(pieces) / 32 - 1) AS number
                 WHERE tenant_id = %(tenant_id)s
                   AND user_id = %(user_id)s
                   AND thread_id = ANY(%(thread_ids)s))
"""


async def rely_on_pieces(conn: Conn, user_id: str) -> None:
    """Let nobody take away what is stored of this user's threads until the transaction ends."""
    await conn.value(LOCK_SHARED, user_id=user_id)


async def delete(conn: Conn, *, user_id: str, thread_id: str | None) -> int:
    """Delete a thread, or all threads of a user, and tell how many checkpoints that were."""
    await conn.value(LOCK, user_id=user_id)
    return await conn.run(DELETE, user_id=user_id, thread_id=thread_id)


async def copy(conn: Conn, *, user_id: str, source: str, target: str) -> None:
    """Put all of a thread into another one; what is there already stays."""
    await rely_on_pieces(conn, user_id)
    await conn.run(COPY, user_id=user_id, source=source, target=target)


async def keep_latest(conn: Conn, *, user_id: str, thread_ids: Sequence[str]) -> None:
    """Delete all checkpoints of some threads but the newest one of each namespace."""
    await conn.value(LOCK, user_id=user_id)
    touched = await conn.values(KEEP_LATEST, user_id=user_id, thread_ids=list(thread_ids))
    await _sweep(conn, user_id, touched)


async def delete_runs(conn: Conn, *, user_id: str, run_ids: Sequence[str]) -> None:
    """Delete the checkpoints that some runs have made."""
    await conn.value(LOCK, user_id=user_id)
    touched = await conn.values(DELETE_RUNS, user_id=user_id, run_ids=list(run_ids))
    await _sweep(conn, user_id, touched)


async def _sweep(conn: Conn, user_id: str, thread_ids: Sequence[str]) -> None:
    """Delete what no checkpoint of these threads has any more."""
    await conn.run(SWEEP_CHANNELS, user_id=user_id, thread_ids=list(thread_ids))
    await conn.run(SWEEP_PIECES, user_id=user_id, thread_ids=list(thread_ids))
