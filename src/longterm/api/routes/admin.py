"""Administration: tenants, settings, keys, cleanup, statistics; for keys of the scope `admin`."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from longterm.api.people import Alone, OfTenant, Visible, least, root
from longterm.api.process import CurrentProcess
from longterm.api.wire.admin import (
    Cleanup,
    Key,
    KeyWithSecret,
    NewKey,
    NewTenant,
    Settings,
    Stats,
    Tenant,
    TenantSettings,
    with_secret,
)
from longterm.api.wire.shapes import Items, there
from longterm.memory.installation import create_tenant

router = APIRouter(
    prefix="/api/admin", tags=["administration"], dependencies=[Depends(least("admin"))]
)


@router.get("/tenants")
async def list_tenants(visible: Visible) -> Items[Tenant]:
    """List the tenants: all of them for an admin of the system, else one's own."""
    return Items[Tenant].all(visible)


@router.post("/tenants", status_code=201, dependencies=[Depends(root)])
async def new_tenant(new: NewTenant, process: CurrentProcess) -> Tenant:
    """Make a tenant; for an admin of the system only."""
    return Tenant.of(await create_tenant(process.runtime.parts, new.tenant_id))


@router.get("/settings")
async def get_settings(tenant: OfTenant) -> TenantSettings:
    """Return what the tenant decided for itself."""
    return TenantSettings.to(await tenant.get_settings())


@router.put("/settings")
async def put_settings(settings: Settings, tenant: OfTenant) -> TenantSettings:
    """Replace the tenant's settings; what is left out is left to the installation."""
    return TenantSettings.to(await tenant.update_settings(**settings.model_dump()))


@router.get("/keys")
async def list_keys(tenant: OfTenant) -> Items[Key]:
    """List the keys of the tenant, also those that were revoked, oldest first."""
    return Items[Key].all(await tenant.list_keys())


@router.post("/keys", status_code=201)
async def create_key(new: NewKey, asked: Alone) -> KeyWithSecret:
    """Make a key. Its `secret` is shown this once; as soon as there is a key, one is needed.

    Repeated with the same `Idempotency-Key`, the answer has no secret any more.
    """
    made = await asked.memory().create_key(new.name, new.scope, new.user_id)
    asked.is_of(new.user_id)
    return with_secret(made)


@router.delete("/keys", status_code=204)
async def revoke_key(
    key_id: Annotated[UUID, Query(alias="id", description="Which key, by its id.")],
    tenant: OfTenant,
) -> None:
    """Revoke a key, from the next request on."""
    there(await tenant.revoke_key(key_id))


@router.delete("/keys/{key_id}", status_code=204)
async def revoke_this_key(key_id: UUID, tenant: OfTenant) -> None:
    """Revoke a key, from the next request on."""
    there(await tenant.revoke_key(key_id))


@router.post("/cleanup")
async def cleanup(tenant: OfTenant) -> Cleanup:
    """Delete the conversations of the tenant that expired; facts learned from them stay."""
    return Cleanup.of(await tenant.cleanup())


@router.get("/stats")
async def stats(tenant: OfTenant) -> Stats:
    """Return how much the tenant has, its jobs by state, and what models cost it in 30 days."""
    return Stats.of(await tenant.get_stats())
