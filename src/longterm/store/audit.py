"""The audit trail: written in the transaction of the change, and only ever added to."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.audit import Actor, AuditEntry
from longterm.records.json import Json

INSERT = """
    INSERT INTO audit (tenant_id, user_id, actor, action, subject, source_message_id, before,
                       after)
    VALUES (%(tenant_id)s, %(user_id)s, %(actor)s, %(action)s, %(subject)s,
            %(source_message_id)s, %(before)s, %(after)s)
"""

COLUMNS = "id, at, user_id, actor, action, subject, source_message_id, before, after"

LIST_OF_USER = f"""
    SELECT {COLUMNS}
      FROM audit
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND id < %(before_id)s
       AND (%(after)s::timestamptz IS NULL OR at > %(after)s)
     ORDER BY id DESC
     LIMIT %(limit)s
"""

# Apart, for the planner: the first has an index by user, this one the primary key.
LIST_OF_TENANT = f"""
    SELECT {COLUMNS}
      FROM audit
     WHERE tenant_id = %(tenant_id)s
       AND id < %(before_id)s
       AND (%(after)s::timestamptz IS NULL OR at > %(after)s)
     ORDER BY id DESC
     LIMIT %(limit)s
"""

DELETED = "delete fact"

DELETED_PLACES = """
    SELECT after ->> 'place' AS place, max(at) AS at
      FROM audit
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND action = 'delete fact'
       AND after IS NOT NULL
     GROUP BY after ->> 'place'
     ORDER BY place
"""

FORGET_SUBJECT = """
    DELETE FROM audit
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND subject = %(subject)s
"""


async def write(
    conn: Conn,
    *,
    user_id: str,
    actor: Actor,
    action: str,
    subject: str,
    source_message_id: int | None = None,
    before: Json = None,
    after: Json = None,
) -> None:
    """Note a change."""
    await conn.run(
        INSERT,
        user_id=user_id,
        actor=actor,
        action=action,
        subject=subject,
        source_message_id=source_message_id,
        before=None if before is None else JsonText(before),
        after=None if after is None else JsonText(after),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedPlace:
    """The hash of a category and key beneath which a fact was deleted, and when last."""

    place: str
    at: datetime


async def deleted_places(conn: Conn, user_id: str) -> dict[str, datetime]:
    """Where facts of a user were deleted."""
    found = await conn.all(DeletedPlace, DELETED_PLACES, user_id=user_id)
    return {one.place: one.at for one in found}


async def list_(
    conn: Conn, *, user_id: str | None, after: datetime | None, limit: int, before_id: int
) -> list[AuditEntry]:
    """Changes to the memory of a user, or of all users, newest first."""
    wanted = {"after": after, "limit": limit, "before_id": before_id}
    if user_id is None:
        return await conn.all(AuditEntry, LIST_OF_TENANT, **wanted)
    return await conn.all(AuditEntry, LIST_OF_USER, user_id=user_id, **wanted)


async def forget_subject(conn: Conn, *, user_id: str, subject: str) -> None:
    """Delete what the trail says about something that was deleted itself."""
    await conn.run(FORGET_SUBJECT, user_id=user_id, subject=subject)
