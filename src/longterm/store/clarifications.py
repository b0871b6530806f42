"""Questions of ours that wait for an answer: five minutes, one for each conversation."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn

# Not for a conversation that was forgotten meanwhile.
PUT = """
    INSERT INTO clarifications (tenant_id, conversation_id, user_id, query, question, options,
                                expires_at)
    SELECT %(tenant_id)s, id, user_id, %(query)s, %(question)s, %(options)s, now() + %(alive)s
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND user_id = %(user_id)s
       FOR KEY SHARE
        ON CONFLICT (tenant_id, conversation_id) DO UPDATE
       SET query = excluded.query,
           question = excluded.question,
           options = excluded.options,
           expires_at = excluded.expires_at
"""

WAITS = """
    SELECT EXISTS (SELECT
                     FROM clarifications
                    WHERE tenant_id = %(tenant_id)s
                      AND conversation_id = %(conversation_id)s
                      AND user_id = %(user_id)s)
"""

# Of two who answer at once, one finds it.
TAKE = """
    WITH taken AS (
        DELETE FROM clarifications
         WHERE tenant_id = %(tenant_id)s
           AND conversation_id = %(conversation_id)s
           AND user_id = %(user_id)s
     RETURNING query, question, options, expires_at
    )
    SELECT query, question, options
      FROM taken
     WHERE expires_at > now()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What was asked, and what we asked back."""

    query: str
    question: str
    options: list[dict[str, Any]]


async def put(
    conn: Conn,
    *,
    conversation_id: str,
    user_id: str,
    query: str,
    question: str,
    options: list[dict[str, Any]],
    alive: timedelta,
) -> None:
    """Wait for an answer, in place of an earlier question."""
    await conn.run(
        PUT,
        conversation_id=conversation_id,
        user_id=user_id,
        query=query,
        question=question,
        options=JsonText(options),
        alive=alive,
    )


async def waits(conn: Conn, *, conversation_id: str, user_id: str) -> bool:
    """Whether there is a question to take."""
    return await conn.value(WAITS, conversation_id=conversation_id, user_id=user_id)


async def take(conn: Conn, *, conversation_id: str, user_id: str) -> Pending | None:
    """The question that waits, which then waits no more; None when there is none alive."""
    return await conn.first(Pending, TAKE, conversation_id=conversation_id, user_id=user_id)
