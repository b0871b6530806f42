"""What a memory has beside its searches: how much there is, whether it is ready, whole texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn

LEXICON = """
    SELECT passage_count, word_count, speakers, mode,
           (SELECT max(said_at)
              FROM passages
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s) AS last_said_at,
           generations.id AS generation, generations.model, generations.dimensions
      FROM users
      LEFT JOIN generations
        ON generations.tenant_id = %(tenant_id)s
       AND generations.state = 'serving'
     WHERE users.tenant_id = %(tenant_id)s
       AND users.user_id = %(user_id)s
"""

# Turns of a conversation are counted up, so that what is not indexed is at its end.
SEARCHABLE = """
    SELECT turn_count >= %(turn)s
       AND NOT EXISTS (SELECT
                         FROM messages
                        WHERE tenant_id = conversations.tenant_id
                          AND conversation_id = conversations.id
                          AND turn <= %(turn)s
                          AND turn >= coalesce((SELECT turn
                                                  FROM messages AS last
                                                 WHERE last.tenant_id = %(tenant_id)s
                                                   AND last.id = conversations.indexed_through), 0)
                          AND id > conversations.indexed_through)
       AND NOT EXISTS (SELECT
                         FROM passages
                         JOIN messages
                           ON messages.tenant_id = passages.tenant_id
                          AND messages.id = passages.message_id
                          AND messages.turn <= %(turn)s
                        WHERE passages.tenant_id = conversations.tenant_id
                          AND passages.user_id = conversations.user_id
                          AND NOT passages.embedded
                          AND passages.conversation_id = conversations.id)
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND user_id = %(user_id)s
"""

FULL_TEXTS = """
    SELECT id, content
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(ids)s)
     ORDER BY id
"""

COUNT_USE = """
    UPDATE facts
       SET access_count = access_count + 1,
           last_accessed_at = now()
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(ids)s::uuid[])
       AND valid_to IS NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """What the search has to know before it begins, of a user and of the vectors that serve."""

    passage_count: int
    word_count: int
    speakers: list[str]
    mode: str | None
    last_said_at: datetime | None
    generation: int | None
    model: str | None
    dimensions: int | None


async def lexicon(conn: Conn, user_id: str) -> Lexicon | None:
    """How many passages and words a user has, and who speaks; None for a stranger."""
    return await conn.first(Lexicon, LEXICON, user_id=user_id)


async def is_searchable(
    conn: Conn, *, user_id: str, conversation_id: str, turn: int
) -> bool | None:
    """Whether a turn and all before it are found; None when the user has no such conversation."""
    return await conn.value(SEARCHABLE, user_id=user_id, conversation_id=conversation_id, turn=turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FullText:
    id: int
    content: str


async def full_texts(conn: Conn, *, user_id: str, ids: Sequence[int]) -> dict[int, str]:
    """All that some messages say, where a search read only their beginnings."""
    found = await conn.all(_FullText, FULL_TEXTS, user_id=user_id, ids=list(ids))
    return {each.id: each.content for each in found}


async def count_use(conn: Conn, *, user_id: str, fact_ids: Sequence[str]) -> None:
    """Count that facts were used."""
    await conn.run(COUNT_USE, user_id=user_id, ids=list(fact_ids))
