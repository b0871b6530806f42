"""Key-value memory: a JSON object beneath each key of a user."""

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.records.keyvalue import UserMemory

COLUMNS = "id, nullif(tenant_id, 0) AS tenant_id, user_id, key, value, updated_at"

SET = """
    INSERT INTO user_memory (tenant_id, user_id, key, value)
    VALUES (%(tenant_id)s, %(user_id)s, %(key)s, %(value)s)
        ON CONFLICT (tenant_id, user_id, key) DO UPDATE
       SET value = excluded.value,
           updated_at = now()
 RETURNING id
"""

GET = """
    SELECT value
      FROM user_memory
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND key = %(key)s
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM user_memory
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
     ORDER BY key
"""

DELETE = """
    DELETE FROM user_memory
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND key = %(key)s
"""

CLEAR = """
    DELETE FROM user_memory
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""


async def set_(conn: Conn, *, user_id: str, key: str, value: JsonObject) -> int:
    """Store a value in place of the one that is there, and return the id of its row."""
    return await conn.value(SET, user_id=user_id, key=key, value=JsonText(value))


async def get(conn: Conn, *, user_id: str, key: str) -> JsonObject | None:
    """Return the value beneath a key, or None."""
    return await conn.value(GET, user_id=user_id, key=key)


async def list_(conn: Conn, user_id: str) -> list[UserMemory]:
    """Every key of a user with its value, by key."""
    return await conn.all(UserMemory, LIST, user_id=user_id)


async def delete(conn: Conn, *, user_id: str, key: str) -> bool:
    """Delete one key; tells whether it was there."""
    return await conn.run(DELETE, user_id=user_id, key=key) > 0


async def clear(conn: Conn, user_id: str) -> int:
    """Delete every key of a user, and tell how many there were."""
    return await conn.run(CLEAR, user_id=user_id)
