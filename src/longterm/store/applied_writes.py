"""Applied writes: ids made by the writer, so that a write that is repeated is applied once."""

from datetime import timedelta

from longterm.postgres.transaction import Conn

CLAIM = """
    INSERT INTO applied_writes (tenant_id, id, user_id)
    VALUES (%(tenant_id)s, %(id)s, %(user_id)s)
        ON CONFLICT (tenant_id, id) DO NOTHING
"""

SET_RECORD = """
    UPDATE applied_writes
       SET record_id = %(record_id)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
"""

GET_RECORD = """
    SELECT record_id
      FROM applied_writes
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND user_id = %(user_id)s
"""

DELETE_OLD = """
    DELETE FROM applied_writes
     WHERE (tenant_id, id) IN (
               SELECT tenant_id, id
                 FROM applied_writes
                WHERE tenant_id = %(tenant_id)s
                  AND at < now() - %(kept)s::interval
                ORDER BY at
                LIMIT %(limit)s
                  FOR UPDATE SKIP LOCKED)
"""


async def claim(conn: Conn, *, id_: str, user_id: str) -> bool:
    """Claim an id in the transaction that writes; False when the write was applied before."""
    return await conn.run(CLAIM, id=id_, user_id=user_id) > 0


async def set_record(conn: Conn, *, id_: str, record_id: object) -> None:
    """Note the id of what a write stored."""
    await conn.run(SET_RECORD, id=id_, record_id=str(record_id))


async def get_record(conn: Conn, *, id_: str, user_id: str) -> str | None:
    """The id of what a write stored, if it was applied for this user."""
    return await conn.value(GET_RECORD, id=id_, user_id=user_id)


async def delete_old(conn: Conn, *, kept: timedelta, limit: int) -> int:
    """Delete some ids that no journal holds any more; returns how many."""
    return await conn.run(DELETE_OLD, kept=kept, limit=limit)
