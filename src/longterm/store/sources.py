"""Sources: the messages and conversations that facts rest on."""

from collections.abc import Sequence

from longterm.postgres.transaction import Conn

# Locked, so that nobody deletes it before the fact that names it is stored.
CONVERSATION = """
    SELECT id::text
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND user_id = %(user_id)s
       AND (expires_at IS NULL OR expires_at > now())
       FOR KEY SHARE
"""

CONVERSATION_OF_MESSAGE = """
    SELECT conversation_id::text
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = %(message_id)s
       AND user_id = %(user_id)s
       AND (SELECT expires_at IS NULL OR expires_at > now()
              FROM conversations
             WHERE tenant_id = %(tenant_id)s
               AND id = messages.conversation_id)
       FOR KEY SHARE
"""

MARK_MESSAGES_GONE = """
    UPDATE facts
       SET source_gone = true
     WHERE tenant_id = %(tenant_id)s
       AND source_message_id = ANY(%(message_ids)s::bigint[])
       AND NOT source_gone
"""

# By way of the users, for whose facts there is an index.
MARK_CONVERSATIONS_GONE = """
    UPDATE facts
       SET source_gone = true
     WHERE tenant_id = %(tenant_id)s
       AND user_id = ANY(%(user_ids)s)
       AND source_conversation_id = ANY(%(conversation_ids)s::uuid[])
       AND NOT source_gone
"""


async def has_conversation(conn: Conn, *, user_id: str, conversation_id: str) -> bool:
    """Whether a conversation of a user is there; it stays until the transaction ends."""
    found = await conn.value(CONVERSATION, user_id=user_id, conversation_id=conversation_id)
    return found is not None


async def conversation_of_message(conn: Conn, *, user_id: str, message_id: int) -> str | None:
    """The conversation of a message of a user, which stays until the transaction ends."""
    return await conn.value(CONVERSATION_OF_MESSAGE, user_id=user_id, message_id=message_id)


async def mark_messages_gone(conn: Conn, message_ids: Sequence[int]) -> None:
    """Mark the facts that come from messages which are deleted in this transaction."""
    await conn.run(MARK_MESSAGES_GONE, message_ids=list(message_ids))


async def mark_conversations_gone(
    conn: Conn, *, user_ids: Sequence[str], conversation_ids: Sequence[str]
) -> None:
    """Mark the facts that come from conversations which are deleted in this transaction."""
    await conn.run(
        MARK_CONVERSATIONS_GONE, user_ids=list(user_ids), conversation_ids=list(conversation_ids)
    )
