"""Export: everything of a user as JSON, page by page."""

from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject

USER = """
    SELECT json_build_object(
               'type', 'user', 'mode', mode, 'mode_updated_at', mode_updated_at,
               'current_conversation_id', current_conversation_id, 'created_at', created_at)
      FROM users
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

CONVERSATIONS = """
    SELECT json_build_object(
               'type', 'conversation', 'id', id, 'kind', kind, 'title', title,
               'title_by', title_by, 'archived', archived, 'pinned', pinned,
               'retention_hours', retention_hours, 'expires_at', expires_at,
               'turn_count', turn_count, 'metadata', metadata, 'created_at', created_at,
               'updated_at', updated_at)
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id > %(after)s::uuid
       AND (expires_at IS NULL OR expires_at > now())
     ORDER BY id
     LIMIT %(limit)s
"""

MESSAGES = """
    SELECT json_build_object(
               'type', 'message', 'id', id, 'conversation_id', conversation_id, 'turn', turn,
               'role', role, 'content', content, 'name', name, 'status', status,
               'created_at', said_at, 'recorded_at', recorded_at, 'archived_at', archived_at,
               'tool_calls', tool_calls, 'suggested_values', suggested_values,
               'suggested_actions', suggested_actions, 'custom_payload', custom_payload,
               'metadata', metadata,
               'learned', id <= (SELECT learned_through
                                   FROM conversations
                                  WHERE tenant_id = %(tenant_id)s
                                    AND id = %(conversation_id)s))
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND id > %(after)s
     ORDER BY id
     LIMIT %(limit)s
"""

EPISODES = """
    SELECT json_build_object(
               'type', 'episode', 'id', id, 'conversation_id', conversation_id,
               'turn_start', turn_start, 'turn_end', turn_end, 'summary', summary,
               'rolling', rolling, 'made_by', made_by, 'said_from', said_from,
               'said_to', said_to, 'created_at', created_at)
      FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND turn_start > %(after)s
     ORDER BY turn_start
     LIMIT %(limit)s
"""

# A fact may be evicted or closed: its versions stay, and belong to the user as much.
FACTS = """
    SELECT json_build_object(
               'type', 'fact', 'id', id, 'version', version, 'fact_type', facts.type,
               'category', category, 'key', key, 'content', content, 'confidence', confidence,
               'importance', importance, 'pinned', pinned, 'archived', archived,
               'origin', origin, 'said_at', said_at, 'recorded_at', recorded_at,
               'valid_from', valid_from, 'valid_to', valid_to, 'closed', closed,
               'said_count', said_count, 'source_conversation_id', source_conversation_id,
               'source_message_id', source_message_id, 'source_gone', source_gone,
               'span_start', span_start, 'span_end', span_end, 'extractor', extractor,
               'access_count', access_count, 'last_accessed_at', last_accessed_at)
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (id, version) > (%(after)s::uuid, %(version)s)
     ORDER BY id, version
     LIMIT %(limit)s
"""

PLACES = """
    SELECT json_build_object(
               'type', 'place', 'place_id', place_id, 'place_name', place_name, 'notes', notes,
               'added_at', added_at, 'mentions',
               coalesce((SELECT json_agg(json_build_object(
                                    'conversation_id', conversation_id,
                                    'message_id', message_id, 'mentioned_at', mentioned_at)
                                    ORDER BY mentioned_at, conversation_id, message_id)
                           FROM place_mentions
                          WHERE tenant_id = places.tenant_id
                            AND user_id = places.user_id
                            AND place_id = places.place_id), '[]'))
      FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND place_id > %(after)s
     ORDER BY place_id
     LIMIT %(limit)s
"""

MEMORY = """
    SELECT json_build_object('type', 'memory', 'key', key, 'value', value,
                             'updated_at', updated_at)
      FROM user_memory
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND key > %(after)s
     ORDER BY key
     LIMIT %(limit)s
"""


async def user(conn: Conn, user_id: str) -> list[JsonObject]:
    """What is set for a user; nothing for one who is not known."""
    return await conn.values(USER, user_id=user_id)


async def conversations(conn: Conn, *, user_id: str, after: str, limit: int) -> list[JsonObject]:
    """The next conversations, by id."""
    return await conn.values(CONVERSATIONS, user_id=user_id, after=after, limit=limit)


async def messages(conn: Conn, *, conversation_id: str, after: int, limit: int) -> list[JsonObject]:
    """The next messages of a conversation, archived ones too."""
    return await conn.values(MESSAGES, conversation_id=conversation_id, after=after, limit=limit)


async def episodes(conn: Conn, *, conversation_id: str, after: int, limit: int) -> list[JsonObject]:
    """The next episodes of a conversation."""
    return await conn.values(EPISODES, conversation_id=conversation_id, after=after, limit=limit)


async def facts(
    conn: Conn, *, user_id: str, after: tuple[str, int], limit: int
) -> list[JsonObject]:
    """The next versions of facts, by id and version."""
    return await conn.values(FACTS, user_id=user_id, after=after[0], version=after[1], limit=limit)


async def places(conn: Conn, *, user_id: str, after: str, limit: int) -> list[JsonObject]:
    """The next places with all their mentions."""
    return await conn.values(PLACES, user_id=user_id, after=after, limit=limit)


async def memory(conn: Conn, *, user_id: str, after: str, limit: int) -> list[JsonObject]:
    """The next keys with their objects."""
    return await conn.values(MEMORY, user_id=user_id, after=after, limit=limit)
