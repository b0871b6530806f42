"""What was said under an id of its own: written once, however often it is tried."""

from datetime import timedelta

from longterm.store.database import Conn

MARK = """
    INSERT INTO said_once (tenant_id, id, user_id)
    VALUES (%(tenant_id)s, %(id)s, %(user_id)s)
        ON CONFLICT (tenant_id, id) DO NOTHING
"""

DELETE_OLD = """
    DELETE FROM said_once
     WHERE (tenant_id, id) IN (
               SELECT tenant_id, id
                 FROM said_once
                WHERE tenant_id = %(tenant_id)s
                  AND at < now() - %(kept)s::interval
                ORDER BY at
                LIMIT %(limit)s
                  FOR UPDATE SKIP LOCKED)
"""


async def mark(conn: Conn, *, id_: str, user_id: str) -> bool:
    """Claim an id in the transaction that writes; False when it was written before."""
    return await conn.run(MARK, id=id_, user_id=user_id) > 0


async def delete_old(conn: Conn, *, kept: timedelta, limit: int) -> int:
    """Forget some ids that no journal holds any more; returns how many."""
    return await conn.run(DELETE_OLD, kept=kept, limit=limit)
