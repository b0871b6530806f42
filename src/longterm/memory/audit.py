"""The audit trail: who changed what."""

from datetime import datetime

from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.audit import AuditEntry
from longterm.records.page import Page
from longterm.store import audit


class Audit(Operations):
    """Every change to memory, which is only ever added to."""

    async def list_audit(
        self,
        user_id: str | None = None,
        *,
        after: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[AuditEntry]:
        """Changes to the memory of a user, or of all users of the tenant, newest first."""
        user_id = None if user_id is None else inputs.user_id(user_id)
        after = None if after is None else inputs.moment(after, "after")
        limit = inputs.limit(limit)
        place = inputs.MAX_INTEGER
        if cursor is not None:
            place = inputs.message_id(inputs.text(cursor, "cursor"), "cursor")
        with self._operation("list_audit", user_id=user_id):
            async with self._read_only() as conn:
                found = await audit.list_(
                    conn, user_id=user_id, after=after, limit=limit + 1, before_id=place
                )
        items = tuple(found[:limit])
        return Page(items, str(items[-1].id) if len(found) > limit else None)
