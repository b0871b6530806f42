"""What answers were made from: numbers and ids in their metadata, and what is there of it now."""

from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.records.passage import Kind

# The question of an answer stands in the same turn.
ANSWER = """
    SELECT answer.conversation_id, answer.metadata -> 'memories' AS told,
           question.id AS question_id, coalesce(question.content, '') AS question
      FROM messages AS answer
      LEFT JOIN messages AS question
        ON question.tenant_id = answer.tenant_id
       AND question.conversation_id = answer.conversation_id
       AND question.turn = answer.turn
       AND question.role = 'user'
       AND question.archived_at IS NULL
     WHERE answer.tenant_id = %(tenant_id)s
       AND answer.id = %(answer_id)s
       AND answer.user_id = %(user_id)s
       AND answer.archived_at IS NULL
       AND (SELECT expires_at IS NULL OR expires_at > now()
              FROM conversations
             WHERE tenant_id = answer.tenant_id
               AND id = answer.conversation_id)
"""

# Of a fact, its newest version.
NOW = """
    SELECT 'turn' AS kind, id::text AS id, content AS text, conversation_id,
           ARRAY[id] AS message_ids, said_at, coalesce(name, role) AS speaker
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(turns)s::bigint[])
       AND archived_at IS NULL
     UNION ALL
    SELECT 'episode', id::text, summary, conversation_id, '{}', said_to, NULL
      FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(episodes)s::uuid[])
     UNION ALL
    SELECT 'fact', newest.id::text, content, source_conversation_id,
           CASE WHEN source_gone THEN '{}' ELSE array_remove(ARRAY[source_message_id], NULL) END,
           said_at, NULL
      FROM (SELECT DISTINCT ON (id) id, content, source_conversation_id, source_message_id,
                   source_gone, said_at
              FROM facts
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
               AND id = ANY(%(facts)s::uuid[])
             ORDER BY id, version DESC) AS newest
     ORDER BY kind, id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer, what it was made from by ids, and its question."""

    conversation_id: str
    told: JsonObject | None
    question_id: int | None
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """A memory as it reads now."""

    kind: Kind
    id: str
    text: str
    conversation_id: str | None
    message_ids: list[int]
    said_at: datetime
    speaker: str | None


async def answered(conn: Conn, *, user_id: str, answer_id: int) -> Answered | None:
    """A message of a user and what it was made from, if it is there."""
    return await conn.first(Answered, ANSWER, user_id=user_id, answer_id=answer_id)


async def now(
    conn: Conn, *, user_id: str, turns: list[int], episodes: list[str], facts: list[str]
) -> list[Now]:
    """What is there now of some memories."""
    return await conn.all(Now, NOW, user_id=user_id, turns=turns, episodes=episodes, facts=facts)
