"""Unlearning: what facts become when messages that they come from are forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.fact import Closed

# What rests on these messages, or on nothing but their conversation. `other` is somebody else
# who said the same later: another message that is still there, or a person who named none.
RESTING = """
    SELECT facts.id::text, version, valid_from, valid_to, closed, other.at AS other_at,
           other.message_id AS other_message, other.conversation_id::text AS other_conversation
      FROM facts
      LEFT JOIN LATERAL (
               SELECT coalesce(messages.said_at, audit.at) AS at, messages.id AS message_id,
                      messages.conversation_id
                 FROM audit
                 LEFT JOIN messages
                   ON messages.tenant_id = %(tenant_id)s
                  AND messages.id = audit.source_message_id
                WHERE audit.tenant_id = %(tenant_id)s
                  AND audit.user_id = %(user_id)s
                  AND audit.action = 'confirm fact'
                  AND audit.subject = facts.id::text
                  AND (audit.after ->> 'version')::integer = facts.version
                  AND (audit.source_message_id IS NULL
                       OR messages.id <> ALL(%(message_ids)s::bigint[])
                       AND messages.conversation_id <> ALL(%(conversation_ids)s::uuid[]))
                ORDER BY 1, audit.id
                LIMIT 1) AS other
        ON true
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (source_message_id = ANY(%(message_ids)s::bigint[])
            OR source_conversation_id = ANY(%(conversation_ids)s::uuid[]))
     ORDER BY facts.id, valid_from, version
"""

# Said once less by each message that goes.
UNCOUNT = """
    UPDATE facts
       SET said_count = greatest(1, said_count - gone.times)
      FROM (SELECT subject, (after ->> 'version')::integer AS version, count(*) AS times
              FROM audit
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
               AND action = 'confirm fact'
               AND source_message_id IN (SELECT id
                                           FROM messages
                                          WHERE tenant_id = %(tenant_id)s
                                            AND (id = ANY(%(message_ids)s::bigint[])
                                                 OR conversation_id
                                                    = ANY(%(conversation_ids)s::uuid[])))
             GROUP BY 1, 2) AS gone
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = gone.subject::uuid
       AND facts.version = gone.version
"""

REST_ON = """
    UPDATE facts
       SET source_message_id = %(message_id)s,
           source_conversation_id = %(conversation_id)s,
           source_gone = false,
           span_start = NULL,
           span_end = NULL,
           said_count = greatest(1, said_count - 1),
           said_at = greatest(said_at, %(at)s),
           valid_from = least(greatest(valid_from, %(at)s), valid_to)
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND version = %(version)s
"""

DELETE_VERSIONS = """
    DELETE FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (id, version) IN (SELECT gone.id, gone.version
                               FROM unnest(%(ids)s::uuid[], %(versions)s::integer[])
                                    AS gone (id, version))
"""

# What a forgotten message ended was never ended: from here it counts as replaced by what follows.
NOT_ENDED = """
    UPDATE facts
       SET closed = 'replaced'
      FROM audit, messages
     WHERE facts.tenant_id = %(tenant_id)s
       AND facts.user_id = %(user_id)s
       AND facts.closed = 'ended'
       AND facts.id::text = audit.subject
       AND facts.valid_to = greatest(messages.said_at, facts.valid_from)
       AND audit.tenant_id = %(tenant_id)s
       AND audit.user_id = %(user_id)s
       AND audit.action = 'end fact'
       AND audit.source_message_id = messages.id
       AND messages.tenant_id = %(tenant_id)s
       AND messages.id = ANY(%(message_ids)s::bigint[])
 RETURNING facts.id::text
"""

# A version that was replaced holds until the next one that is left, or as long as the last one
# did that is gone.
REJOIN = """
    UPDATE facts
       SET valid_to = coalesce(chain.next_from, %(last_to)s::timestamptz),
           closed = CASE WHEN chain.next_from IS NOT NULL THEN 'replaced' ELSE %(last_closed)s END
      FROM (SELECT version, lead(valid_from) OVER (ORDER BY valid_from, version) AS next_from
              FROM facts
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
               AND id = %(id)s) AS chain
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND facts.version = chain.version
       AND closed = 'replaced'
"""

# The trail is only ever added to: a line that tells too much is taken out and put in again.
REDACT = """
    WITH told AS (
        DELETE FROM audit
         WHERE tenant_id = %(tenant_id)s
           AND user_id = %(user_id)s
           AND subject = %(subject)s
           AND ((before ->> 'version')::integer = ANY(%(versions)s::integer[])
                OR (after ->> 'version')::integer = ANY(%(versions)s::integer[]))
     RETURNING id, user_id, at, actor, action, subject, source_message_id, before, after
    )
    INSERT INTO audit (tenant_id, id, user_id, at, actor, action, subject, source_message_id,
                       before, after)
    SELECT %(tenant_id)s, id, user_id, at, actor, action, subject, source_message_id,
           CASE WHEN (before ->> 'version')::integer <> ALL(%(versions)s::integer[])
                THEN before END,
           CASE WHEN (after ->> 'version')::integer <> ALL(%(versions)s::integer[])
                THEN after END
      FROM told
"""

# What the messages themselves did, and all there is about facts and places that are gone.
DELETE_AUDIT = """
    DELETE FROM audit
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (source_message_id = ANY(%(message_ids)s::bigint[])
            OR subject = ANY(%(subjects)s)
            AND action <> 'delete fact')
"""

LEFT = """
    SELECT DISTINCT id::text
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(ids)s::uuid[])
     ORDER BY 1
"""

DELETE_MENTIONS = """
    DELETE FROM place_mentions
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND conversation_id = %(conversation_id)s::text
       AND (message_id = ANY(%(message_ids)s::bigint[]::text[]) OR %(whole)s::uuid IS NOT NULL)
 RETURNING place_id
"""

# A place that is spoken of nowhere any more came from what is forgotten.
DELETE_PLACES = """
    DELETE FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND place_id = ANY(%(place_ids)s)
       AND NOT EXISTS (SELECT
                         FROM place_mentions
                        WHERE tenant_id = %(tenant_id)s
                          AND user_id = %(user_id)s
                          AND place_id = places.place_id)
 RETURNING place_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingVersion:
    """A version that rests on messages which go, and who else said it, if anybody did."""

    id: str
    version: int
    valid_from: datetime
    valid_to: datetime | None
    closed: Closed | None
    other_at: datetime | None
    other_message: int | None
    other_conversation: str | None


async def resting(
    conn: Conn, *, user_id: str, message_ids: Sequence[int], conversation_ids: Sequence[str]
) -> list[RestingVersion]:
    """The versions that come from these messages or conversations."""
    return await conn.all(
        RestingVersion,
        RESTING,
        user_id=user_id,
        message_ids=list(message_ids),
        conversation_ids=list(conversation_ids),
    )


async def uncount(
    conn: Conn, *, user_id: str, message_ids: Sequence[int], conversation_ids: Sequence[str]
) -> None:
    """Take back that these messages said once more what was known."""
    await conn.run(
        UNCOUNT,
        user_id=user_id,
        message_ids=list(message_ids),
        conversation_ids=list(conversation_ids),
    )


async def rest_on(conn: Conn, one: RestingVersion, *, user_id: str) -> None:
    """Let a version rest on the other one who said it, from then on."""
    await conn.run(
        REST_ON,
        user_id=user_id,
        id=one.id,
        version=one.version,
        at=one.other_at,
        message_id=one.other_message,
        conversation_id=one.other_conversation,
    )


async def delete_versions(conn: Conn, gone: Sequence[RestingVersion], *, user_id: str) -> int:
    """Delete versions, and tell how many."""
    return await conn.run(
        DELETE_VERSIONS,
        user_id=user_id,
        ids=[one.id for one in gone],
        versions=[one.version for one in gone],
    )


async def not_ended(conn: Conn, *, user_id: str, message_ids: Sequence[int]) -> list[str]:
    """Take back what these messages ended; returns the facts that need to be joined again."""
    return await conn.values(NOT_ENDED, user_id=user_id, message_ids=list(message_ids))


async def rejoin(conn: Conn, *, user_id: str, fact_id: str, last: RestingVersion | None) -> None:
    """Let the versions that are left touch again; the last one holds as long as `last` did."""
    await conn.run(
        REJOIN,
        user_id=user_id,
        id=fact_id,
        last_to=None if last is None else last.valid_to,
        last_closed=None if last is None else last.closed,
    )


async def redact(conn: Conn, *, user_id: str, fact_id: str, versions: Sequence[int]) -> None:
    """Take out of the trail what versions said that are gone."""
    await conn.run(REDACT, user_id=user_id, subject=fact_id, versions=list(versions))


async def delete_audit(
    conn: Conn, *, user_id: str, message_ids: Sequence[int], subjects: Sequence[str]
) -> int:
    """Delete what the trail says about messages, facts and places that are gone."""
    return await conn.run(
        DELETE_AUDIT, user_id=user_id, message_ids=list(message_ids), subjects=list(subjects)
    )


async def left(conn: Conn, *, user_id: str, fact_ids: Sequence[str]) -> list[str]:
    """Those facts of which a version is left."""
    return await conn.values(LEFT, user_id=user_id, ids=list(fact_ids))


async def delete_mentions(
    conn: Conn, *, user_id: str, conversation_id: str, message_ids: Sequence[int], whole: str | None
) -> list[str]:
    """Delete mentions of places in these messages; returns the places."""
    return await conn.values(
        DELETE_MENTIONS,
        user_id=user_id,
        conversation_id=conversation_id,
        message_ids=list(message_ids),
        whole=whole,
    )


async def delete_places(conn: Conn, *, user_id: str, place_ids: Sequence[str]) -> list[str]:
    """Delete those of these places that nothing mentions any more."""
    return await conn.values(DELETE_PLACES, user_id=user_id, place_ids=list(place_ids))
