"""Users of a tenant: their state, and which conversation is their current one."""

from dataclasses import dataclass

from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.records.state import UserState

ENSURE = """
    WITH tenant AS (
        INSERT INTO tenants (tenant_id)
        VALUES (%(tenant_id)s)
            ON CONFLICT (tenant_id) DO NOTHING
    )
    INSERT INTO users (tenant_id, user_id)
    VALUES (%(tenant_id)s, %(user_id)s)
        ON CONFLICT (tenant_id, user_id) DO NOTHING
"""

LOCK = """
    SELECT user_id
      FROM users
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       FOR UPDATE
"""

LIST = """
    SELECT user_id
      FROM users
     WHERE tenant_id = %(tenant_id)s
     ORDER BY user_id
"""

SET_CURRENT = """
    UPDATE users
       SET current_conversation_id = %(conversation_id)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

SET_STATE = """
    UPDATE users
       SET mode = %(mode)s,
           mode_updated_at = now()
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

GET_STATE = """
    SELECT nullif(tenant_id, 0) AS tenant_id, user_id, mode, mode_updated_at AS updated_at
      FROM users
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND mode IS NOT NULL
"""

# Of a stranger, too, and of a tenant that has no row yet.
STANDING = """
    SELECT (SELECT mode
              FROM users
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s) AS mode,
           (SELECT settings
              FROM tenants
             WHERE tenant_id = %(tenant_id)s) AS settings
"""

CLEAR_STATE = """
    UPDATE users
       SET mode = NULL,
           mode_updated_at = NULL
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND mode IS NOT NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The mode that was set for a user, and what the tenant decided for itself."""

    mode: str | None
    settings: JsonObject | None


async def ensure(conn: Conn, user_id: str) -> bool:
    """Make the rows of the tenant and the user, unless they are there; tells if the user was not."""
    return await conn.run(ENSURE, user_id=user_id) > 0


async def lock(conn: Conn, user_id: str) -> bool:
    """Let nobody else pass here for this user until the transaction ends; False for nobody."""
    return await conn.run(LOCK, user_id=user_id) > 0


async def list_ids(conn: Conn) -> list[str]:
    """Everybody who is known to the tenant."""
    return await conn.values(LIST)


async def set_current(conn: Conn, *, user_id: str, conversation_id: str) -> None:
    """Point to the conversation that messages without one go to."""
    await conn.run(SET_CURRENT, user_id=user_id, conversation_id=conversation_id)


async def set_state(conn: Conn, *, user_id: str, mode: str) -> None:
    """Set the mode of a user who is there."""
    await conn.run(SET_STATE, user_id=user_id, mode=mode)


async def get_state(conn: Conn, user_id: str) -> UserState | None:
    """The state that was set, if one was."""
    return await conn.first(UserState, GET_STATE, user_id=user_id)


async def standing(conn: Conn, user_id: str | None) -> Standing:
    """Return what decides whether a user is answered, and from memory."""
    found = await conn.first(Standing, STANDING, user_id=user_id)
    if found is None:
        raise AssertionError("a SELECT without FROM returns a row")
    return found


async def clear_state(conn: Conn, user_id: str) -> bool:
    """Forget the state; tells whether there was one."""
    return await conn.run(CLEAR_STATE, user_id=user_id) > 0
