"""Search over the passages of one user: exact by meaning, exact by words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.passage import Kind
from longterm.store.lexicon import Lexicon

# Vectors have length 1, so that the inner product is the cosine. The query's is read in a
# sub-select: otherwise it is parsed once for each row. How long they are stands in the
# text: with a value in its place, no plan for everybody could use the index, which has only those.
_MEANING = """
    SELECT passage_id, -(embedding <#> (SELECT %(vector)s::halfvec)) AS score
      FROM embeddings
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND generation = %(generation)s
       AND kind = ANY(%(kinds)s)
"""

_NARROW, _WIDE = "AND dimensions <= 1280", "AND dimensions > 1280"
WIDEST = 1280

_NEAREST = """
     ORDER BY embedding <#> (SELECT %(vector)s::halfvec)
     LIMIT %(vectors)s
"""

_WITHIN = """
       AND (%(after)s::timestamptz IS NULL OR said_at >= %(after)s)
       AND (%(before)s::timestamptz IS NULL OR said_at <= %(before)s)
       AND (%(conversation_id)s::uuid IS NULL
            OR kind = 'fact'
            OR passage_id IN (SELECT id
                                FROM passages
                               WHERE tenant_id = %(tenant_id)s
                                 AND conversation_id = %(conversation_id)s))
"""

# BM25 with k1 = 1.2 and b = .75: a small b costs ten points where assistants write long answers.
# One look-up for each term: a planner without statistics makes nothing worse of it.
_BM25 = """passage_id,
           sum(ln(1 + (greatest(%(passages)s, df) - df + 0.5::float8) / (df + 0.5::float8))
               * times * 2.2::float8
               / (times + 1.2::float8 * (0.25::float8 + 0.75::float8 * length / %(average)s::float8))
           ) AS score
      FROM unnest(%(terms)s::text[]) AS asked (term)
     CROSS JOIN LATERAL (
               SELECT passage_id, times::float8 AS times, length, (count(*) OVER ())::float8 AS df
                 FROM postings
                WHERE tenant_id = %(tenant_id)s
                  AND user_id = %(user_id)s
                  AND term = asked.term
                  AND kind = ANY(%(kinds)s)
"""

_BEST = """
               OFFSET 0) AS hits
     GROUP BY passage_id
     ORDER BY score DESC, passage_id DESC
     LIMIT %(limit)s
"""

_ALLOWED = """
                  AND passage_id IN (
                          SELECT id
                            FROM passages
                           WHERE tenant_id = %(tenant_id)s
                             AND user_id = %(user_id)s
                             AND (%(after)s::timestamptz IS NULL OR said_at >= %(after)s)
                             AND (%(before)s::timestamptz IS NULL OR said_at <= %(before)s)
                             AND (%(conversation_id)s::uuid IS NULL
                                  OR kind = 'fact'
                                  OR conversation_id = %(conversation_id)s))
"""

SIMILARITIES = """
    SELECT passage_id, max(-(embedding <#> (SELECT %(vector)s::halfvec))) AS score
      FROM embeddings
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND generation = %(generation)s
       AND passage_id = ANY(%(ids)s)
     GROUP BY passage_id
     ORDER BY passage_id
"""

# Only what is there, holds and is not put away; whatever an index still has of it. One look-up
# for each hit: OFFSET keeps the planner from reading all passages instead.
_FOUND = """
           passages.id, passages.kind, passages.conversation_id, passages.place,
           passages.message_id, passages.said_at, shown.turn_start, shown.turn_end, shown.role,
           shown.name, shown.text, coalesce(passages.episode_id, passages.fact_id)::text AS of,
           hits.score
"""

_SHOWN = """
     CROSS JOIN LATERAL (
               SELECT id, kind, conversation_id, place, message_id, said_at, episode_id, fact_id,
                      fact_version
                 FROM passages
                WHERE tenant_id = %(tenant_id)s
                  AND user_id = %(user_id)s
                  AND id = hits.passage_id
               OFFSET 0) AS passages
     CROSS JOIN LATERAL (
               SELECT turn AS turn_start, turn AS turn_end, role, name,
                      left(content, 4000) AS text
                 FROM messages
                WHERE passages.kind = 'turn'
                  AND tenant_id = %(tenant_id)s
                  AND id = passages.message_id
                  AND archived_at IS NULL
                UNION ALL
               SELECT turn_start, turn_end, NULL, NULL, summary
                 FROM episodes
                WHERE passages.kind = 'episode'
                  AND tenant_id = %(tenant_id)s
                  AND id = passages.episode_id
                UNION ALL
               SELECT NULL, NULL, NULL, NULL, content
                 FROM facts
                WHERE passages.kind = 'fact'
                  AND tenant_id = %(tenant_id)s
                  AND id = passages.fact_id
                  AND version = passages.fact_version
                  AND valid_to IS NULL
                  AND NOT archived) AS shown
     WHERE (passages.conversation_id IS NULL
            OR (SELECT NOT archived AND (expires_at IS NULL OR expires_at > now())
                  FROM conversations
                 WHERE tenant_id = %(tenant_id)s
                   AND id = passages.conversation_id))
     ORDER BY passages.id
"""

# A passage has several vectors: the best one counts. What was found by words is not read again.
_BEST_OF_EACH = """
      FROM (SELECT passage_id, score
              FROM (SELECT passage_id, max(score) AS score
                      FROM near
                     GROUP BY passage_id
                     ORDER BY score DESC, passage_id
                     LIMIT %(limit)s) AS best
             WHERE passage_id <> ALL(%(known)s)) AS hits
"""

BY_MEANING = f"WITH near AS ({_MEANING}{_NARROW}{_NEAREST}) SELECT {_FOUND}{_BEST_OF_EACH}{_SHOWN}"
BY_MEANING_FILTERED = (
    f"WITH near AS ({_MEANING}{_NARROW}{_WITHIN}{_NEAREST}) SELECT {_FOUND}{_BEST_OF_EACH}{_SHOWN}"
)
BY_MEANING_WIDE = (
    f"WITH near AS ({_MEANING}{_WIDE}{_WITHIN}{_NEAREST}) SELECT {_FOUND}{_BEST_OF_EACH}{_SHOWN}"
)

BY_WORDS = f"SELECT {_FOUND} FROM (SELECT {_BM25}{_BEST}) AS hits {_SHOWN}"
BY_WORDS_FILTERED = f"SELECT {_FOUND} FROM (SELECT {_BM25}{_ALLOWED}{_BEST}) AS hits {_SHOWN}"

# A conversation has new messages exactly as long as its job is there. From the job to these by
# look-ups, which OFFSET insists on: the planner would read all messages of the tenant. Turns are
# counted up, so that what is not indexed is at the end.
TAIL = """
    SELECT messages.id, messages.conversation_id, messages.turn, messages.role, messages.name,
           left(messages.content, 4000) AS text, messages.said_at
      FROM jobs
     CROSS JOIN LATERAL (
               SELECT id, indexed_through,
                      coalesce((SELECT turn
                                  FROM messages
                                 WHERE tenant_id = %(tenant_id)s
                                   AND id = conversations.indexed_through), 0) AS turn
                 FROM conversations
                WHERE tenant_id = %(tenant_id)s
                  AND id = jobs.key::uuid
                  AND NOT archived
                  AND (expires_at IS NULL OR expires_at > now())
               OFFSET 0) AS conversation
     CROSS JOIN LATERAL (
               SELECT id, conversation_id, turn, role, name, content, said_at
                 FROM messages
                WHERE tenant_id = %(tenant_id)s
                  AND conversation_id = conversation.id
                  AND turn >= conversation.turn
                  AND id > conversation.indexed_through
                  AND archived_at IS NULL
                  AND metadata ->> 'model' IS DISTINCT FROM 'offline'
                  AND content <> ''
               OFFSET 0) AS messages
     WHERE jobs.tenant_id = %(tenant_id)s
       AND jobs.user_id = %(user_id)s
       AND jobs.task = 'digest'
       AND (%(conversation_id)s::uuid IS NULL OR conversation.id = %(conversation_id)s)
       AND (%(after)s::timestamptz IS NULL OR messages.said_at >= %(after)s)
       AND (%(before)s::timestamptz IS NULL OR messages.said_at <= %(before)s)
     ORDER BY messages.id DESC
     LIMIT %(limit)s
"""


SEEN = 4000
"""How much of a message the ranking reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Where to look; None is everywhere."""

    user_id: str
    kinds: tuple[Kind, ...]
    after: datetime | None = None
    before: datetime | None = None
    conversation_id: str | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether not all passages of the kinds are wanted."""
        return (self.after, self.before, self.conversation_id) != (None, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its score."""

    passage_id: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage that may be shown, and how well it fits."""

    id: int
    kind: Kind
    conversation_id: str | None
    place: int | None
    message_id: int | None
    said_at: datetime
    turn_start: int | None
    turn_end: int | None
    role: str | None
    name: str | None
    text: str
    of: str | None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """A message that was just said and is not indexed yet."""

    id: int
    conversation_id: str
    turn: int
    role: str
    name: str | None
    text: str
    said_at: datetime


async def by_meaning(
    conn: Conn,
    where: Filters,
    *,
    vector: str,
    generation: int,
    dimensions: int,
    limit: int,
    known: Sequence[int],
) -> list[Found]:
    """The passages nearest to a vector, exactly, but for those that are known already."""
    near = BY_MEANING_FILTERED if where.is_narrow else BY_MEANING
    return await conn.all(
        Found,
        BY_MEANING_WIDE if dimensions > WIDEST else near,
        **_params(where),
        vector=vector,
        generation=generation,
        # Some passages have two vectors, and long ones more.
        vectors=limit + limit // 2,
        limit=limit,
        known=list(known),
    )


async def by_words(
    conn: Conn, where: Filters, *, terms: Sequence[str], lexicon: Lexicon, limit: int
) -> list[Found]:
    """The passages with the best BM25 score, exactly, in the order of their ids."""
    average = lexicon.word_count / lexicon.passage_count if lexicon.passage_count else 1.0
    return await conn.all(
        Found,
        BY_WORDS_FILTERED if where.is_narrow else BY_WORDS,
        **_params(where),
        terms=list(terms),
        passages=lexicon.passage_count,
        average=max(average, 1.0),
        limit=limit,
    )


async def similarities(
    conn: Conn, *, user_id: str, ids: Sequence[int], vector: str, generation: int
) -> list[Hit]:
    """How near some passages are, by the best of their vectors."""
    return await conn.all(
        Hit, SIMILARITIES, user_id=user_id, ids=list(ids), vector=vector, generation=generation
    )


async def tail(conn: Conn, where: Filters, *, limit: int) -> list[Fresh]:
    """What was said and is not indexed yet, newest first."""
    if "turn" not in where.kinds:
        return []
    return await conn.all(
        Fresh,
        TAIL,
        user_id=where.user_id,
        conversation_id=where.conversation_id,
        after=where.after,
        before=where.before,
        limit=limit,
    )


def _params(where: Filters) -> dict[str, object]:
    return {
        "user_id": where.user_id,
        "kinds": list(where.kinds),
        "after": where.after,
        "before": where.before,
        "conversation_id": where.conversation_id,
    }
