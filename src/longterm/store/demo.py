"""The demo conversation of a user."""

from longterm.postgres.transaction import Conn

CONVERSATIONS = """
    SELECT id
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND metadata ->> 'demo' = 'true'
       AND (expires_at IS NULL OR expires_at > now())
     ORDER BY id
"""


async def conversations(conn: Conn, user_id: str) -> list[str]:
    """The demo of a user, if it is there."""
    return await conn.values(CONVERSATIONS, user_id=user_id)
