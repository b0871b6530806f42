"""Erasure: everything of a user, table by table, and that it took place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.forgetting import Forgotten

_OF_USER = """
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

_OF_MESSAGES = """
     WHERE tenant_id = %(tenant_id)s
       AND message_id IN (SELECT id
                            FROM messages
                           WHERE tenant_id = %(tenant_id)s
                             AND user_id = %(user_id)s)
"""

# Every table that holds something of a user, in an order in which no row is needed by another.
# Each by itself and not by cascades alone: a receipt has exact numbers.
OF_USER: Mapping[str, LiteralString] = {
    "answers": f"DELETE FROM answers {_OF_USER}",
    "clarifications": f"DELETE FROM clarifications {_OF_USER}",
    "embeddings": f"DELETE FROM embeddings {_OF_USER}",
    "postings": f"DELETE FROM postings {_OF_USER}",
    "passages": f"DELETE FROM passages {_OF_USER}",
    "ledger": f"DELETE FROM ledger {_OF_MESSAGES}",
    "episodes": f"DELETE FROM episodes {_OF_USER}",
    "threads": f"DELETE FROM threads {_OF_USER}",
    "messages": f"DELETE FROM messages {_OF_USER}",
    "conversations": f"DELETE FROM conversations {_OF_USER}",
    "checkpoint_writes": f"DELETE FROM checkpoint_writes {_OF_USER}",
    "checkpoint_channels": f"DELETE FROM checkpoint_channels {_OF_USER}",
    "checkpoint_pieces": f"DELETE FROM checkpoint_pieces {_OF_USER}",
    "checkpoints": f"DELETE FROM checkpoints {_OF_USER}",
    "facts": f"DELETE FROM facts {_OF_USER}",
    "place_mentions": f"DELETE FROM place_mentions {_OF_USER}",
    "places": f"DELETE FROM places {_OF_USER}",
    "user_memory": f"DELETE FROM user_memory {_OF_USER}",
    "applied_writes": f"DELETE FROM applied_writes {_OF_USER}",
    "imported": f"DELETE FROM imported {_OF_USER}",
    "idempotency": f"DELETE FROM idempotency {_OF_USER}",
    "api_keys": f"DELETE FROM api_keys {_OF_USER}",
    "audit": f"DELETE FROM audit {_OF_USER}",
    "jobs": f"DELETE FROM jobs {_OF_USER}",
    "users": f"DELETE FROM users {_OF_USER}",
}

# What of a tenant is nobody's in particular; a table is here or above, or a test fails.
OF_NOBODY = frozenset({"tenants", "templates", "generations", "usage", "forgettings", "migrations"})

# A user with more messages than one transaction should delete.
FIRST_MESSAGES = """
    DELETE FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id IN (SELECT id
                    FROM messages
                   WHERE tenant_id = %(tenant_id)s
                     AND user_id = %(user_id)s
                   LIMIT %(limit)s)
"""

MANY = """
    SELECT count(*)
      FROM (SELECT
              FROM messages
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
             LIMIT %(limit)s) AS counted
"""

NOTE = """
    INSERT INTO forgettings (tenant_id, id, what, user_hash, conversation_id, counts)
    VALUES (%(tenant_id)s, %(id)s, %(what)s, sha256(convert_to(%(salt)s || %(forgotten)s, 'UTF8')),
            %(conversation_id)s, %(counts)s)
 RETURNING at
"""

# Who writes back and who forgets take turns, also for a user who has no row to lock.
TAKE_TURNS = """
    SELECT pg_advisory_xact_lock(hashtextextended(%(forgotten)s, %(tenant_id)s))
"""

# Said before it was forgotten, and written back from a disk after that.
IS_FORGOTTEN = """
    SELECT EXISTS (SELECT
                     FROM forgettings
                    WHERE tenant_id = %(tenant_id)s
                      AND at >= %(said_at)s
                      AND (what = 'user'
                           OR what = 'conversation' AND conversation_id = %(conversation_id)s)
                      AND user_hash = sha256(convert_to(id::text || %(forgotten)s, 'UTF8')))
"""

# Of the database, as `at` is: clocks of several machines differ.
CLOCK = "SELECT clock_timestamp()"

# A minute, because a transaction that noted one may be committed some time after it.
RECENT = """
    SELECT forgettings.tenant_id, asked.user_id, bool_or(what = 'user') AS entirely
      FROM forgettings
      JOIN unnest(%(tenants)s::bigint[], %(users)s::text[]) AS asked (tenant, user_id)
        ON asked.tenant = forgettings.tenant_id
       AND sha256(convert_to(forgettings.id::text || asked.user_id, 'UTF8')) = user_hash
     WHERE at > now() - interval '1 minute'
     GROUP BY forgettings.tenant_id, asked.user_id
     ORDER BY forgettings.tenant_id, asked.user_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A user of whom something, or everything, was forgotten a moment ago."""

    tenant_id: int
    user_id: str
    entirely: bool


async def has_more(conn: Conn, user_id: str, than: int) -> bool:
    """Whether a user has more messages than that."""
    return await conn.value(MANY, user_id=user_id, limit=than + 1) > than


async def delete_messages(conn: Conn, user_id: str, limit: int) -> int:
    """Delete some messages of a user with what hangs on them, and tell how many."""
    return await conn.run(FIRST_MESSAGES, user_id=user_id, limit=limit)


async def delete_user(conn: Conn, user_id: str) -> dict[str, int]:
    """Delete everything of a user; tells how many rows of which table."""
    return {table: await conn.run(query, user_id=user_id) for table, query in OF_USER.items()}


async def note(
    conn: Conn,
    *,
    id_: str,
    what: Forgotten,
    user_id: str,
    conversation_id: str | None,
    counts: Mapping[str, int],
) -> datetime:
    """Note that something was forgotten, without telling whose it was; returns when."""
    return await conn.value(
        NOTE,
        id=id_,
        salt=id_,
        what=what,
        forgotten=user_id,
        conversation_id=conversation_id,
        counts=JsonText(dict(counts)),
    )


async def take_turns(conn: Conn, user_id: str) -> None:
    """Let nobody else forget this user, or write back for them, until the transaction ends."""
    await conn.run(TAKE_TURNS, forgotten=user_id)


async def is_forgotten(
    conn: Conn, *, user_id: str, conversation_id: str | None, said_at: datetime
) -> bool:
    """Whether a user, or this conversation of theirs, was forgotten after that was said."""
    return await conn.value(
        IS_FORGOTTEN, forgotten=user_id, conversation_id=conversation_id, said_at=said_at
    )


async def clock(conn: Conn) -> datetime:
    """The time by which it is told whether something was forgotten since."""
    return await conn.value(CLOCK)


async def recent(conn: Conn, users: Sequence[tuple[int, str]]) -> list[Gone]:
    """Return those of whom something was forgotten within the last minute."""
    return await conn.all(
        Gone, RECENT, tenants=[tenant for tenant, _ in users], users=[user for _, user in users]
    )
