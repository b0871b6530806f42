"""Episodes: summaries of ranges of turns that touch and never overlap."""

from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.episode import Episode, NewEpisode
from longterm.records.ids import new_id

COLUMNS = """
    id, nullif(tenant_id, 0) AS tenant_id, conversation_id, user_id, turn_start, turn_end,
    summary, rolling, made_by, said_from, said_to, created_at
"""

DUE = """
    SELECT user_id, turn_count, summarised_through
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND (expires_at IS NULL OR expires_at > now())
"""

# The number that was seen is the guard: of two workers one goes away empty-handed.
ADVANCE = """
    UPDATE conversations
       SET summarised_through = %(through)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND summarised_through = %(was)s
"""

INSERT = f"""
    INSERT INTO episodes (tenant_id, id, conversation_id, user_id, turn_start, turn_end, summary,
                          rolling, made_by, said_from, said_to)
    VALUES (%(tenant_id)s, %(id)s, %(conversation_id)s, %(user_id)s, %(turn_start)s, %(turn_end)s,
            %(summary)s, %(rolling)s, %(made_by)s, %(said_from)s, %(said_to)s)
 RETURNING {COLUMNS}
"""

SAID = """
    SELECT role, name, content, said_at
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND turn BETWEEN %(turn_start)s AND %(turn_end)s
       AND archived_at IS NULL
       AND content <> ''
       AND metadata ->> 'model' IS DISTINCT FROM 'offline'
     ORDER BY turn, id
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND (SELECT expires_at IS NULL OR expires_at > now()
              FROM conversations
             WHERE tenant_id = episodes.tenant_id
               AND id = episodes.conversation_id)
     ORDER BY turn_start
"""

# Of a version that searched no episodes.
UNINDEXED = f"""
    SELECT {COLUMNS}
      FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND NOT EXISTS (SELECT
                         FROM passages
                        WHERE tenant_id = episodes.tenant_id
                          AND episode_id = episodes.id)
     ORDER BY id
     LIMIT %(limit)s
"""

LATEST_ROLLING = """
    SELECT rolling
      FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
     ORDER BY turn_start DESC
     LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """How far a conversation has come, and how far it is summed up."""

    user_id: str
    turn_count: int
    summarised_through: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What somebody said, as a summary needs it."""

    role: str
    name: str | None
    content: str
    said_at: datetime


async def due(conn: Conn, conversation_id: str) -> Due | None:
    """How far a conversation is summed up; None when it is not there."""
    return await conn.first(Due, DUE, conversation_id=conversation_id)


async def advance(conn: Conn, *, conversation_id: str, was: int, through: int) -> bool:
    """Note how far the conversation is summed up; False when somebody else was faster."""
    touched = await conn.run(ADVANCE, conversation_id=conversation_id, was=was, through=through)
    return touched > 0


async def insert(conn: Conn, new: NewEpisode) -> Episode:
    """Store an episode."""
    episode = await conn.first(
        Episode,
        INSERT,
        id=new_id(),
        conversation_id=new.conversation_id,
        user_id=new.user_id,
        turn_start=new.turn_start,
        turn_end=new.turn_end,
        summary=new.summary,
        rolling=new.rolling,
        made_by=new.made_by,
        said_from=new.said_from,
        said_to=new.said_to,
    )
    if episode is None:
        raise AssertionError("INSERT … RETURNING gave no row")
    return episode


async def said(conn: Conn, *, conversation_id: str, turn_start: int, turn_end: int) -> list[Line]:
    """What was said in a range of turns."""
    return await conn.all(
        Line, SAID, conversation_id=conversation_id, turn_start=turn_start, turn_end=turn_end
    )


async def unindexed(conn: Conn, *, user_id: str, limit: int) -> list[Episode]:
    """Episodes of a user that are not searched yet."""
    return await conn.all(Episode, UNINDEXED, user_id=user_id, limit=limit)


async def list_(conn: Conn, conversation_id: str) -> list[Episode]:
    """The episodes of a conversation, in the order of their turns."""
    return await conn.all(Episode, LIST, conversation_id=conversation_id)


async def rolling(conn: Conn, conversation_id: str) -> str:
    """The summary of all that left the window; empty when nothing did."""
    return await conn.value(LATEST_ROLLING, conversation_id=conversation_id) or ""
