"""Threads: which messages of a client's history are stored, and in which conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.json import Json
from longterm.records.thread import Knot
from longterm.store import turns

# Of one user at a time: the same request that comes twice at once is stored once.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('thread ' || %(user_id)s, %(tenant_id)s))"

_COLUMNS = "conversation_id, chain, parent, recent, role, message_id, partial, noted_at, place"

_KNOT = """
    found.conversation_id, found.chain, found.parent, found.recent, found.role, found.message_id,
    found.partial, extract(epoch FROM clock_timestamp() - found.noted_at)::float8 AS age_s,
    NOT EXISTS (SELECT
                  FROM threads AS later
                 WHERE later.tenant_id = %(tenant_id)s
                   AND later.conversation_id = found.conversation_id
                   AND later.place > found.place) AS is_last
"""

_ALIVE = """
           AND (%(within)s::uuid IS NULL OR threads.conversation_id = %(within)s)
           AND (SELECT expires_at IS NULL OR expires_at > now()
                  FROM conversations
                 WHERE tenant_id = %(tenant_id)s
                   AND id = threads.conversation_id)
         ORDER BY place DESC
         LIMIT 20
"""

# The longest part of a history that is there. Of several conversations that begin alike, the one
# that nobody went on with.
_FOUND = """) AS found
     ORDER BY depth DESC, is_last DESC, place DESC
     LIMIT 1
"""

BY_CHAIN = f"""
    SELECT depth, {_KNOT}
      FROM unnest(%(hashes)s::bytea[]) WITH ORDINALITY AS wanted (hash, depth)
     CROSS JOIN LATERAL (
        SELECT {_COLUMNS}
          FROM threads
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND chain = wanted.hash
{_ALIVE}{_FOUND}"""

BY_RECENT = f"""
    SELECT depth, {_KNOT}
      FROM unnest(%(hashes)s::bytea[]) WITH ORDINALITY AS wanted (hash, depth)
     CROSS JOIN LATERAL (
        SELECT {_COLUMNS}
          FROM threads
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND recent = wanted.hash
{_ALIVE}{_FOUND}"""

GET = f"""
    SELECT {_KNOT}
      FROM threads AS found
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND chain = %(chain)s
"""

LAST = f"""
    SELECT {_KNOT}
      FROM threads AS found
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
     ORDER BY place DESC
     LIMIT 1
"""

# By the clock, and not when the transaction began: it may have waited for its turn.
INSERT = """
    INSERT INTO threads (tenant_id, conversation_id, chain, user_id, parent, recent, role,
                         message_id, partial, noted_at)
    VALUES (%(tenant_id)s, %(conversation_id)s, %(chain)s, %(user_id)s, %(parent)s, %(recent)s,
            %(role)s, %(message_id)s, %(partial)s, clock_timestamp())
        ON CONFLICT (tenant_id, conversation_id, chain) DO NOTHING
"""

DELETE = """
    DELETE FROM threads
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND chain = %(chain)s
"""

WHOLE = """
    UPDATE threads
       SET partial = false
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND chain = %(chain)s
"""

GET_CALLS = """
    SELECT tool_calls
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = %(message_id)s
"""

SET_CALLS = """
    UPDATE messages
       SET tool_calls = %(tool_calls)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(message_id)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Knot):
    """The last message of a history that is there; it is the `depth`th."""

    depth: int


async def lock(conn: Conn, user_id: str) -> None:
    """Let nobody else note something of this user until the transaction ends."""
    await conn.value(LOCK, user_id=user_id)


async def by_chain(
    conn: Conn, *, user_id: str, chains: Sequence[bytes], within: str | None
) -> Match | None:
    """The longest beginning of a history that is there."""
    return await conn.first(Match, BY_CHAIN, user_id=user_id, hashes=list(chains), within=within)


async def by_recent(
    conn: Conn, *, user_id: str, recents: Sequence[bytes | None], within: str | None
) -> Match | None:
    """The newest four messages in a row that are there."""
    return await conn.first(Match, BY_RECENT, user_id=user_id, hashes=list(recents), within=within)


async def get(conn: Conn, conversation_id: str, chain: bytes) -> Knot | None:
    """One message of a thread, if it is there."""
    return await conn.first(Knot, GET, conversation_id=conversation_id, chain=chain)


async def last(conn: Conn, conversation_id: str) -> Knot | None:
    """The message of a thread that was noted last."""
    return await conn.first(Knot, LAST, conversation_id=conversation_id)


async def insert(conn: Conn, knot: Knot, *, user_id: str) -> None:
    """Note a message."""
    await conn.run(
        INSERT,
        conversation_id=knot.conversation_id,
        chain=knot.chain,
        user_id=user_id,
        parent=knot.parent,
        recent=knot.recent,
        role=knot.role,
        message_id=knot.message_id,
        partial=knot.partial,
    )


async def delete(conn: Conn, knot: Knot) -> None:
    """Forget that a message was noted, and open its turn again."""
    await conn.run(DELETE, conversation_id=knot.conversation_id, chain=knot.chain)
    await turns.reopen(conn, knot.conversation_id)


async def make_whole(conn: Conn, knot: Knot) -> None:
    """Note that nothing is missing of a message."""
    await conn.run(WHOLE, conversation_id=knot.conversation_id, chain=knot.chain)


async def get_calls(conn: Conn, message_id: int) -> Json:
    """The tool calls of a message."""
    return await conn.value(GET_CALLS, message_id=message_id)


async def set_calls(conn: Conn, message_id: int, tool_calls: Json) -> None:
    """Put tool calls with their results in the place of those without."""
    await conn.run(SET_CALLS, message_id=message_id, tool_calls=JsonText(tool_calls))
