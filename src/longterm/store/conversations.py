"""Conversations: threads of a user, kept for good or until some time after their last turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.conversation import (
    Conversation,
    ConversationChanges,
    FoundConversation,
    NewConversation,
    Place,
    Sought,
)

_Edge = tuple[datetime | str, str]

FROM_THE_TOP: _Edge = ("infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff")
AT_THE_END: _Edge = ("-infinity", "00000000-0000-0000-0000-000000000000")

COLUMNS = """
    id, nullif(tenant_id, 0) AS tenant_id, user_id, kind, title, title_by, archived, pinned,
    retention_hours, expires_at, turn_count, metadata, created_at, updated_at
"""

# Without a conflict target: with one of the two unique keys, two sessions that insert the same id
# at once wait for each other.
INSERT = f"""
    INSERT INTO conversations (tenant_id, id, user_id, kind, title, title_by, retention_hours,
                               expires_at, metadata)
    VALUES (%(tenant_id)s, %(id)s, %(user_id)s, %(kind)s, %(title)s,
            CASE WHEN %(title)s::text IS NOT NULL THEN 'person' END, %(retention_hours)s,
            now() + %(retention_hours)s * interval '1 hour', %(metadata)s)
        ON CONFLICT DO NOTHING
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
       AND user_id = %(user_id)s
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

_WANTED = """
           tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (expires_at IS NULL OR expires_at > now())
       AND (%(archived)s::boolean IS NULL OR archived = %(archived)s)
"""

_PINNED = f"""
    {_WANTED}
       AND pinned
       AND (updated_at, id) < (%(pinned_before)s::timestamptz, %(pinned_before_id)s::uuid)
"""

_OTHERS = f"""
    {_WANTED}
       AND NOT pinned
       AND (updated_at, id) < (%(before)s::timestamptz, %(before_id)s::uuid)
"""

_IN_ORDER = "ORDER BY updated_at DESC, id DESC LIMIT %(limit)s"

# Two reads in the order of an index each: sorting by `pinned` would read every conversation.
LIST = f"""
    (SELECT {COLUMNS}, NULL AS snippet FROM conversations WHERE {_PINNED} {_IN_ORDER})
     UNION ALL
    (SELECT {COLUMNS}, NULL FROM conversations WHERE {_OTHERS} {_IN_ORDER})
     ORDER BY pinned DESC, updated_at DESC, id DESC
     LIMIT %(limit)s
"""

# Messages with all of the words, by the index that recall uses.
_SAID = """
        SELECT passage_id
          FROM postings
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND term = ANY(%(terms)s)
           AND kind = 'turn'
         GROUP BY passage_id
        HAVING count(DISTINCT term) = cardinality(%(terms)s::text[])
"""

HAS_WORDS = f"SELECT EXISTS ({_SAID})"

_BY_WORDS = f"""
        SELECT passages.conversation_id, max(passages.message_id) AS message_id
          FROM ({_SAID}) AS said
          JOIN passages
            ON passages.tenant_id = %(tenant_id)s
           AND passages.id = said.passage_id
         GROUP BY passages.conversation_id
"""

_BY_LETTERS = """
        SELECT conversation_id, max(id) AS message_id
          FROM messages
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND archived_at IS NULL
           AND content ILIKE %(pattern)s
         GROUP BY conversation_id
"""

# The newest message with the words is the one that is shown.
_FOUND = f"""
           {COLUMNS},
           (SELECT left(content, 20000)
              FROM messages
             WHERE tenant_id = %(tenant_id)s
               AND id = hit.message_id
               AND archived_at IS NULL) AS snippet
      FROM conversations
      LEFT JOIN hit
        ON hit.conversation_id = conversations.id
     WHERE {_WANTED}
       AND (pinned AND (updated_at, id) < (%(pinned_before)s::timestamptz,
                                           %(pinned_before_id)s::uuid)
            OR NOT pinned AND (updated_at, id) < (%(before)s::timestamptz, %(before_id)s::uuid))
       AND (hit.conversation_id IS NOT NULL OR title ILIKE %(pattern)s)
     ORDER BY pinned DESC, updated_at DESC, id DESC
     LIMIT %(limit)s
"""

SEARCH_WORDS = f"WITH hit AS MATERIALIZED ({_BY_WORDS}) SELECT {_FOUND}"
SEARCH_LETTERS = f"WITH hit AS MATERIALIZED ({_BY_LETTERS}) SELECT {_FOUND}"

UPDATE = f"""
    UPDATE conversations
       SET title = coalesce(%(title)s, title),
           title_by = CASE WHEN %(title)s::text IS NULL THEN title_by ELSE 'person' END,
           archived = coalesce(%(archived)s, archived),
           pinned = coalesce(%(pinned)s, pinned),
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

# Facts that were learned from it stay, as they do at a cleanup.
DELETE_EXPIRED_ONE = """
    WITH gone AS (
        DELETE FROM conversations
         WHERE tenant_id = %(tenant_id)s
           AND id = %(id)s
           AND user_id = %(user_id)s
           AND expires_at <= now()
     RETURNING id
    )
    UPDATE facts
       SET source_gone = true
      FROM gone
     WHERE facts.tenant_id = %(tenant_id)s
       AND facts.user_id = %(user_id)s
       AND facts.source_conversation_id = gone.id
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
    after: Place | None,
    archived: bool | None,
    sought: Sought | None,
) -> list[FoundConversation]:
    """Conversations of a user, pinned ones first, then the one used last.

    Of those that were sought, `snippet` is the whole message.
    """
    pinned, others = FROM_THE_TOP, FROM_THE_TOP
    if after is not None:
        place = (after.updated_at, after.id)
        pinned, others = (place, others) if after.pinned else (AT_THE_END, place)
    return await conn.all(
        FoundConversation,
        LIST if sought is None else await _search(conn, user_id, sought),
        user_id=user_id,
        limit=limit,
        pinned_before=pinned[0],
        pinned_before_id=pinned[1],
        before=others[0],
        before_id=others[1],
        archived=archived,
        pattern=None if sought is None else sought.pattern,
        terms=None if sought is None else list(sought.terms),
    )


async def _search(conn: Conn, user_id: str, sought: Sought) -> LiteralString:
    """Look by words where there are such, which takes an index; else at every letter."""
    terms = list(sought.terms)
    if terms and await conn.value(HAS_WORDS, user_id=user_id, terms=terms):
        return SEARCH_WORDS
    return SEARCH_LETTERS


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
        pinned=changes.pinned,
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


async def delete_all(conn: Conn, ids: Sequence[str]) -> None:
    """Delete conversations."""
    await conn.run(DELETE_ALL, ids=list(ids))
