"""Facts beside what they were learned from, for those who check them."""

from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.hygiene import Sourced

SOURCED = """
    SELECT facts.id::text, facts.content, facts.key, facts.origin, facts.fingerprint,
           facts.said_at, facts.access_count, facts.last_accessed_at, facts.said_count,
           facts.span_start, facts.span_end, facts.source_message_id IS NOT NULL AS has_source,
           messages.role AS source_role, messages.content AS source_content
      FROM facts
      LEFT JOIN messages
        ON messages.tenant_id = facts.tenant_id
       AND messages.id = facts.source_message_id
     WHERE facts.tenant_id = %(tenant_id)s
       AND facts.user_id = %(user_id)s
       AND facts.valid_to IS NULL
     ORDER BY facts.said_at, facts.id
"""

# Everything that can be read again, in the order in which it was said.
LOG = """
    SELECT messages.id, messages.conversation_id::text, messages.role, messages.content,
           messages.said_at
      FROM messages
      JOIN conversations
        ON conversations.tenant_id = messages.tenant_id
       AND conversations.id = messages.conversation_id
       AND (conversations.expires_at IS NULL OR conversations.expires_at > now())
     WHERE messages.tenant_id = %(tenant_id)s
       AND messages.user_id = %(user_id)s
       AND messages.archived_at IS NULL
       AND (messages.said_at, messages.id) > (%(after)s::timestamptz, %(after_id)s::bigint)
     ORDER BY messages.said_at, messages.id
     LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A message of the log."""

    id: int
    conversation_id: str
    role: str
    content: str
    said_at: datetime


async def sourced(conn: Conn, user_id: str) -> list[Sourced]:
    """What holds now, each with its source."""
    return await conn.all(Sourced, SOURCED, user_id=user_id)


async def log_after(
    conn: Conn, *, user_id: str, after: tuple[datetime | str, int], limit: int
) -> list[Logged]:
    """The next messages of a user, in the order in which they were said."""
    return await conn.all(
        Logged, LOG, user_id=user_id, after=after[0], after_id=after[1], limit=limit
    )
