"""Messages: the raw log that everything else is derived from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from psycopg.types.json import Json as JsonText
from pydantic import TypeAdapter, ValidationError

from longterm.observe import trace
from longterm.postgres.transaction import Conn
from longterm.records.job import DIGEST
from longterm.records.json import Json, JsonObject
from longterm.records.message import Message, NewMessage, ShownMessage
from longterm.records.turn import Turn
from longterm.records.used import Used
from longterm.store import jobs, turns

COLUMNS = """
    id, nullif(tenant_id, 0) AS tenant_id, user_id, conversation_id, turn, role, content, name,
    status, said_at AS created_at, recorded_at, tool_calls, suggested_values, suggested_actions,
    custom_payload
"""

# The metadata of a question is the application's own. Answers of older versions, and those that
# were imported, have what they were made from in their metadata alone.
SHOWN = f"""{COLUMNS},
    CASE WHEN role = 'assistant' THEN coalesce(used, metadata -> 'used') END AS used
"""

# One statement and one round trip: message and jobs follow from the turn that it gets.
_STORED = f"""{jobs.QUEUED}
    INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content, name, said_at,
                          tool_calls, suggested_values, suggested_actions, custom_payload)
    SELECT %(tenant_id)s, id, %(user_id)s, turn, %(role)s, %(content)s, %(name)s,
           coalesce(%(said_at)s, updated_at), %(tool_calls)s, %(suggested_values)s,
           %(suggested_actions)s, %(custom_payload)s
      FROM conversation
 RETURNING id
"""

APPEND = f"WITH {turns.HERE}, {_STORED}"

APPEND_TO_CURRENT = f"WITH {turns.IN_CURRENT}, {_STORED}"

ANSWER = f"""
    WITH {turns.TO_QUESTION}, {jobs.QUEUED}
    INSERT INTO messages (tenant_id, id, conversation_id, user_id, turn, role, content, name,
                          said_at, tool_calls)
    SELECT %(tenant_id)s, message_id, id, %(user_id)s, turn, 'assistant', %(content)s, %(name)s,
           coalesce(%(said_at)s, updated_at), %(tool_calls)s
      FROM conversation
 RETURNING id
"""

APPEND_TURN = f"""
    WITH conversation AS (
        UPDATE conversations
           SET turn_count = turn_count + 1,
               turn_open = false,
               updated_at = clock_timestamp(),
               expires_at = now() + retention_hours * interval '1 hour'
         WHERE tenant_id = %(tenant_id)s
           AND id = %(conversation_id)s
           AND user_id = %(user_id)s
           AND (expires_at IS NULL OR expires_at > now())
     RETURNING id, turn_count, updated_at
    ), {jobs.QUEUED}, stored AS (
        INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content, said_at,
                              metadata)
        SELECT %(tenant_id)s, conversation.id, %(user_id)s, turn_count, said.role, said.content,
               updated_at, said.metadata
          FROM conversation,
               (VALUES ('user', %(query)s, %(metadata)s::json),
                       ('assistant', %(response)s, NULL)) AS said (role, content, metadata)
     RETURNING id, turn, role, said_at
    )
    SELECT id, turn, said_at
      FROM stored
     WHERE role = 'user'
"""

# What expired is over at once, and not only when the next cleanup comes by. A value and not
# EXISTS, which the planner would turn into a join of everything that a large user has.
ALIVE = """
    archived_at IS NULL
       AND (SELECT expires_at IS NULL OR expires_at > now()
              FROM conversations
             WHERE tenant_id = messages.tenant_id
               AND id = messages.conversation_id)
"""

# The same where the conversation is given: looked at once, and not for each message.
ALIVE_HERE = """
    archived_at IS NULL
       AND (SELECT expires_at IS NULL OR expires_at > now()
              FROM conversations
             WHERE tenant_id = %(tenant_id)s
               AND id = %(conversation_id)s)
"""

HISTORY = f"""
    SELECT {COLUMNS}
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND {ALIVE}
     ORDER BY said_at DESC, id DESC
     LIMIT %(limit)s
    OFFSET %(offset)s
"""

COUNT = f"""
    SELECT count(*)
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND {ALIVE}
"""

COUNT_TURNS = """
    SELECT count(DISTINCT turn)
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
"""

DELETE_ALL = """
    DELETE FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = ANY(%(conversation_ids)s::uuid[])
"""

DELETE = """
    DELETE FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
"""

# In a conversation ids rise with the turns: they are drawn while its row is locked.
_BEFORE = f"""
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND {ALIVE_HERE}
       AND id < %(id)s
     ORDER BY turn DESC, id DESC
     LIMIT %(limit)s
"""

_AFTER = f"""
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND {ALIVE_HERE}
       AND id > %(id)s
     ORDER BY turn, id
     LIMIT %(limit)s
"""

# The last ones; of an archived conversation none, unless what was put away is wanted, too.
WINDOW = f"""
    SELECT {COLUMNS}
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND {ALIVE_HERE}
       AND (%(put_away)s::boolean
            OR (SELECT NOT archived
                  FROM conversations
                 WHERE tenant_id = %(tenant_id)s
                   AND id = %(conversation_id)s))
     ORDER BY turn DESC, id DESC
     LIMIT %(limit)s
"""

BEFORE = f"SELECT {COLUMNS} {_BEFORE}"

AFTER = f"SELECT {COLUMNS} {_AFTER}"

SHOWN_BEFORE = f"SELECT {SHOWN} {_BEFORE}"

SHOWN_AFTER = f"SELECT {SHOWN} {_AFTER}"

GET = f"""
    SELECT {COLUMNS}
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND {ALIVE}
"""

THERE = """
    SELECT id
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND id = ANY(%(ids)s)
     ORDER BY id
"""

_TURN = """min(id)::text AS id, conversation_id AS session_id, user_id, turn AS turn_number,
           coalesce(max(content) FILTER (WHERE role = 'user'), '') AS query_text,
           coalesce(max(content) FILTER (WHERE role = 'assistant'), '') AS response_text,
           min(said_at) AS created_at,
           coalesce(max(metadata::text)::json, '{}') AS metadata
"""

GET_TURN = f"""
    SELECT {_TURN}
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND (conversation_id, turn) = (SELECT conversation_id, turn
                                        FROM messages
                                       WHERE tenant_id = %(tenant_id)s
                                         AND id = %(id)s)
     GROUP BY conversation_id, user_id, turn
"""

LAST_TURNS = f"""
    SELECT {_TURN}
      FROM messages
     WHERE tenant_id = %(tenant_id)s
       AND conversation_id = %(conversation_id)s
       AND {ALIVE_HERE}
       AND turn IN (SELECT DISTINCT turn
                      FROM messages
                     WHERE tenant_id = %(tenant_id)s
                       AND conversation_id = %(conversation_id)s
                       AND archived_at IS NULL
                     ORDER BY turn DESC
                     LIMIT %(limit)s)
     GROUP BY conversation_id, user_id, turn
     ORDER BY turn
"""


_USED = TypeAdapter(Used)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """What only the database knows of a turn."""

    id: int
    turn: int
    said_at: datetime


async def append(conn: Conn, new: NewMessage) -> int | None:
    """Store a message and queue what follows; None when there is no such conversation."""
    return await conn.value(
        APPEND_TO_CURRENT if new.conversation_id is None else APPEND,
        user_id=new.user_id,
        conversation_id=new.conversation_id,
        role=new.role,
        content=new.content,
        name=new.name,
        said_at=new.said_at,
        tool_calls=_json(new.payloads.tool_calls),
        suggested_values=_json(new.payloads.suggested_values),
        suggested_actions=_json(new.payloads.suggested_actions),
        custom_payload=_json(new.payloads.custom_payload),
        answered=False,
        task=DIGEST,
        traceparent=trace.header(),
    )


async def answer(conn: Conn, new: NewMessage, *, question_id: int) -> int | None:
    """Store the answer to a question; None when the question is gone.

    The conversation must be locked.
    """
    return await conn.value(
        ANSWER,
        question_id=question_id,
        user_id=new.user_id,
        content=new.content,
        name=new.name,
        said_at=new.said_at,
        tool_calls=_json(new.payloads.tool_calls),
        task=DIGEST,
        traceparent=trace.header(),
    )


async def append_turn(
    conn: Conn,
    *,
    user_id: str,
    conversation_id: str,
    query: str,
    response: str,
    metadata: JsonObject,
) -> Turn | None:
    """Store a question with its answer; None when there is no such conversation."""
    stored = await conn.first(
        _Stored,
        APPEND_TURN,
        user_id=user_id,
        conversation_id=conversation_id,
        query=query,
        response=response,
        metadata=JsonText(metadata),
        task=DIGEST,
        traceparent=trace.header(),
    )
    if stored is None:
        return None
    return Turn(
        id=str(stored.id),
        session_id=conversation_id,
        user_id=user_id,
        turn_number=stored.turn,
        query_text=query,
        response_text=response,
        created_at=stored.said_at,
        metadata=metadata,
    )


async def history(conn: Conn, *, user_id: str, limit: int, offset: int = 0) -> list[Message]:
    """Messages of a user over all conversations, newest first."""
    return await conn.all(Message, HISTORY, user_id=user_id, limit=limit, offset=offset)


async def count(conn: Conn, user_id: str) -> int:
    """How many messages the history of a user has."""
    return await conn.value(COUNT, user_id=user_id)


async def count_turns(conn: Conn, conversation_id: str) -> int:
    """How many turns are stored of a conversation."""
    return await conn.value(COUNT_TURNS, conversation_id=conversation_id)


async def delete_all(conn: Conn, conversation_ids: Sequence[str]) -> int:
    """Delete every message of some conversations, and tell how many there were."""
    return await conn.run(DELETE_ALL, conversation_ids=list(conversation_ids))


async def delete(conn: Conn, *, user_id: str, message_id: int) -> bool:
    """Delete one message of a user; tells whether it was there."""
    return await conn.run(DELETE, user_id=user_id, id=message_id) > 0


async def get(conn: Conn, message_id: int) -> Message | None:
    """One message, if it is there."""
    return await conn.first(Message, GET, id=message_id)


async def there(conn: Conn, ids: Iterable[int]) -> set[int]:
    """Those messages that nobody deleted."""
    return {*await conn.values(THERE, ids=list(ids))}


async def before(conn: Conn, *, conversation_id: str, limit: int, id_: int) -> list[Message]:
    """Return the messages before one, newest first."""
    return await conn.all(Message, BEFORE, conversation_id=conversation_id, limit=limit, id=id_)


async def window(conn: Conn, *, conversation_id: str, limit: int, put_away: bool) -> list[Message]:
    """Return the last messages, newest first; of an archived conversation where it is wanted."""
    place = {"conversation_id": conversation_id, "limit": limit}
    return await conn.all(Message, WINDOW, **place, put_away=put_away)


async def after(conn: Conn, *, conversation_id: str, limit: int, id_: int) -> list[Message]:
    """Return the messages after one, oldest first."""
    return await conn.all(Message, AFTER, conversation_id=conversation_id, limit=limit, id=id_)


async def shown_before(
    conn: Conn, *, conversation_id: str, limit: int, id_: int
) -> list[ShownMessage]:
    """Return the messages before one with what they were made from, newest first."""
    place = {"conversation_id": conversation_id, "limit": limit, "id": id_}
    return [_with_used(row) for row in await conn.all(ShownMessage, SHOWN_BEFORE, **place)]


async def shown_after(
    conn: Conn, *, conversation_id: str, limit: int, id_: int
) -> list[ShownMessage]:
    """Return the messages after one with what they were made from, oldest first."""
    place = {"conversation_id": conversation_id, "limit": limit, "id": id_}
    return [_with_used(row) for row in await conn.all(ShownMessage, SHOWN_AFTER, **place)]


async def get_turn(conn: Conn, message_id: int) -> Turn | None:
    """The turn of a message, if it is there."""
    return await conn.first(Turn, GET_TURN, id=message_id)


async def last_turns(conn: Conn, *, conversation_id: str, limit: int) -> list[Turn]:
    """Return the last turns of a conversation, oldest first."""
    return await conn.all(Turn, LAST_TURNS, conversation_id=conversation_id, limit=limit)


def _with_used(message: ShownMessage) -> ShownMessage:
    """Turn the JSON of `used` into a record; an imported file may hold any JSON there."""
    if message.used is None:
        return message
    try:
        return replace(message, used=_USED.validate_python(message.used))
    except ValidationError:
        return replace(message, used=None)


def _json(value: Json) -> JsonText | None:
    return None if value is None else JsonText(value)
