"""Who changed what."""

from typing import Annotated

from fastapi import APIRouter, Query

from longterm.api.people import Anybody
from longterm.api.wire.audit import AuditEntry
from longterm.api.wire.shapes import Items, Time

router = APIRouter(tags=["audit"])


@router.get("/api/audit")
async def list_audit(
    asked: Anybody,
    after: Annotated[Time, Query(description="Only what was changed after this time.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    cursor: Annotated[str | None, Query(max_length=20)] = None,
) -> Items[AuditEntry]:
    """List the changes to the memory of a user, or of all users of the tenant, newest first."""
    user_id = asked.id()
    found = await asked.memory(user_id).list_audit(user_id, after=after, limit=limit, cursor=cursor)
    return Items[AuditEntry].of(found)
