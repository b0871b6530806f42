"""Conversations: threads of a user, kept for good or until some time after their last turn."""

from datetime import datetime

from psycopg.types.json import Json as JsonText

from longterm.records.conversation import Conversation, ConversationChanges, NewConversation
from longterm.store.database import Conn

FROM_THE_TOP = ("infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff")

COLUMNS = """
    id, nullif(tenant_id, 0) AS tenant_id, user_id, kind, title, title_by, archived,
    retention_hours, expires_at, turn_count, metadata, created_at, updated_at
"""

INSERT = f"""
    INSERT INTO conversations (tenant_id, id, user_id, kind, title, title_by, retention_hours,
                               expires_at, metadata)
    VALUES (%(tenant_id)s, %(id)s, %(user_id)s, %(kind)s, %(title)s,
            CASE WHEN %(title)s::text IS NOT NULL THEN 'person' END, %(retention_hours)s,
            now() + %(retention_hours)s * interval '1 hour', %(metadata)s)
        ON CONFLICT (tenant_id, id) DO NOTHING
 RETURNING {COLUMNS}
"""

GET = f"""
    SELECT {COLUMNS}
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND (expires_at IS NULL OR expires_at > now())
"""

CURRENT = f"""
    SELECT {COLUMNS}
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = (SELECT current_conversation_id
                   FROM users
                  WHERE tenant_id = %(tenant_id)s
                    AND user_id = %(user_id)s)
       AND NOT archived
       AND (expires_at IS NULL OR expires_at > now())
"""

# Against those who delete it before the message is in.
LOCK_CURRENT = f"{CURRENT} FOR UPDATE"

LOCK = """
    SELECT user_id
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       FOR UPDATE
"""

# Lets others write to it, and nobody delete it.
HOLD = """
    SELECT user_id
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       FOR KEY SHARE
"""

# In the order of their ids: of two who lock them all, one waits and none waits for the other.
LOCK_ALL = """
    SELECT id
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
     ORDER BY id
       FOR UPDATE
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (expires_at IS NULL OR expires_at > now())
       AND (%(archived)s::boolean IS NULL OR archived = %(archived)s)
       AND (updated_at, id) < (%(before)s::timestamptz, %(before_id)s::uuid)
     ORDER BY updated_at DESC, id DESC
     LIMIT %(limit)s
"""

SEARCH = f"""
    SELECT {COLUMNS}
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (expires_at IS NULL OR expires_at > now())
       AND (%(archived)s::boolean IS NULL OR archived = %(archived)s)
       AND (updated_at, id) < (%(before)s::timestamptz, %(before_id)s::uuid)
       AND (title ILIKE %(pattern)s
            OR id IN (SELECT conversation_id
                        FROM messages
                       WHERE tenant_id = %(tenant_id)s
                         AND user_id = %(user_id)s
                         AND archived_at IS NULL
                         AND content ILIKE %(pattern)s))
     ORDER BY updated_at DESC, id DESC
     LIMIT %(limit)s
"""

UPDATE = f"""
    UPDATE conversations
       SET title = coalesce(%(title)s, title),
           title_by = CASE WHEN %(title)s::text IS NULL THEN title_by ELSE 'person' END,
           archived = coalesce(%(archived)s, archived),
           retention_hours = CASE WHEN %(set_retention)s THEN %(retention_hours)s
                                  ELSE retention_hours END,
           expires_at = CASE WHEN %(set_retention)s
                             THEN now() + %(retention_hours)s * interval '1 hour'
                             ELSE expires_at END,
           metadata = coalesce(%(metadata)s, metadata)
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND user_id = %(user_id)s
       AND (expires_at IS NULL OR expires_at > now())
 RETURNING {COLUMNS}
"""

SET_MADE_TITLE = """
    UPDATE conversations
       SET title = %(title)s,
           title_by = %(title_by)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND (title_by IS NULL OR title_by = 'rule' AND %(title_by)s = 'model')
"""

DELETE = """
    DELETE FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND (%(user_id)s::text IS NULL OR user_id = %(user_id)s)
"""

DELETE_EXPIRED_ONE = """
    DELETE FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND user_id = %(user_id)s
       AND expires_at <= now()
"""

DELETE_ALL = """
    DELETE FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s::uuid[])
"""


async def insert(conn: Conn, new: NewConversation) -> Conversation | None:
    """Store a conversation; None when its id is taken."""
    return await conn.first(
        Conversation,
        INSERT,
        id=new.id,
        user_id=new.user_id,
        kind=new.kind,
        title=new.title,
        retention_hours=new.retention_hours,
        metadata=JsonText(new.metadata),
    )


async def get(conn: Conn, conversation_id: str) -> Conversation | None:
    """A conversation that is there and not expired."""
    return await conn.first(Conversation, GET, id=conversation_id)


async def current(conn: Conn, user_id: str) -> Conversation | None:
    """The conversation that messages without one go to, if there is one."""
    return await conn.first(Conversation, CURRENT, user_id=user_id)


async def lock_current(conn: Conn, user_id: str) -> Conversation | None:
    """Return the current conversation, and let nobody delete it before the transaction ends."""
    return await conn.first(Conversation, LOCK_CURRENT, user_id=user_id)


async def lock(conn: Conn, conversation_id: str) -> str | None:
    """Let nobody delete a conversation before the transaction ends; tells whose it is."""
    return await conn.value(LOCK, id=conversation_id)


async def hold(conn: Conn, conversation_id: str) -> bool:
    """Let nobody delete a conversation before the transaction ends; tells whether it is there."""
    return await conn.value(HOLD, id=conversation_id) is not None


async def lock_all(conn: Conn, user_id: str) -> list[str]:
    """Return the ids of all conversations of a user, and let nobody change them."""
    return await conn.values(LOCK_ALL, user_id=user_id)


async def page(
    conn: Conn,
    *,
    user_id: str,
    limit: int,
    before: tuple[datetime, str] | None,
    archived: bool | None,
    pattern: str | None,
) -> list[Conversation]:
    """Conversations of a user, the one used last first."""
    moment, conversation_id = before or FROM_THE_TOP
    return await conn.all(
        Conversation,
        LIST if pattern is None else SEARCH,
        user_id=user_id,
        limit=limit,
        before=moment,
        before_id=conversation_id,
        archived=archived,
        pattern=pattern,
    )


async def update(
    conn: Conn, *, user_id: str, conversation_id: str, changes: ConversationChanges
) -> Conversation | None:
    """Change what is given; None when the user has no such conversation."""
    return await conn.first(
        Conversation,
        UPDATE,
        id=conversation_id,
        user_id=user_id,
        title=changes.title,
        archived=changes.archived,
        set_retention=changes.set_retention,
        retention_hours=changes.retention_hours,
        metadata=None if changes.metadata is None else JsonText(changes.metadata),
    )


async def set_made_title(conn: Conn, *, conversation_id: str, title: str, title_by: str) -> bool:
    """Give a title to a conversation that has none or a makeshift one, never over a person's."""
    touched = await conn.run(SET_MADE_TITLE, id=conversation_id, title=title, title_by=title_by)
    return touched > 0


async def delete(conn: Conn, conversation_id: str, *, user_id: str | None = None) -> bool:
    """Delete a conversation with all that is in it; tells whether it was there."""
    return await conn.run(DELETE, id=conversation_id, user_id=user_id) > 0


async def delete_expired_one(conn: Conn, *, conversation_id: str, user_id: str) -> None:
    """Make room for a new conversation with the id of one that is over."""
    await conn.run(DELETE_EXPIRED_ONE, id=conversation_id, user_id=user_id)


async def delete_all(conn: Conn, ids: list[str]) -> None:
    """Delete conversations."""
    await conn.run(DELETE_ALL, ids=ids)
