"""The ledger: what was learned from which message, and how far a conversation was read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from longterm.postgres.transaction import Conn

Outcome = Literal["extracted", "nothing", "refused", "skipped", "failed"]

# Conversations are read in order: ids rise with the turns.
UNREAD = """
    SELECT messages.id, messages.user_id, messages.role, messages.content, messages.said_at,
           conversations.learned_through, coalesce(ledger.attempts, 0) AS attempts
      FROM conversations
      JOIN messages
        ON messages.tenant_id = conversations.tenant_id
       AND messages.conversation_id = conversations.id
       AND messages.id > conversations.learned_through
       AND messages.turn >= coalesce((SELECT turn
                                        FROM messages AS last
                                       WHERE last.tenant_id = %(tenant_id)s
                                         AND last.id = conversations.learned_through), 0)
      LEFT JOIN ledger
        ON ledger.tenant_id = messages.tenant_id
       AND ledger.message_id = messages.id
     WHERE conversations.tenant_id = %(tenant_id)s
       AND conversations.id = %(conversation_id)s
     ORDER BY messages.id
     LIMIT %(limit)s
"""

# The number that was read before is the guard: of two workers one goes away empty-handed.
ADVANCE = """
    UPDATE conversations
       SET learned_through = %(through)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND learned_through = %(was)s
"""

WRITE = """
    INSERT INTO ledger (tenant_id, message_id, user_id, outcome, facts, reason, extractor)
    VALUES (%(tenant_id)s, %(message_id)s, %(user_id)s, %(outcome)s, %(facts)s, %(reason)s,
            %(extractor)s)
        ON CONFLICT (tenant_id, message_id) DO UPDATE
       SET outcome = excluded.outcome,
           facts = excluded.facts,
           reason = excluded.reason,
           extractor = excluded.extractor,
           retry_at = NULL,
           at = now()
"""

# Not over what another worker made of it in the meantime.
FAIL = """
    INSERT INTO ledger (tenant_id, message_id, user_id, outcome, reason, extractor, attempts,
                        retry_at)
    SELECT tenant_id, id, user_id, 'failed', %(reason)s, %(extractor)s, %(attempts)s, %(retry_at)s
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(message_ids)s)
        ON CONFLICT (tenant_id, message_id) DO UPDATE
       SET reason = excluded.reason,
           extractor = excluded.extractor,
           attempts = ledger.attempts + excluded.attempts,
           retry_at = excluded.retry_at,
           at = now()
     WHERE ledger.outcome = 'failed'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A message that nothing was learned from yet."""

    id: int
    user_id: str
    role: str
    content: str
    said_at: datetime
    learned_through: int
    attempts: int


async def unread(conn: Conn, *, conversation_id: str, limit: int) -> list[Unread]:
    """The next messages of a conversation to learn from."""
    return await conn.all(Unread, UNREAD, conversation_id=conversation_id, limit=limit)


async def advance(conn: Conn, *, conversation_id: str, was: int, through: int) -> bool:
    """Note how far the conversation was read; False when somebody else was faster."""
    touched = await conn.run(ADVANCE, conversation_id=conversation_id, was=was, through=through)
    return touched > 0


async def write(
    conn: Conn,
    message: Unread,
    *,
    outcome: Outcome,
    facts: int,
    reason: str | None,
    extractor: str,
) -> None:
    """Note what came of a message."""
    await conn.run(
        WRITE,
        message_id=message.id,
        user_id=message.user_id,
        outcome=outcome,
        facts=facts,
        reason=reason,
        extractor=extractor,
    )


async def fail(
    conn: Conn,
    failed: Sequence[Unread],
    *,
    reason: str,
    extractor: str,
    attempts: int,
    retry_at: datetime,
) -> None:
    """Note that nothing could be made of some messages yet, why, and when it is tried again."""
    await conn.run(
        FAIL,
        message_ids=[message.id for message in failed],
        reason=reason,
        extractor=extractor,
        attempts=attempts,
        retry_at=retry_at,
    )
