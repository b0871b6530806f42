"""Who asks."""

from fastapi import APIRouter

from longterm.api.people import Known, OfTenant
from longterm.api.process import CurrentProcess
from longterm.api.wire.me import Me

router = APIRouter(tags=["users"])


@router.get("/api/me")
async def get_me(caller: Known, tenant: OfTenant, process: CurrentProcess) -> Me:
    """Return who asks, by their key, and what this installation can do for them."""
    return Me.asking(caller, process.runtime.parts, await tenant.get_settings())
