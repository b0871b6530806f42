"""Forgetting messages of a conversation, with all that was made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from longterm.postgres.transaction import Conn

PLACE = """
    SELECT user_id, conversation_id::text, turn
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND (%(user_id)s::text IS NULL OR user_id = %(user_id)s)
"""

# Archived ones too.
IDS = """
    SELECT id
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND user_id = %(user_id)s
       AND id >= %(first)s
     ORDER BY id
"""

HAVE_NAMES = """
    SELECT EXISTS (SELECT
                     FROM messages
                    WHERE tenant_id = %(tenant_id)s
                      AND id = ANY(%(message_ids)s)
                      AND name IS NOT NULL)
"""

# Vectors of what came next were made with what came before it.
UNEMBED_NEXT = """
    WITH next AS (
        UPDATE passages
           SET embedded = false
         WHERE tenant_id = %(tenant_id)s
           AND conversation_id = %(conversation_id)s
           AND message_id <> ALL(%(message_ids)s::bigint[])
           AND place IN (SELECT place + 1
                           FROM passages
                          WHERE tenant_id = %(tenant_id)s
                            AND message_id = ANY(%(message_ids)s::bigint[]))
     RETURNING id
    )
    DELETE FROM embeddings
     WHERE tenant_id = %(tenant_id)s
       AND passage_id IN (SELECT id FROM next)
"""

# The first episode with something of it, and all after it: each holds a summary of all before.
DELETE_EPISODES = """
    DELETE FROM episodes
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND turn_end >= %(turn)s
"""

_PASSAGES = """
    (SELECT id
       FROM passages
      WHERE tenant_id = %(tenant_id)s
        AND (message_id = ANY(%(message_ids)s::bigint[])
             OR episode_id IN (SELECT id
                                 FROM episodes
                                WHERE tenant_id = %(tenant_id)s
                                  AND conversation_id = %(conversation_id)s
                                  AND turn_end >= %(turn)s)))
"""

DELETE_EMBEDDINGS = f"""
    DELETE FROM embeddings
     WHERE tenant_id = %(tenant_id)s
       AND passage_id IN {_PASSAGES}
"""

DELETE_POSTINGS = f"""
    DELETE FROM postings
     WHERE tenant_id = %(tenant_id)s
       AND passage_id IN {_PASSAGES}
"""

DELETE_PASSAGES = f"""
    DELETE FROM passages
     WHERE tenant_id = %(tenant_id)s
       AND id IN {_PASSAGES}
"""

DELETE_LEDGER = """
    DELETE FROM ledger
     WHERE tenant_id = %(tenant_id)s
       AND message_id = ANY(%(message_ids)s)
"""

DELETE_ANSWERS = """
    DELETE FROM answers
     WHERE tenant_id = %(tenant_id)s
       AND (question_id = ANY(%(message_ids)s) OR answer_id = ANY(%(message_ids)s))
"""

DELETE_MESSAGES = """
    DELETE FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(message_ids)s)
"""

# The keys of these tasks are conversations and messages.
DELETE_JOBS = """
    DELETE FROM jobs
     WHERE tenant_id = %(tenant_id)s
       AND (task = 'settle' AND key = ANY(%(message_ids)s::bigint[]::text[])
            OR task IN ('digest', 'learn') AND key = %(whole)s::text)
"""

DELETE_CLARIFICATIONS = """
    DELETE FROM clarifications
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
"""

# Answers that are kept to be repeated name their conversation; one that names none, such as
# what a model's server said, may be of this one.
DELETE_REPLIES = """
    DELETE FROM idempotency
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (position(convert_to(%(conversation_id)s::text, 'UTF8') IN body) > 0
            OR position('conversation_id'::bytea IN body) = 0)
"""

# Back to before the first episode that is gone, or the first turn where none held it.
REWIND_SUMMARY = """
    UPDATE conversations
       SET summarised_through = coalesce(
               (SELECT min(turn_start) - 1
                  FROM episodes
                 WHERE tenant_id = %(tenant_id)s
                   AND conversation_id = %(conversation_id)s
                   AND turn_end >= %(turn)s),
               least(summarised_through, %(turn)s - 1)),
           title = CASE WHEN title_by <> 'person' AND %(turn)s <= 10 THEN NULL ELSE title END,
           title_by = CASE WHEN title_by <> 'person' AND %(turn)s <= 10 THEN NULL
                           ELSE title_by END
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
"""

# The next number follows the last turn that is left.
REWIND_TURNS = """
    UPDATE conversations
       SET turn_count = coalesce(last.turn, 0),
           turn_open = coalesce(last.role = 'user', false)
      FROM (SELECT) AS nothing
      LEFT JOIN (SELECT turn, role
                   FROM messages
                  WHERE tenant_id = %(tenant_id)s
                    AND conversation_id = %(conversation_id)s
                  ORDER BY turn DESC, id DESC
                  LIMIT 1) AS last
        ON true
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
"""

RENAME_SPEAKERS = """
    UPDATE users
       SET speakers = (SELECT coalesce(array_agg(name ORDER BY name), '{}')
                         FROM (SELECT DISTINCT name
                                 FROM messages
                                WHERE tenant_id = %(tenant_id)s
                                  AND user_id = %(user_id)s
                                  AND name IS NOT NULL
                                LIMIT 200) AS names)
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

LEAVE = """
    UPDATE users
       SET current_conversation_id = NULL
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND current_conversation_id = %(conversation_id)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message stands."""

    user_id: str
    conversation_id: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """The messages that go, and the first turn that they leave; `whole` when all go."""

    user_id: str
    conversation_id: str
    message_ids: Sequence[int]
    turn: int
    whole: bool


async def place(conn: Conn, *, user_id: str | None, message_id: int) -> Place | None:
    """Where a message of a user, or of anybody, stands, if it is there."""
    return await conn.first(Place, PLACE, user_id=user_id, id=message_id)


async def ids(conn: Conn, *, user_id: str, conversation_id: str, first: int) -> list[int]:
    """The messages of a conversation from one on."""
    return await conn.values(IDS, user_id=user_id, conversation_id=conversation_id, first=first)


async def have_names(conn: Conn, message_ids: Sequence[int]) -> bool:
    """Whether any of these messages names its speaker."""
    return await conn.value(HAVE_NAMES, message_ids=list(message_ids))


# In this order: what is found by way of something else goes before that.
_STEPS: Mapping[str, LiteralString] = {
    "embeddings": DELETE_EMBEDDINGS,
    "postings": DELETE_POSTINGS,
    "passages": DELETE_PASSAGES,
    "ledger": DELETE_LEDGER,
    "answers": DELETE_ANSWERS,
    "episodes": DELETE_EPISODES,
    "clarifications": DELETE_CLARIFICATIONS,
    "idempotency": DELETE_REPLIES,
    "jobs": DELETE_JOBS,
    "messages": DELETE_MESSAGES,
}


async def delete(conn: Conn, gone: Gone) -> dict[str, int]:
    """Delete messages with all that was made of them but facts; tells how many of what."""
    given = {
        "user_id": gone.user_id,
        "conversation_id": gone.conversation_id,
        "message_ids": list(gone.message_ids),
        "turn": gone.turn,
        "whole": gone.conversation_id if gone.whole else None,
    }
    named = await have_names(conn, gone.message_ids)
    await conn.run(UNEMBED_NEXT, **given)
    await conn.run(REWIND_SUMMARY, **given)
    counts = {table: await conn.run(query, **given) for table, query in _STEPS.items()}
    if named:
        await conn.run(RENAME_SPEAKERS, user_id=gone.user_id)
    return counts


async def rewind_turns(conn: Conn, conversation_id: str) -> None:
    """Let the next turn follow the last one that is left."""
    await conn.run(REWIND_TURNS, conversation_id=conversation_id)


async def leave(conn: Conn, *, user_id: str, conversation_id: str) -> None:
    """Let a conversation that goes not be the current one."""
    await conn.run(LEAVE, user_id=user_id, conversation_id=conversation_id)
