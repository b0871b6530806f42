"""Answers under way: who asked, what has come so far, and when its maker was last seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.json import Json, JsonObject
from longterm.records.message import Status
from longterm.store import notices

TOUCH = """
    UPDATE answers
       SET seen_at = now()
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
"""

END = """
    DELETE FROM answers
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
 RETURNING followed
"""

FOLLOW = """
    UPDATE answers
       SET followed = true
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
       AND user_id = %(user_id)s
       AND NOT followed
"""

WRITE = """
    UPDATE messages
       SET content = %(content)s,
           status = %(status)s,
           tool_calls = coalesce(%(tool_calls)s, tool_calls),
           suggested_values = coalesce(%(suggested_values)s, suggested_values),
           metadata = coalesce(%(metadata)s, metadata),
           used = coalesce(%(metadata)s::json -> 'used', used)
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
"""

STOP = """
    UPDATE answers
       SET stopped = true
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
       AND user_id = %(user_id)s
"""

IS_STOPPED = """
    SELECT stopped
      FROM answers
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
"""

# There are as many as answers are being made at the moment.
QUESTIONS = """
    SELECT answers.question_id
      FROM answers
      JOIN messages
        ON messages.tenant_id = answers.tenant_id
       AND messages.id = answers.question_id
     WHERE answers.tenant_id = %(tenant_id)s
       AND answers.user_id = %(user_id)s
       AND (%(conversation_id)s::uuid IS NULL
            OR messages.conversation_id = %(conversation_id)s)
     ORDER BY answers.question_id
"""

# Left by a process that died: what had come stays, marked.
SETTLE = """
    WITH left_alone AS (
        DELETE FROM answers
         WHERE tenant_id = %(tenant_id)s
           AND question_id = %(question_id)s
           AND seen_at < now() - %(silence)s::interval
     RETURNING answer_id, user_id
    )
    UPDATE messages
       SET status = 'interrupted'
      FROM left_alone
     WHERE tenant_id = %(tenant_id)s
       AND id = left_alone.answer_id
       AND messages.user_id = left_alone.user_id
       AND status = 'partial'
 RETURNING conversation_id
"""

UNDER_WAY = """
    SELECT count(*) > 0
      FROM answers
     WHERE tenant_id = %(tenant_id)s
       AND question_id = %(question_id)s
"""

# The answer to a question stands in the same turn.
SO_FAR = """
    SELECT question.conversation_id, answer.id AS answer_id, answer.content, answer.status,
           EXISTS (SELECT
                     FROM answers
                    WHERE tenant_id = %(tenant_id)s
                      AND question_id = question.id) AS under_way
      FROM messages AS question
      LEFT JOIN messages AS answer
        ON answer.tenant_id = question.tenant_id
       AND answer.conversation_id = question.conversation_id
       AND answer.turn = question.turn
       AND answer.role = 'assistant'
     WHERE question.tenant_id = %(tenant_id)s
       AND question.id = %(question_id)s
       AND question.user_id = %(user_id)s
       AND question.role = 'user'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """What has come of an answer until now."""

    conversation_id: str
    answer_id: int | None
    content: str | None
    status: Status | None
    under_way: bool


async def touch(conn: Conn, question_id: int) -> None:
    """Note that its maker is alive."""
    await conn.run(TOUCH, question_id=question_id)


async def end(conn: Conn, question_id: int) -> None:
    """Note that nothing more will come; who follows it hears of it."""
    if await conn.value(END, question_id=question_id):
        await notices.tell(conn, topic(conn.tenant_id, question_id))


def topic(tenant_id: int | None, question_id: int) -> str:
    """Under which news of an answer are told."""
    return f"{tenant_id}/{question_id}"


async def follow(conn: Conn, *, question_id: int, user_id: str) -> None:
    """Note that somebody wants to hear of an answer: a notice takes a lock, so not all are told."""
    await conn.run(FOLLOW, question_id=question_id, user_id=user_id)


async def write(
    conn: Conn,
    answer_id: int,
    *,
    content: str,
    status: Status,
    tool_calls: Sequence[Json] | None = None,
    suggested_values: Sequence[Json] | None = None,
    metadata: JsonObject | None = None,
) -> bool:
    """Put what has come so far in the place of what was there; tells whether it still is."""
    touched = await conn.run(
        WRITE,
        id=answer_id,
        content=content,
        status=status,
        tool_calls=None if tool_calls is None else JsonText(tool_calls),
        suggested_values=None if suggested_values is None else JsonText(suggested_values),
        metadata=None if metadata is None else JsonText(metadata),
    )
    return touched > 0


async def stop(conn: Conn, *, question_id: int, user_id: str) -> bool:
    """Ask whoever makes an answer to stop; tells whether one is being made."""
    return await conn.run(STOP, question_id=question_id, user_id=user_id) > 0


async def is_stopped(conn: Conn, question_id: int) -> bool:
    """Whether somebody asked to stop."""
    return bool(await conn.value(IS_STOPPED, question_id=question_id))


async def questions(conn: Conn, *, user_id: str, conversation_id: str | None = None) -> list[int]:
    """The questions of a user whose answers are being made, oldest first."""
    return await conn.values(QUESTIONS, user_id=user_id, conversation_id=conversation_id)


async def settle(conn: Conn, question_id: int, *, silence: timedelta) -> str | None:
    """Mark an answer whose maker died; returns its conversation if there was one."""
    return await conn.value(SETTLE, question_id=question_id, silence=silence)


async def is_under_way(conn: Conn, question_id: int) -> bool:
    """Whether somebody is still at it, or died at it."""
    return bool(await conn.value(UNDER_WAY, question_id=question_id))


async def so_far(conn: Conn, *, question_id: int, user_id: str) -> SoFar | None:
    """What has come of the answer; None when the user asked no such question."""
    return await conn.first(SoFar, SO_FAR, question_id=question_id, user_id=user_id)
