"""Facts: rows are versions, and one of them is open."""

from collections.abc import Sequence
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.fact import Closed, Fact, FactFilter, FactMarks, NewFact

COLUMNS = """
    id, version, nullif(tenant_id, 0) AS tenant_id, user_id, type, category, key, content,
    confidence, importance, pinned, archived, origin, said_at, recorded_at, valid_from, valid_to,
    closed, said_count, source_conversation_id, source_message_id, source_gone, span_start,
    span_end, extractor, tokens, access_count, last_accessed_at
"""

LATEST_OF_KEY = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND category = %(category)s
       AND key = %(key)s
     ORDER BY valid_from DESC, version DESC
     LIMIT 1
"""

LATEST_ALIKE = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND key IS NULL
       AND fingerprint = %(fingerprint)s
       AND valid_to IS NULL
     ORDER BY said_at, id
     LIMIT 1
"""

LATEST = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
     ORDER BY valid_from DESC, version DESC
     LIMIT 1
"""

HISTORY = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
     ORDER BY valid_from, version
"""

# A version that is filed ends where the next one begins.
INSERT = f"""
    INSERT INTO facts (tenant_id, id, version, user_id, type, category, key, content, fingerprint,
                       confidence, importance, pinned, origin, said_at, valid_from, valid_to,
                       closed, source_conversation_id, source_message_id, span_start, span_end,
                       extractor, tokens)
    SELECT %(tenant_id)s, %(id)s, coalesce(max(version), 0) + 1, %(user_id)s, %(type)s,
           %(category)s, %(key)s, %(content)s, %(fingerprint)s, %(confidence)s, %(importance)s,
           %(pinned)s, %(origin)s, %(said_at)s, %(said_at)s,
           min(valid_from) FILTER (WHERE valid_from > %(said_at)s),
           CASE WHEN bool_or(valid_from > %(said_at)s) THEN 'replaced' END,
           %(source_conversation_id)s, %(source_message_id)s, %(span_start)s, %(span_end)s,
           %(extractor)s, %(tokens)s
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
 RETURNING {COLUMNS}
"""

CLOSE = """
    UPDATE facts
       SET valid_to = greatest(%(at)s, valid_from),
           closed = %(closed)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND valid_to IS NULL
 RETURNING version
"""

# Makes room for a version that is filed: what held until later held until then.
CUT = """
    UPDATE facts
       SET valid_to = %(at)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND valid_from <= %(at)s
       AND valid_to > %(at)s
"""

CONFIRM = f"""
    UPDATE facts
       SET said_count = said_count + 1,
           confidence = greatest(confidence, %(confidence)s),
           importance = greatest(importance, %(importance)s),
           archived = archived AND %(guessed)s,
           origin = CASE WHEN %(vouched)s THEN %(origin)s ELSE origin END
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND valid_to IS NULL
 RETURNING {COLUMNS}
"""

MARK = f"""
    UPDATE facts
       SET pinned = coalesce(%(pinned)s, pinned),
           archived = coalesce(%(archived)s, archived),
           importance = coalesce(%(importance)s, importance),
           confidence = coalesce(%(confidence)s, confidence)
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
       AND valid_to IS NULL
 RETURNING {COLUMNS}
"""

DELETE = """
    DELETE FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
"""

# A fact that was deactivated already is closed; evicting it changes only why.
EVICT = """
    UPDATE facts
       SET valid_to = coalesce(valid_to, greatest(now(), valid_from)),
           closed = %(closed)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(ids)s::uuid[])
       AND (valid_to IS NULL OR closed = 'deactivated')
"""

ACTIVE = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND valid_to IS NULL
       AND NOT archived
     ORDER BY said_at, id
"""

OF_CONVERSATION = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND source_conversation_id = %(conversation_id)s
       AND valid_to IS NULL
       AND NOT archived
     ORDER BY said_at, id
"""

LIST = f"""
    SELECT {COLUMNS}
      FROM facts
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND (CASE WHEN %(as_of)s::timestamptz IS NULL THEN valid_to IS NULL
                 ELSE valid_from <= %(as_of)s AND (valid_to IS NULL OR valid_to > %(as_of)s) END)
       AND (%(type)s::text IS NULL OR type = %(type)s)
       AND (%(category)s::text IS NULL OR category = %(category)s)
       AND (%(key)s::text IS NULL OR key = %(key)s)
       AND (%(pinned)s::boolean IS NULL OR pinned = %(pinned)s)
       AND (%(archived)s::boolean IS NULL OR archived = %(archived)s)
       AND (%(pattern)s::text IS NULL OR content ILIKE %(pattern)s OR key ILIKE %(pattern)s)
     ORDER BY said_at, id
"""

# The newest version of each fact: open, or deactivated; what was evicted or ended is history.
DOCUMENT = f"""
    SELECT {COLUMNS}
      FROM (SELECT DISTINCT ON (id) *
              FROM facts
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s
             ORDER BY id, valid_from DESC, version DESC) AS facts
     WHERE closed IS NULL
        OR closed = 'deactivated'
     ORDER BY said_at, id
"""


async def latest_of_key(conn: Conn, *, user_id: str, category: str, key: str) -> Fact | None:
    """The newest version beneath a key, open or closed."""
    return await conn.first(Fact, LATEST_OF_KEY, user_id=user_id, category=category, key=key)


async def latest_alike(conn: Conn, *, user_id: str, fingerprint: str) -> Fact | None:
    """An open fact without a key that has the same words."""
    return await conn.first(Fact, LATEST_ALIKE, user_id=user_id, fingerprint=fingerprint)


async def latest(conn: Conn, *, user_id: str, fact_id: str) -> Fact | None:
    """The newest version of a fact, open or closed."""
    return await conn.first(Fact, LATEST, user_id=user_id, id=fact_id)


async def history(conn: Conn, *, user_id: str, fact_id: str) -> list[Fact]:
    """Every version of a fact, in the order in which they held."""
    return await conn.all(Fact, HISTORY, user_id=user_id, id=fact_id)


async def insert(conn: Conn, new: NewFact, *, fact_id: str, fingerprint: str) -> Fact:
    """Store a version; one that is older than the newest is closed where the next begins."""
    fact = await conn.first(
        Fact,
        INSERT,
        id=fact_id,
        user_id=new.user_id,
        type=new.type,
        category=new.category,
        key=new.key,
        content=new.content,
        fingerprint=fingerprint,
        confidence=new.confidence,
        importance=new.importance,
        pinned=new.pinned,
        origin=new.origin,
        said_at=new.said_at,
        source_conversation_id=new.source_conversation_id,
        source_message_id=new.source_message_id,
        span_start=new.span_start,
        span_end=new.span_end,
        extractor=new.extractor,
        tokens=new.tokens,
    )
    if fact is None:
        raise AssertionError("INSERT … RETURNING gave no row")
    return fact


async def close(conn: Conn, *, user_id: str, fact_id: str, at: datetime, closed: Closed) -> bool:
    """Close the open version; tells whether there was one."""
    return await conn.value(CLOSE, user_id=user_id, id=fact_id, at=at, closed=closed) is not None


async def cut(conn: Conn, *, user_id: str, fact_id: str, at: datetime) -> None:
    """End the version that held at a time in the past there."""
    await conn.run(CUT, user_id=user_id, id=fact_id, at=at)


async def confirm(conn: Conn, new: NewFact, *, fact_id: str, vouched: bool) -> Fact | None:
    """Count that the open version was said once more, by somebody who vouches for it or not."""
    return await conn.first(
        Fact,
        CONFIRM,
        user_id=new.user_id,
        id=fact_id,
        confidence=new.confidence,
        importance=new.importance,
        vouched=vouched,
        guessed=new.origin in ("model", "rules"),
        origin=new.origin,
    )


async def mark(conn: Conn, *, user_id: str, fact_id: str, marks: FactMarks) -> Fact | None:
    """Change what is about a fact and not what it says; None when it is not open."""
    return await conn.first(
        Fact,
        MARK,
        user_id=user_id,
        id=fact_id,
        pinned=marks.pinned,
        archived=marks.archived,
        importance=marks.importance,
        confidence=marks.confidence,
    )


async def delete(conn: Conn, *, user_id: str, fact_id: str) -> bool:
    """Delete a fact with all its versions; tells whether it was there."""
    return await conn.run(DELETE, user_id=user_id, id=fact_id) > 0


async def active(conn: Conn, user_id: str) -> list[Fact]:
    """What holds now and is not archived, oldest first."""
    return await conn.all(Fact, ACTIVE, user_id=user_id)


async def of_conversation(conn: Conn, *, conversation_id: str) -> list[Fact]:
    """What holds now and was learned from a conversation, oldest first."""
    return await conn.all(Fact, OF_CONVERSATION, conversation_id=conversation_id)


async def list_(conn: Conn, *, user_id: str, wanted: FactFilter) -> list[Fact]:
    """The facts that hold now, or held at `as_of`, oldest first."""
    return await conn.all(
        Fact,
        LIST,
        user_id=user_id,
        type=wanted.type,
        category=wanted.category,
        key=wanted.key,
        pinned=wanted.pinned,
        archived=wanted.archived,
        pattern=wanted.pattern,
        as_of=wanted.as_of,
    )


async def document(conn: Conn, user_id: str) -> list[Fact]:
    """What the document shows: every open fact, and those that were deactivated."""
    return await conn.all(Fact, DOCUMENT, user_id=user_id)


async def close_all(conn: Conn, *, user_id: str, fact_ids: Sequence[str], closed: Closed) -> None:
    """Take facts out of the document; they stay in the history."""
    await conn.run(EVICT, user_id=user_id, ids=list(fact_ids), closed=closed)
