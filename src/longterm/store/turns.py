"""Turns: how the messages of a conversation are numbered.

Each of the first texts is the part `conversation` of a statement that stores a message: it locks the
conversation's row and returns its `id`, the `turn` of the message and its time `updated_at`.
"""

from longterm.postgres.transaction import Conn
from longterm.store import conversations

_TOUCHED = """
               updated_at = clock_timestamp(),
               expires_at = now() + retention_hours * interval '1 hour'
"""

# The row is locked by raising its counter, so turns are numbered without gaps however many write
# at once. A user message opens a turn; an answer closes the open one or is a turn of its own.
# `%(answered)s`: the answer names its question, so no other message may close the turn.
_NEXT = f"""
        UPDATE conversations
           SET turn_count = turn_count
                   + CASE WHEN %(role)s = 'assistant' AND turn_open THEN 0 ELSE 1 END,
               turn_open = %(role)s = 'user' AND NOT %(answered)s,{_TOUCHED}
"""

# The conversation that is used becomes the current one. Two parts for "this one" and "the
# current one": in one, the planner would look through all conversations of the user.
HERE = f"""conversation AS ({_NEXT}
         WHERE tenant_id = %(tenant_id)s
           AND id = %(conversation_id)s
           AND user_id = %(user_id)s
           AND (expires_at IS NULL OR expires_at > now())
     RETURNING id, kind, turn_count AS turn, updated_at
    ), chosen AS (
        UPDATE users
           SET current_conversation_id = conversation.id
          FROM conversation
         WHERE users.tenant_id = %(tenant_id)s
           AND users.user_id = %(user_id)s
           AND users.current_conversation_id IS DISTINCT FROM conversation.id
           AND conversation.kind = 'conversation'
    )"""

IN_CURRENT = f"""conversation AS ({_NEXT}
          FROM users
         WHERE users.tenant_id = %(tenant_id)s
           AND users.user_id = %(user_id)s
           AND conversations.tenant_id = %(tenant_id)s
           AND conversations.id = users.current_conversation_id
           AND conversations.user_id = users.user_id
           AND NOT archived
           AND (expires_at IS NULL OR expires_at > now())
     RETURNING conversations.id, turn_count AS turn, conversations.updated_at
    )"""

# An answer goes to the turn of its question, also when later turns were opened meanwhile. Where
# the question has an answer already, it is a turn of its own. The conversation must be locked
# before: the question and its answer are looked up in the snapshot of this statement.
#
# In a conversation ids rise with the turns. The sequence leaves every second id free, so a late
# answer takes the id after its question's. It may be behind the last indexed message:
# `indexed_through` goes back to its question.
TO_QUESTION = f"""question AS (
        SELECT id, conversation_id, turn,
               EXISTS (SELECT
                         FROM messages AS answer
                        WHERE answer.tenant_id = %(tenant_id)s
                          AND answer.conversation_id = messages.conversation_id
                          AND answer.turn = messages.turn
                          AND answer.role = 'assistant') AS is_answered,
               EXISTS (SELECT
                         FROM messages AS next
                        WHERE next.tenant_id = %(tenant_id)s
                          AND next.id = messages.id + 1) AS is_followed
          FROM messages
         WHERE tenant_id = %(tenant_id)s
           AND id = %(question_id)s
           AND user_id = %(user_id)s
           AND role = 'user'
    ), conversation AS (
        UPDATE conversations
           SET turn_count = turn_count + is_answered::integer,
               turn_open = turn_open AND NOT is_answered AND turn < turn_count,
               indexed_through = CASE WHEN is_answered THEN indexed_through
                                      ELSE least(indexed_through, question.id) END,{_TOUCHED}
          FROM question
         WHERE conversations.tenant_id = %(tenant_id)s
           AND conversations.id = question.conversation_id
           AND (expires_at IS NULL OR expires_at > now())
     RETURNING conversations.id, updated_at,
               CASE WHEN is_answered THEN turn_count ELSE turn END AS turn,
               CASE WHEN is_answered OR is_followed OR turn = turn_count
                    THEN nextval('messages_id_seq')
                    ELSE question.id + 1 END AS message_id
    )"""

# The last turn is open when it has a question, no answer, and none under way.
REOPEN = """
    UPDATE conversations
       SET turn_open = EXISTS (SELECT
                                 FROM messages
                                WHERE messages.tenant_id = %(tenant_id)s
                                  AND messages.conversation_id = conversations.id
                                  AND messages.turn = conversations.turn_count
                                  AND messages.role = 'user'
                                  AND NOT EXISTS (SELECT
                                                    FROM answers
                                                   WHERE tenant_id = %(tenant_id)s
                                                     AND question_id = messages.id))
                   AND NOT EXISTS (SELECT
                                     FROM messages
                                    WHERE messages.tenant_id = %(tenant_id)s
                                      AND messages.conversation_id = conversations.id
                                      AND messages.turn = conversations.turn_count
                                      AND messages.role = 'assistant')
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
"""


async def reopen(conn: Conn, conversation_id: str) -> None:
    """Let the next assistant message close the last turn, if that has no answer."""
    await conversations.lock(conn, conversation_id)
    await conn.run(REOPEN, conversation_id=conversation_id)
