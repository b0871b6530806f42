"""Places that matter to a user, and where they were spoken of."""

from dataclasses import dataclass
from datetime import datetime

from longterm.postgres.transaction import Conn
from longterm.records.place import Mention, Place

INSERT = """
    INSERT INTO places (tenant_id, user_id, place_id, place_name, notes, tokens)
    VALUES (%(tenant_id)s, %(user_id)s, %(place_id)s, %(place_name)s, nullif(%(notes)s, ''),
            %(tokens)s)
        ON CONFLICT (tenant_id, user_id, place_id) DO UPDATE
       SET place_name = excluded.place_name,
           notes = nullif(coalesce(%(notes)s, places.notes), ''),
           tokens = excluded.tokens
"""

MENTION = """
    INSERT INTO place_mentions (tenant_id, user_id, place_id, conversation_id, message_id)
    SELECT tenant_id, user_id, place_id, %(conversation_id)s, %(message_id)s
      FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND place_id = %(place_id)s
        ON CONFLICT DO NOTHING
"""

EXISTS = """
    SELECT EXISTS (SELECT 1
                     FROM places
                    WHERE tenant_id = %(tenant_id)s
                      AND user_id = %(user_id)s
                      AND place_id = %(place_id)s)
"""

DELETE = """
    DELETE FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND place_id = %(place_id)s
"""

LIST = """
    SELECT place_id, place_name, notes, tokens, added_at,
           coalesce((SELECT json_agg(json_build_array(conversation_id, message_id, mentioned_at)
                                     ORDER BY mentioned_at, message_id)
                       FROM place_mentions
                      WHERE tenant_id = places.tenant_id
                        AND user_id = places.user_id
                        AND place_id = places.place_id), '[]') AS mentions
      FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
     ORDER BY added_at, place_id
"""

TOKENS = """
    SELECT coalesce(sum(tokens), 0)
      FROM places
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    place_id: str
    place_name: str
    notes: str | None
    tokens: int
    added_at: datetime
    mentions: list[tuple[str, str, str]]


async def insert(
    conn: Conn, *, user_id: str, place_id: str, place_name: str, notes: str | None, tokens: int
) -> None:
    """Store a place, or give the one that is there its new name and notes; "" takes them away."""
    await conn.run(
        INSERT,
        user_id=user_id,
        place_id=place_id,
        place_name=place_name,
        notes=notes,
        tokens=tokens,
    )


async def mention(
    conn: Conn, *, user_id: str, place_id: str, conversation_id: str, message_id: str
) -> bool:
    """Note where a place was spoken of, once; tells whether the place is there."""
    await conn.run(
        MENTION,
        user_id=user_id,
        place_id=place_id,
        conversation_id=conversation_id,
        message_id=message_id,
    )
    return await conn.value(EXISTS, user_id=user_id, place_id=place_id)


async def delete(conn: Conn, *, user_id: str, place_id: str) -> bool:
    """Delete a place with its mentions; tells whether it was there."""
    return await conn.run(DELETE, user_id=user_id, place_id=place_id) > 0


async def list_(conn: Conn, user_id: str) -> list[Place]:
    """Every place of a user with its mentions, oldest first."""
    return [_place(row) for row in await conn.all(_Row, LIST, user_id=user_id)]


async def tokens(conn: Conn, user_id: str) -> int:
    """How many tokens the places of a user take."""
    return await conn.value(TOKENS, user_id=user_id)


def _place(row: _Row) -> Place:
    return Place(
        place_id=row.place_id,
        place_name=row.place_name,
        notes=row.notes,
        added_at=row.added_at,
        mentions=tuple(
            Mention(
                conversation_id=conversation_id,
                message_id=message_id,
                mentioned_at=datetime.fromisoformat(mentioned_at),
            )
            for conversation_id, message_id, mentioned_at in row.mentions
        ),
    )
