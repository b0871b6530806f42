"""What an import stores: conversations and messages with all their fields, each once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from longterm.postgres.transaction import Conn
from longterm.records.job import DIGEST

KNOWN = """
    SELECT source
      FROM imported
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND source = ANY(%(sources)s)
"""

ADD = """
    INSERT INTO imported (tenant_id, user_id, source, conversation_id)
    SELECT %(tenant_id)s, %(user_id)s, source, conversation_id
      FROM unnest(%(sources)s::bytea[], %(conversation_ids)s::uuid[])
           AS told (source, conversation_id)
        ON CONFLICT DO NOTHING
"""

INSERT_CONVERSATIONS = """
    INSERT INTO conversations (tenant_id, id, user_id, kind, title, title_by, archived,
                               pinned, retention_hours, expires_at, turn_count, turn_open, metadata,
                               created_at, updated_at)
    SELECT %(tenant_id)s, id, %(user_id)s, kind, title, title_by, archived, pinned,
           retention_hours, coalesce(expires_at, now() + retention_hours * interval '1 hour'), turn_count,
           turn_open, metadata::json, least(created_at, now()), least(updated_at, now())
      FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(titles)b::text[], %(titles_by)s::text[],
                  %(archived)s::boolean[], %(pinned)s::boolean[], %(retention_hours)s::float8[],
                  %(expires_at)s::timestamptz[], %(turn_counts)s::integer[],
                  %(turns_open)s::boolean[], %(metadata)b::text[], %(created_at)s::timestamptz[],
                  %(updated_at)s::timestamptz[])
           AS told (id, kind, title, title_by, archived, pinned, retention_hours, expires_at,
                    turn_count, turn_open, metadata, created_at, updated_at)
"""

# A conversation that goes on; its row stays locked until the messages are in.
CONTINUED = """
    SELECT id::text, turn_count, turn_open
      FROM conversations
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = ANY(%(ids)s::uuid[])
     ORDER BY id
       FOR UPDATE
"""

CONTINUE = """
    UPDATE conversations
       SET turn_count = %(turn_count)s,
           turn_open = %(turn_open)s,
           updated_at = least(greatest(updated_at, %(at)s), now())
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id = %(id)s
"""

# In this order, because ids rise with the turns of a conversation.
INSERT_MESSAGES = """
    INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content, name, said_at,
                          recorded_at, archived_at, status, tool_calls, suggested_values,
                          suggested_actions, custom_payload, metadata)
    SELECT %(tenant_id)s, conversation_id, %(user_id)s, turn, role, content, name,
           coalesce(said_at, now()), coalesce(recorded_at, now()), archived_at, status,
           tool_calls::json, suggested_values::json, suggested_actions::json,
           custom_payload::json, metadata::json
      FROM unnest(%(conversation_ids)b::uuid[], %(turns)b::integer[], %(roles)b::text[],
                  %(contents)b::text[], %(names)b::text[], %(said_at)b::timestamptz[],
                  %(recorded_at)b::timestamptz[], %(archived_at)b::timestamptz[],
                  %(status)b::text[], %(tool_calls)b::text[], %(suggested_values)b::text[],
                  %(suggested_actions)b::text[], %(custom_payload)b::text[], %(metadata)b::text[])
           WITH ORDINALITY
           AS told (conversation_id, turn, role, content, name, said_at, recorded_at, archived_at,
                    status, tool_calls, suggested_values, suggested_actions, custom_payload,
                    metadata, place)
     ORDER BY place
"""

# One after the other, so that what was said first is learned first.
QUEUE = """
    INSERT INTO jobs (tenant_id, task, key, user_id, due_at)
    SELECT %(tenant_id)s, %(task)s, id, %(user_id)s, now() + place * interval '1 microsecond'
      FROM unnest(%(ids)s::text[]) WITH ORDINALITY AS told (id, place)
        ON CONFLICT (tenant_id, task, key) DO UPDATE
       SET requested = jobs.requested + 1,
           attempts = CASE WHEN jobs.state = 'dead' THEN 0 ELSE jobs.attempts END,
           state = CASE WHEN jobs.state = 'dead' THEN 'queued' ELSE jobs.state END
"""

PLACE_OF = """
    SELECT told.place - 1 AS place, messages.id
      FROM unnest(%(conversation_ids)s::uuid[], %(turns)s::integer[], %(roles)s::text[])
           WITH ORDINALITY AS told (conversation_id, turn, role, place)
      JOIN messages
        ON messages.tenant_id = %(tenant_id)s
       AND messages.conversation_id = told.conversation_id
       AND messages.turn = told.turn
       AND messages.role = told.role
     ORDER BY told.place
"""

INSERT_FACTS = """
    INSERT INTO facts (tenant_id, id, version, user_id, type, category, key, content, fingerprint,
                       confidence, importance, pinned, archived, origin, said_at, recorded_at,
                       valid_from, valid_to, closed, said_count, source_conversation_id,
                       source_message_id, source_gone, span_start, span_end, extractor, tokens,
                       access_count, last_accessed_at)
    VALUES (%(tenant_id)s, %(id)s, %(version)s, %(user_id)s, %(fact_type)s, %(category)s, %(key)s,
            %(content)s, %(fingerprint)s, %(confidence)s, %(importance)s, %(pinned)s,
            %(archived)s, %(origin)s, %(said_at)s, %(recorded_at)s, %(valid_from)s, %(valid_to)s,
            %(closed)s, %(said_count)s, %(source_conversation_id)s, %(source_message_id)s,
            %(source_gone)s, %(span_start)s, %(span_end)s, %(extractor)s, %(tokens)s,
            %(access_count)s, %(last_accessed_at)s)
        ON CONFLICT DO NOTHING
"""

INSERT_PLACE = """
    INSERT INTO places (tenant_id, user_id, place_id, place_name, notes, tokens, added_at)
    VALUES (%(tenant_id)s, %(user_id)s, %(place_id)s, %(place_name)s, %(notes)s, %(tokens)s,
            %(added_at)s)
        ON CONFLICT DO NOTHING
"""

INSERT_MENTIONS = """
    INSERT INTO place_mentions (tenant_id, user_id, place_id, conversation_id, message_id,
                                mentioned_at)
    SELECT %(tenant_id)s, %(user_id)s, %(place_id)s, conversation_id, message_id, mentioned_at
      FROM unnest(%(conversation_ids)s::text[], %(message_ids)s::text[],
                  %(mentioned_at)s::timestamptz[])
           AS told (conversation_id, message_id, mentioned_at)
        ON CONFLICT DO NOTHING
"""

INSERT_MEMORY = """
    INSERT INTO user_memory (tenant_id, user_id, key, value, updated_at)
    VALUES (%(tenant_id)s, %(user_id)s, %(key)s, %(value)s::text::json, %(updated_at)s)
        ON CONFLICT (tenant_id, user_id, key) DO NOTHING
"""

SET_MODE = """
    UPDATE users
       SET mode = %(mode)s,
           mode_updated_at = %(at)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND mode IS NULL
"""

SET_CURRENT = """
    UPDATE users
       SET current_conversation_id = %(conversation_id)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND current_conversation_id IS NULL
"""

# What was learned from where it comes from is not learned once more.
SKIP_LEARNED = """
    UPDATE conversations
       SET learned_through = messages.id
      FROM unnest(%(conversation_ids)s::uuid[], %(turns)s::integer[], %(roles)s::text[])
           AS last (conversation_id, turn, role)
      JOIN messages
        ON messages.tenant_id = %(tenant_id)s
       AND messages.conversation_id = last.conversation_id
       AND messages.turn = last.turn
       AND messages.role = last.role
     WHERE conversations.tenant_id = %(tenant_id)s
       AND conversations.id = last.conversation_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """Where a conversation stands that goes on."""

    id: str
    turn_count: int
    turn_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    place: int
    id: int


async def known(conn: Conn, *, user_id: str, sources: Sequence[bytes]) -> set[bytes]:
    """Those sources that were taken in before."""
    return {bytes(one) for one in await conn.values(KNOWN, user_id=user_id, sources=list(sources))}


async def add(conn: Conn, *, user_id: str, sources: Mapping[bytes, str]) -> None:
    """Note sources as taken in, each with its conversation."""
    await conn.run(
        ADD, user_id=user_id, sources=list(sources), conversation_ids=list(sources.values())
    )


async def continued(conn: Conn, *, user_id: str, ids: Sequence[str]) -> dict[str, Continued]:
    """Those of these conversations that are there, locked."""
    found = await conn.all(Continued, CONTINUED, user_id=user_id, ids=list(ids))
    return {one.id: one for one in found}


async def go_on(conn: Conn, *, user_id: str, to: Continued, at: datetime | None) -> None:
    """Let a conversation stand where its new messages led it."""
    await conn.run(
        CONTINUE,
        user_id=user_id,
        id=to.id,
        turn_count=to.turn_count,
        turn_open=to.turn_open,
        at=at,
    )


async def insert_conversations(
    conn: Conn, *, user_id: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Store conversations whose messages follow in this transaction."""
    names = (
        "id", "kind", "title", "archived", "turn_count", "metadata",
    )  # fmt: skip
    columns: dict[str, list[Any]] = {f"{name}s": [row[name] for row in rows] for name in names}
    await conn.run(
        INSERT_CONVERSATIONS,
        user_id=user_id,
        ids=columns["ids"],
        kinds=columns["kinds"],
        titles=columns["titles"],
        titles_by=[row["title_by"] for row in rows],
        archived=columns["archiveds"],
        pinned=[row["pinned"] for row in rows],
        retention_hours=[row["retention_hours"] for row in rows],
        expires_at=[row["expires_at"] for row in rows],
        turn_counts=columns["turn_counts"],
        turns_open=[row["turn_open"] for row in rows],
        metadata=[json.dumps(metadata) for metadata in columns["metadatas"]],
        created_at=[row["created_at"] for row in rows],
        updated_at=[row["updated_at"] for row in rows],
    )


_JSON = ("tool_calls", "suggested_values", "suggested_actions", "custom_payload", "metadata")
_PLAIN = ("turn", "role", "content", "name", "said_at", "recorded_at", "archived_at", "status")


async def insert_messages(conn: Conn, *, user_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store messages whose turns nobody else numbers."""
    plural = {"turn": "turns", "role": "roles", "content": "contents", "name": "names"}
    columns: dict[str, list[Any]] = {
        plural.get(name, name): [row[name] for row in rows] for name in _PLAIN
    }
    for name in _JSON:
        columns[name] = [None if row[name] is None else json.dumps(row[name]) for row in rows]
    await conn.run(
        INSERT_MESSAGES,
        user_id=user_id,
        conversation_ids=[row["conversation_id"] for row in rows],
        **columns,
    )


async def queue(conn: Conn, *, user_id: str, ids: Sequence[str]) -> None:
    """Ask that these conversations are digested, in this order."""
    await conn.run(QUEUE, user_id=user_id, ids=list(ids), task=DIGEST)


async def ids_of(conn: Conn, wanted: Sequence[tuple[str, int, str]]) -> dict[int, int]:
    """The messages by conversation, turn and role; keys are places in what was wanted."""
    found = await conn.all(
        _Placed,
        PLACE_OF,
        conversation_ids=[one[0] for one in wanted],
        turns=[one[1] for one in wanted],
        roles=[one[2] for one in wanted],
    )
    return {one.place: one.id for one in found}


async def insert_fact(conn: Conn, *, user_id: str, fact: Mapping[str, Any]) -> bool:
    """Store a version of a fact as it was; tells whether it was new."""
    return await conn.run(INSERT_FACTS, user_id=user_id, **fact) > 0


async def insert_place(
    conn: Conn, *, user_id: str, place: Mapping[str, Any], mentions: Sequence[Mapping[str, Any]]
) -> bool:
    """Store a place with its mentions; tells whether it was new."""
    new = await conn.run(INSERT_PLACE, user_id=user_id, **place) > 0
    await conn.run(
        INSERT_MENTIONS,
        user_id=user_id,
        place_id=place["place_id"],
        conversation_ids=[one["conversation_id"] for one in mentions],
        message_ids=[one["message_id"] for one in mentions],
        mentioned_at=[one["mentioned_at"] for one in mentions],
    )
    return new


async def insert_memory(
    conn: Conn, *, user_id: str, key: str, value: object, updated_at: datetime | None
) -> bool:
    """Store a key with its object unless there is one; tells whether it was new."""
    touched = await conn.run(
        INSERT_MEMORY,
        user_id=user_id,
        key=key,
        value=json.dumps(value),
        updated_at=updated_at,
    )
    return touched > 0


async def set_mode(conn: Conn, *, user_id: str, mode: str, at: datetime | None) -> None:
    """Set the state of a user who has none."""
    await conn.run(SET_MODE, user_id=user_id, mode=mode, at=at)


async def set_current(conn: Conn, *, user_id: str, conversation_id: str) -> None:
    """Let a user who has no current conversation go on in this one."""
    await conn.run(SET_CURRENT, user_id=user_id, conversation_id=conversation_id)


async def skip_learned(conn: Conn, learned: Mapping[str, tuple[int, str]]) -> None:
    """Note how far conversations were learned from, by turn and role of the last message."""
    await conn.run(
        SKIP_LEARNED,
        conversation_ids=list(learned),
        turns=[turn for turn, _ in learned.values()],
        roles=[role for _, role in learned.values()],
    )
