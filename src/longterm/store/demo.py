"""The demo conversation of a user, and what was learned from it."""

from longterm.store.database import Conn

CONVERSATIONS = """
    SELECT id
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND metadata ->> 'demo' = 'true'
       AND (expires_at IS NULL OR expires_at > now())
     ORDER BY id
"""

LEARNED = """
    SELECT DISTINCT id
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND source_conversation_id = %(conversation_id)s
     ORDER BY id
"""

# Those that were spoken of nowhere else.
PLACES = """
    SELECT place_id
      FROM place_mentions
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
     GROUP BY place_id
    HAVING bool_and(conversation_id = %(conversation_id)s::text)
     ORDER BY place_id
"""

DELETE_PLACE = """
    DELETE FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND place_id = %(place_id)s
"""


async def conversations(conn: Conn, user_id: str) -> list[str]:
    """The demo of a user, if it is there."""
    return await conn.values(CONVERSATIONS, user_id=user_id)


async def learned(conn: Conn, *, user_id: str, conversation_id: str) -> list[str]:
    """The facts of which some version comes from a conversation."""
    return await conn.values(LEARNED, user_id=user_id, conversation_id=conversation_id)


async def places(conn: Conn, *, user_id: str, conversation_id: str) -> list[str]:
    """The places that are known from one conversation alone."""
    return await conn.values(PLACES, user_id=user_id, conversation_id=conversation_id)


async def delete_place(conn: Conn, *, user_id: str, place_id: str) -> None:
    """Delete a place with its mentions."""
    await conn.run(DELETE_PLACE, user_id=user_id, place_id=place_id)
