"""Passages: everything that is searched, with its words and its vectors."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.providers.embedder import Vectors
from longterm.records.message import Status
from longterm.records.passage import Kind, NewPassage

# By turn too, which has an index: a long conversation is not read from its beginning.
UNINDEXED = """
    SELECT messages.id, messages.user_id, messages.role, messages.name, messages.content,
           messages.said_at, messages.status, conversations.indexed_through,
           messages.metadata ->> 'model' IS NOT DISTINCT FROM 'offline' AS from_memory
      FROM conversations
      JOIN messages
        ON messages.tenant_id = conversations.tenant_id
       AND messages.conversation_id = conversations.id
       AND messages.id > conversations.indexed_through
       AND messages.turn >= coalesce((SELECT turn
                                        FROM messages AS last
                                       WHERE last.tenant_id = %(tenant_id)s
                                         AND last.id = conversations.indexed_through), 0)
     WHERE conversations.tenant_id = %(tenant_id)s
       AND conversations.id = %(conversation_id)s
     ORDER BY messages.id
     LIMIT %(limit)s
"""

LAST_PLACE = """
    SELECT place
      FROM passages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND place IS NOT NULL
     ORDER BY place DESC
     LIMIT 1
"""

# The number that was seen before is the guard: of two workers one goes away empty-handed.
ADVANCE = """
    UPDATE conversations
       SET indexed_through = %(through)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(conversation_id)s
       AND indexed_through = %(was)s
"""

# As binary (`b`): psycopg writes text arrays four times slower. A message may have been deleted
# since it was read: then there is nothing to search.
INSERT = """
    INSERT INTO passages (tenant_id, user_id, kind, conversation_id, message_id, episode_id,
                          fact_id, fact_version, place, length, said_at)
    SELECT %(tenant_id)s, %(user_id)s, kind, conversation_id, message_id, episode_id, fact_id,
           fact_version, place, length, said_at
      FROM unnest(%(kinds)b::text[], %(conversation_ids)b::uuid[], %(message_ids)b::bigint[],
                  %(episode_ids)b::uuid[], %(fact_ids)b::uuid[], %(fact_versions)b::integer[],
                  %(places)b::integer[], %(lengths)b::integer[], %(said_at)b::timestamptz[])
           WITH ORDINALITY
           AS told (kind, conversation_id, message_id, episode_id, fact_id, fact_version, place,
                    length, said_at, number)
     WHERE message_id IS NULL
        OR EXISTS (SELECT
                     FROM messages
                    WHERE tenant_id = %(tenant_id)s
                      AND id = told.message_id
                      FOR KEY SHARE)
     ORDER BY number
        ON CONFLICT DO NOTHING
 RETURNING id, coalesce(message_id::text, episode_id::text, fact_id::text) AS of
"""

INSERT_POSTINGS = """
    INSERT INTO postings (tenant_id, user_id, term, passage_id, kind, times, length)
    SELECT %(tenant_id)s, %(user_id)s, term, passage_id, kind, least(times, 32767), length
      FROM unnest(%(terms)b::text[], %(passage_ids)b::bigint[], %(kinds)b::text[],
                  %(times)b::integer[], %(lengths)b::integer[])
           AS told (term, passage_id, kind, times, length)
     ORDER BY term, passage_id
"""

COUNT_IN = """
    UPDATE users
       SET passage_count = passage_count + %(passages)s,
           word_count = word_count + %(words)s,
           speakers = CASE WHEN speakers @> %(speakers)s::text[] THEN speakers
                           ELSE (SELECT array_agg(name ORDER BY name)
                                   FROM (SELECT DISTINCT name
                                           FROM unnest(speakers || %(speakers)s::text[]) AS name
                                          LIMIT 200) AS names)
                            END
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""

# With the message before it when somebody else said that: an answer means little without it.
TO_EMBED = """
    SELECT passages.id, passages.kind, passages.said_at,
           coalesce(messages.content, episodes.summary,
                    concat_ws(': ', replace(facts.key, '_', ' '), facts.content)) AS text,
           coalesce((SELECT previous.content
                       FROM passages AS beside
                       JOIN messages AS previous
                         ON previous.tenant_id = beside.tenant_id
                        AND previous.id = beside.message_id
                      WHERE beside.tenant_id = passages.tenant_id
                        AND beside.conversation_id = passages.conversation_id
                        AND beside.place = passages.place - 1
                        AND (previous.role, previous.name) IS DISTINCT FROM
                            (messages.role, messages.name)), '') AS before
      FROM passages
      LEFT JOIN messages
        ON messages.tenant_id = passages.tenant_id
       AND messages.id = passages.message_id
      LEFT JOIN episodes
        ON episodes.tenant_id = passages.tenant_id
       AND episodes.id = passages.episode_id
      LEFT JOIN facts
        ON facts.tenant_id = passages.tenant_id
       AND facts.id = passages.fact_id
       AND facts.version = passages.fact_version
"""

NOT_EMBEDDED = f"""
    {TO_EMBED}
     WHERE passages.tenant_id = %(tenant_id)s
       AND passages.user_id = %(user_id)s
       AND NOT passages.embedded
     ORDER BY passages.id
     LIMIT %(limit)s
"""

NOT_FILLED = f"""
    {TO_EMBED}
     WHERE passages.tenant_id = %(tenant_id)s
       AND passages.id > %(after)s
     ORDER BY passages.id
     LIMIT %(limit)s
"""

# A passage that is gone by now needs no vector. In order: two who store the same ones the other way
# round would wait for each other.
INSERT_VECTORS = """
    INSERT INTO embeddings (tenant_id, user_id, passage_id, generation, part, kind, said_at,
                            dimensions, embedding)
    SELECT passages.tenant_id, passages.user_id, passages.id, %(generation)s, part, passages.kind,
           passages.said_at, %(dimensions)s, vector::halfvec
      FROM unnest(%(passage_ids)b::bigint[], %(parts)b::integer[], %(vectors)b::text[])
           AS told (passage_id, part, vector)
      JOIN passages
        ON passages.tenant_id = %(tenant_id)s
       AND passages.id = told.passage_id
     ORDER BY passages.id, part
        ON CONFLICT DO NOTHING
"""

MARK_EMBEDDED = """
    UPDATE passages
       SET embedded = true
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s)
"""

UNINDEXED_FACTS = """
    SELECT id::text, version, key, content, said_at
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND valid_to IS NULL
       AND NOT archived
       AND NOT EXISTS (SELECT
                         FROM passages
                        WHERE tenant_id = facts.tenant_id
                          AND fact_id = facts.id
                          AND fact_version = facts.version)
     ORDER BY said_at, id
     LIMIT %(limit)s
"""

DELETE_CLOSED_FACTS = """
    DELETE FROM passages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND kind = 'fact'
       AND NOT EXISTS (SELECT
                         FROM facts
                        WHERE tenant_id = passages.tenant_id
                          AND id = passages.fact_id
                          AND version = passages.fact_version
                          AND valid_to IS NULL
                          AND NOT archived)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unindexed:
    """A message that is not searched yet."""

    id: int
    user_id: str
    role: str
    name: str | None
    content: str
    said_at: datetime
    status: Status
    indexed_through: int
    from_memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnindexedFact:
    """A fact that is not searched yet."""

    id: str
    version: int
    key: str | None
    content: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A passage that has no vector yet, with what was said before it."""

    id: int
    kind: Kind
    said_at: datetime
    text: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    id: int
    of: str


async def unindexed(conn: Conn, *, conversation_id: str, limit: int) -> list[Unindexed]:
    """The next messages of a conversation that are not searched yet."""
    return await conn.all(Unindexed, UNINDEXED, conversation_id=conversation_id, limit=limit)


async def unindexed_facts(conn: Conn, *, user_id: str, limit: int) -> list[UnindexedFact]:
    """Facts that hold now and are not searched yet."""
    return await conn.all(UnindexedFact, UNINDEXED_FACTS, user_id=user_id, limit=limit)


async def last_place(conn: Conn, conversation_id: str) -> int:
    """How many messages of a conversation are passages."""
    return await conn.value(LAST_PLACE, conversation_id=conversation_id) or 0


async def advance(conn: Conn, *, conversation_id: str, was: int, through: int) -> bool:
    """Note how far the conversation is indexed; False when somebody else was faster."""
    touched = await conn.run(ADVANCE, conversation_id=conversation_id, was=was, through=through)
    return touched > 0


async def insert(
    conn: Conn, user_id: str, new: Sequence[NewPassage], *, speakers: Sequence[str] = ()
) -> None:
    """Store passages of a user with their words."""
    stored = await conn.all(
        _Stored,
        INSERT,
        user_id=user_id,
        kinds=[passage.kind for passage in new],
        conversation_ids=[passage.conversation_id for passage in new],
        message_ids=[passage.message_id for passage in new],
        episode_ids=[passage.episode_id for passage in new],
        fact_ids=[passage.fact_id for passage in new],
        fact_versions=[passage.fact_version for passage in new],
        places=[passage.place for passage in new],
        lengths=[len(passage.terms) for passage in new],
        said_at=[passage.said_at for passage in new],
    )
    ids = {row.of: row.id for row in stored}
    kept = [(ids[_of(passage)], passage) for passage in new if _of(passage) in ids]
    await _insert_postings(conn, user_id, kept)
    await conn.run(
        COUNT_IN,
        user_id=user_id,
        passages=len(kept),
        words=sum(len(passage.terms) for _, passage in kept),
        speakers=list(speakers),
    )


async def _insert_postings(
    conn: Conn, user_id: str, kept: Sequence[tuple[int, NewPassage]]
) -> None:
    rows = [
        (term, passage_id, passage.kind, times, len(passage.terms))
        for passage_id, passage in kept
        for term, times in Counter(passage.terms).items()
    ]
    if rows:
        terms, passage_ids, kinds, times, lengths = (
            list(column) for column in zip(*rows, strict=True)
        )
        await conn.run(
            INSERT_POSTINGS,
            user_id=user_id,
            terms=terms,
            passage_ids=passage_ids,
            kinds=kinds,
            times=times,
            lengths=lengths,
        )


async def not_embedded(conn: Conn, *, user_id: str, limit: int) -> list[Unembedded]:
    """Passages of a user that have no vector yet, oldest first."""
    return await conn.all(Unembedded, NOT_EMBEDDED, user_id=user_id, limit=limit)


async def not_filled(conn: Conn, *, after: int, limit: int) -> list[Unembedded]:
    """The next passages of the tenant, for a generation that is being filled."""
    return await conn.all(Unembedded, NOT_FILLED, after=after, limit=limit)


async def insert_vectors(
    conn: Conn, owners: Sequence[tuple[int, int]], vectors: Vectors, *, generation: int
) -> None:
    """Store the vectors of passages; an owner is a passage and the number of its part."""
    await conn.run(
        INSERT_VECTORS,
        generation=generation,
        dimensions=vectors.shape[1],
        passage_ids=[passage_id for passage_id, _ in owners],
        parts=[part for _, part in owners],
        vectors=[literal(vector) for vector in vectors],
    )


async def mark_embedded(conn: Conn, ids: Sequence[int]) -> None:
    """Note that passages have their vectors."""
    await conn.run(MARK_EMBEDDED, ids=list(ids))


async def delete_closed_facts(conn: Conn, user_id: str) -> None:
    """Take what does not hold any more out of the search."""
    await conn.run(DELETE_CLOSED_FACTS, user_id=user_id)


def literal(vector: Vectors) -> str:
    """A vector as PostgreSQL reads it."""
    return f"[{','.join(map(str, vector.tolist()))}]"


def _of(passage: NewPassage) -> str:
    return str(passage.message_id or passage.episode_id or passage.fact_id)
