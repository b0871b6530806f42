"""Tenants: which there are, and what each decided for itself."""

from psycopg.types.json import Json as JsonText

from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.records.tenant import TenantEntry

LIST = """
    SELECT tenant_id
      FROM tenants
     ORDER BY tenant_id
"""

ENTRIES = """
    SELECT tenant_id, created_at
      FROM tenants
     ORDER BY tenant_id
"""

ENTRY = """
    SELECT tenant_id, created_at
      FROM tenants
     WHERE tenant_id = %(tenant_id)s
"""

# The smallest that is free. Not the highest and one: somebody may have taken the very last.
FREE = """
    SELECT min(candidate)
      FROM (SELECT 1::bigint AS candidate
             UNION
            SELECT tenant_id + 1
              FROM tenants
             WHERE tenant_id BETWEEN 1 AND 9223372036854775806) AS candidates
     WHERE NOT EXISTS (SELECT tenant_id
                         FROM tenants
                        WHERE tenants.tenant_id = candidate)
"""

CREATE = """
    INSERT INTO tenants (tenant_id)
    VALUES (%(tenant_id)s)
        ON CONFLICT (tenant_id) DO NOTHING
 RETURNING tenant_id, created_at
"""

GET_SETTINGS = """
    SELECT settings
      FROM tenants
     WHERE tenant_id = %(tenant_id)s
"""

SET_SETTINGS = """
    INSERT INTO tenants (tenant_id, settings)
    VALUES (%(tenant_id)s, %(settings)s)
        ON CONFLICT (tenant_id) DO UPDATE
       SET settings = excluded.settings
"""


async def list_ids(conn: Conn) -> list[int]:
    """Return the ids of all tenants; only for a system transaction."""
    return await conn.values(LIST)


async def entries(conn: Conn) -> list[TenantEntry]:
    """Every tenant there is; only for a system transaction."""
    return await conn.all(TenantEntry, ENTRIES)


async def free_id(conn: Conn) -> int:
    """Return a number that no tenant has; only for a system transaction."""
    return await conn.value(FREE)


async def create(conn: Conn) -> TenantEntry | None:
    """Make the row of this tenant; None when it is there already."""
    return await conn.first(TenantEntry, CREATE)


async def entry(conn: Conn) -> TenantEntry | None:
    """Return the row of this tenant, if it has one yet."""
    return await conn.first(TenantEntry, ENTRY)


async def get_settings(conn: Conn) -> JsonObject:
    """Return the tenant's settings as they were stored, empty when there are none."""
    return await conn.value(GET_SETTINGS) or {}


async def set_settings(conn: Conn, settings: JsonObject) -> None:
    """Store the tenant's settings in place of the ones that are there."""
    await conn.run(SET_SETTINGS, settings=JsonText(settings))
