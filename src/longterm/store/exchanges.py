"""An exchange: a question with the answer that is under way, and the answer as it comes.

Each is one statement: a round trip costs more than what it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Json as JsonText

from longterm.observe import trace
from longterm.postgres.transaction import Conn
from longterm.records.job import DIGEST, SETTLE
from longterm.records.json import Json, JsonObject
from longterm.records.message import Status
from longterm.store import answers, jobs, notices, turns

# Somebody looks after a while whether the answer arrived.
_ASKED = f"""{jobs.QUEUED}, stored AS (
        INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content, said_at)
        SELECT %(tenant_id)s, id, %(user_id)s, turn, %(role)s, %(content)s, %(said_at)s
          FROM conversation
     RETURNING id, conversation_id
    ), applied AS (
        INSERT INTO applied_writes (tenant_id, id, user_id, record_id)
        SELECT %(tenant_id)s, %(write_id)s, %(user_id)s, id::text
          FROM stored
         WHERE %(write_id)s::uuid IS NOT NULL
    ), begun AS (
        INSERT INTO answers (tenant_id, question_id, user_id)
        SELECT %(tenant_id)s, id, %(user_id)s
          FROM stored
    ), settling AS (
        INSERT INTO jobs (tenant_id, task, key, user_id, due_at, traceparent)
        SELECT %(tenant_id)s, %(settle)s, id::text, %(user_id)s, now() + %(delay)s, %(traceparent)s
          FROM stored
    )
    SELECT id, conversation_id
      FROM stored
"""

ASK = f"WITH {turns.HERE}, {_ASKED}"

ASK_IN_CURRENT = f"WITH {turns.IN_CURRENT}, {_ASKED}"

# With what is partial its maker shows that it lives; nothing comes after what is not.
_NOTED = """applied AS (
        INSERT INTO applied_writes (tenant_id, id, user_id, record_id)
        SELECT %(tenant_id)s, %(write_id)s, %(user_id)s, id::text
          FROM stored
         WHERE %(write_id)s::uuid IS NOT NULL
            ON CONFLICT (tenant_id, id) DO NOTHING
    ), seen AS (
        UPDATE answers
           SET seen_at = now(),
               answer_id = stored.id
          FROM stored
         WHERE tenant_id = %(tenant_id)s
           AND question_id = %(question_id)s
           AND %(status)s = 'partial'
     RETURNING followed, stopped
    ), ended AS (
        DELETE FROM answers
         USING stored
         WHERE tenant_id = %(tenant_id)s
           AND question_id = %(question_id)s
           AND %(status)s <> 'partial'
     RETURNING followed, stopped
    )
    SELECT stored.id, coalesce(followed, false) AS followed, coalesce(stopped, false) AS stopped
      FROM stored
      LEFT JOIN (SELECT followed, stopped
                   FROM seen
                  UNION ALL
                 SELECT followed, stopped
                   FROM ended) AS noted
        ON true
"""

ADD = f"""
    WITH {turns.TO_QUESTION}, {jobs.QUEUED}, stored AS (
        INSERT INTO messages (tenant_id, id, conversation_id, user_id, turn, role, content, said_at,
                              status, tool_calls, suggested_values, metadata, used)
        SELECT %(tenant_id)s, message_id, id, %(user_id)s, turn, 'assistant', %(content)s,
               coalesce(%(said_at)s, updated_at), %(status)s, %(tool_calls)s,
               %(suggested_values)s, %(metadata)s,
               %(metadata)s::json -> 'used'
          FROM conversation
     RETURNING id
    ), {_NOTED}
"""

SAVE = f"""
    WITH stored AS ({answers.WRITE}
     RETURNING id, conversation_id
    ), conversation AS (
        SELECT conversation_id AS id
          FROM stored
         WHERE %(status)s <> 'partial'
    ), {jobs.QUEUED}, {_NOTED}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a question was stored."""

    id: int
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What has come of an answer; repeated with the same `write_id` it is stored once."""

    user_id: str
    question_id: int
    content: str
    status: Status
    tool_calls: Sequence[Json] | None = None
    suggested_values: Sequence[Json] | None = None
    metadata: JsonObject | None = None
    write_id: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Where an answer stands; whether somebody follows it, or wants it to stop."""

    id: int
    followed: bool
    stopped: bool


async def ask(
    conn: Conn,
    *,
    user_id: str,
    conversation_id: str | None,
    content: str,
    said_at: datetime,
    write_id: str | None,
) -> Place | None:
    """Store a question whose answer is under way from now on; None without a conversation."""
    return await conn.first(
        Place,
        ASK_IN_CURRENT if conversation_id is None else ASK,
        user_id=user_id,
        conversation_id=conversation_id,
        role="user",
        answered=True,
        content=content,
        said_at=said_at,
        write_id=write_id,
        task=DIGEST,
        settle=SETTLE,
        delay=jobs.SOON,
        traceparent=trace.header(),
    )


async def add(conn: Conn, answer: Answer) -> Saved | None:
    """Store an answer; None when the question is gone, or the conversation, which must be locked."""
    return await _saved(conn, await conn.first(Saved, ADD, **_values(answer)), answer)


async def save(conn: Conn, answer_id: int, answer: Answer) -> Saved | None:
    """Put what has come so far in the place of what was there; None when it is gone."""
    saved = await conn.first(Saved, SAVE, id=answer_id, **_values(answer))
    return await _saved(conn, saved, answer)


async def _saved(conn: Conn, saved: Saved | None, answer: Answer) -> Saved | None:
    """Tell who follows it."""
    if saved is not None and saved.followed:
        await notices.tell(conn, answers.topic(conn.tenant_id, answer.question_id))
    return saved


def _values(answer: Answer) -> dict[str, object]:
    return {
        "user_id": answer.user_id,
        "question_id": answer.question_id,
        "content": answer.content,
        "status": answer.status,
        "tool_calls": _json(answer.tool_calls),
        "suggested_values": _json(answer.suggested_values),
        "metadata": _json(answer.metadata),
        "write_id": answer.write_id,
        "said_at": answer.said_at,
        "task": DIGEST,
        "traceparent": trace.header(),
    }


def _json(value: Sequence[Json] | JsonObject | None) -> JsonText | None:
    return None if value is None else JsonText(value)
