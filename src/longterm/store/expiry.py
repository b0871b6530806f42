"""What goes away with time: expired conversations, trimmed history; in batches."""

from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.store.messages import ALIVE

# Whoever comes second skips what the first has locked, so two cleanups share the work.
DOOMED = """
    SELECT id::text, user_id, turn_count
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND expires_at <= now()
     ORDER BY expires_at, id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
"""

DELETE_TURNS = """
    WITH gone AS (
        DELETE FROM messages
         WHERE tenant_id = %(tenant_id)s
           AND conversation_id = ANY(%(ids)s::uuid[])
           AND turn < %(until)s
     RETURNING conversation_id, turn
    )
    SELECT count(DISTINCT (conversation_id, turn))
      FROM gone
"""

FIRST_TURN = """
    SELECT min(turn)
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(id)s
"""

DELETE_CONVERSATIONS = """
    DELETE FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s::uuid[])
"""

TRIM_BATCH = f"""
    SELECT id
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND {ALIVE}
       AND (said_at < %(older_than)s::timestamptz
            OR (said_at, id) < (%(kept_at)s::timestamptz, %(kept_id)s::bigint))
     ORDER BY said_at DESC, id DESC
     LIMIT %(limit)s
       FOR UPDATE
"""

OLDEST_KEPT = f"""
    SELECT said_at, id
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND {ALIVE}
     ORDER BY said_at DESC, id DESC
    OFFSET %(keep_last)s - 1
     LIMIT 1
"""

ARCHIVE = """
    UPDATE messages
       SET archived_at = now()
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s)
"""

DELETE = """
    DELETE FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s)
"""

EVERY_TURN = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Doomed:
    """An expired conversation."""

    id: str
    user_id: str
    turn_count: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The oldest message that stays."""

    said_at: datetime
    id: int


async def lock_expired(conn: Conn, *, limit: int) -> list[Doomed]:
    """Return expired conversations that nobody else is deleting, longest expired first."""
    return await conn.all(Doomed, DOOMED, limit=limit)


async def delete_first_turns(conn: Conn, *, conversation_id: str, turns: int) -> int:
    """Delete up to `turns` of the oldest turns, and tell how many there were."""
    first: int | None = await conn.value(FIRST_TURN, id=conversation_id)
    if first is None:
        return 0
    return await conn.value(DELETE_TURNS, ids=[conversation_id], until=first + turns)


async def delete_conversations(conn: Conn, ids: list[str]) -> int:
    """Delete conversations whole, and tell how many turns were in them."""
    turns: int = await conn.value(DELETE_TURNS, ids=ids, until=EVERY_TURN)
    await conn.run(DELETE_CONVERSATIONS, ids=ids)
    return turns


async def oldest_kept(conn: Conn, *, user_id: str, keep_last: int) -> Kept | None:
    """Return the last of the newest `keep_last` messages; None when there are fewer."""
    return await conn.first(Kept, OLDEST_KEPT, user_id=user_id, keep_last=keep_last)


async def beyond(
    conn: Conn, *, user_id: str, kept: Kept | None, older_than: datetime | None, limit: int
) -> list[int]:
    """Return messages before the oldest that stays, or said before `older_than`."""
    return await conn.values(
        TRIM_BATCH,
        user_id=user_id,
        kept_at=kept.said_at if kept else "-infinity",
        kept_id=kept.id if kept else 0,
        older_than=older_than or "-infinity",
        limit=limit,
    )


async def archive(conn: Conn, ids: list[int]) -> int:
    """Take messages out of the history; they stay in the log."""
    return await conn.run(ARCHIVE, ids=ids)


async def delete(conn: Conn, ids: list[int]) -> int:
    """Delete messages."""
    return await conn.run(DELETE, ids=ids)
