"""Who asks, and who else is known to the tenant."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from longterm.api.people import Known, OfTenant, least
from longterm.api.process import CurrentProcess
from longterm.api.routes.conversations import Cursor, Limit
from longterm.api.wire.me import Me, Person
from longterm.api.wire.shapes import Items

router = APIRouter(tags=["users"])


@router.get("/api/me")
async def get_me(caller: Known, tenant: OfTenant, process: CurrentProcess) -> Me:
    """Return who asks, by their key, and what this installation can do for them."""
    return Me.asking(caller, process.runtime.parts, await tenant.get_settings())


@router.get("/api/users", dependencies=[Depends(least("app"))])
async def list_users(
    tenant: OfTenant,
    limit: Limit = 50,
    cursor: Cursor = None,
    search: Annotated[
        str | None, Query(min_length=1, max_length=255, description="A part of the id.")
    ] = None,
) -> Items[Person]:
    """List the users of the tenant by their ids; needs a key of the scope `app`."""
    return Items[Person].of(await tenant.list_users(limit, cursor, search))
