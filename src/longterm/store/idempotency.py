"""Answers by the key that the caller gave the request."""

from datetime import timedelta

from longterm.postgres.transaction import Conn
from longterm.records.idempotency import Attempt, KeptAnswer

# One statement, so that of two who come at once one is the first. Taken over are a row that is
# too old, and one whose request never ended: its process died.
BEGIN = """
    INSERT INTO idempotency (tenant_id, caller, key, user_id, attempt, request_hash, lease_until)
    VALUES (%(tenant_id)s, %(caller)s, %(key)s, %(owner)s, %(attempt)s, %(request_hash)s,
            now() + %(lease)s)
        ON CONFLICT (tenant_id, caller, key) DO UPDATE
       SET attempt = excluded.attempt,
           user_id = excluded.user_id,
           request_hash = excluded.request_hash,
           lease_until = excluded.lease_until,
           status = NULL,
           content_type = NULL,
           body = NULL,
           created_at = now()
     WHERE idempotency.created_at < now() - %(kept)s::interval
        OR idempotency.status IS NULL AND idempotency.lease_until < now()
           AND idempotency.request_hash = excluded.request_hash
"""

GET = """
    SELECT attempt, request_hash, status, content_type, body
      FROM idempotency
     WHERE tenant_id = %(tenant_id)s
       AND caller = %(caller)s
       AND key = %(key)s
"""

FINISH = """
    UPDATE idempotency
       SET status = %(status)s,
           content_type = %(content_type)s,
           body = %(body)s,
           user_id = %(owner)s
     WHERE tenant_id = %(tenant_id)s
       AND caller = %(caller)s
       AND key = %(key)s
       AND attempt = %(attempt)s
"""

ABANDON = """
    DELETE FROM idempotency
     WHERE tenant_id = %(tenant_id)s
       AND caller = %(caller)s
       AND key = %(key)s
       AND attempt = %(attempt)s
"""

DELETE_OLD = """
    DELETE FROM idempotency
     WHERE (tenant_id, caller, key) IN (
               SELECT tenant_id, caller, key
                 FROM idempotency
                WHERE tenant_id = %(tenant_id)s
                  AND created_at < now() - %(kept)s::interval
                ORDER BY created_at
                LIMIT %(limit)s
                  FOR UPDATE SKIP LOCKED)
"""


async def begin(
    conn: Conn, attempt: Attempt, *, user_id: str | None, lease: timedelta, kept: timedelta
) -> bool:
    """Take the key for this request; False when another one has it."""
    touched = await conn.run(
        BEGIN,
        caller=attempt.caller,
        key=attempt.key,
        owner=user_id,
        attempt=attempt.id,
        request_hash=attempt.request_hash,
        lease=lease,
        kept=kept,
    )
    return touched > 0


async def get(conn: Conn, attempt: Attempt) -> KeptAnswer | None:
    """What is kept beneath the key of this request."""
    return await conn.first(KeptAnswer, GET, caller=attempt.caller, key=attempt.key)


async def finish(
    conn: Conn,
    attempt: Attempt,
    *,
    user_id: str | None,
    status: int,
    content_type: str | None,
    body: bytes,
) -> None:
    """Keep the answer, unless the key was taken over meanwhile."""
    await conn.run(
        FINISH,
        caller=attempt.caller,
        key=attempt.key,
        attempt=attempt.id,
        owner=user_id,
        status=status,
        content_type=content_type,
        body=body,
    )


async def abandon(conn: Conn, attempt: Attempt) -> None:
    """Give the key back: nothing was done, and the next one may try."""
    await conn.run(ABANDON, caller=attempt.caller, key=attempt.key, attempt=attempt.id)


async def delete_old(conn: Conn, *, kept: timedelta, limit: int) -> int:
    """Delete some answers that were kept long enough, and tell how many."""
    return await conn.run(DELETE_OLD, kept=kept, limit=limit)
