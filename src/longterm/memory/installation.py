"""The installation: which tenants there are."""

from longterm.errors import ConflictError, InvalidInputError
from longterm.memory import inputs
from longterm.memory.operations import Parts
from longterm.records.scope import SYSTEM_TENANT, Scope
from longterm.records.tenant import TenantEntry
from longterm.store import tenants


async def list_tenants(parts: Parts) -> list[TenantEntry]:
    """Every tenant that has something, by number."""
    async with parts.database.system() as conn:
        return await tenants.entries(conn)


async def tenant_itself(parts: Parts, tenant_id: int) -> list[TenantEntry]:
    """One tenant, as long as it has something."""
    async with parts.database.tenant(Scope(tenant_id)) as conn:
        found = await tenants.entry(conn)
    return [] if found is None else [found]


async def create_tenant(parts: Parts, tenant_id: int | None = None) -> TenantEntry:
    """Make a tenant with this number, or with the smallest that is free."""
    if tenant_id is not None:
        if inputs.tenant_id(tenant_id) == SYSTEM_TENANT:
            raise InvalidInputError("tenant_id must be from 1 on: 0 is the system.")
        return await _create(parts, tenant_id) or _refuse()
    while True:
        async with parts.database.system() as conn:
            free = await tenants.free_id(conn)
        # Somebody else may have been faster: then the next one is free.
        if made := await _create(parts, free):
            return made


async def _create(parts: Parts, tenant_id: int) -> TenantEntry | None:
    async with parts.database.tenant(Scope(tenant_id)) as conn:
        return await tenants.create(conn)


def _refuse() -> TenantEntry:
    raise ConflictError("There is a tenant with this number already.")
