"""Tenants: which there are, and what each decided for itself."""

from psycopg.types.json import Json as JsonText

from longterm.records.json import JsonObject
from longterm.store.database import Conn

LIST = """
    SELECT tenant_id
      FROM tenants
     ORDER BY tenant_id
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


async def get_settings(conn: Conn) -> JsonObject:
    """Return the tenant's settings as they were stored, empty when there are none."""
    return await conn.value(GET_SETTINGS) or {}


async def set_settings(conn: Conn, settings: JsonObject) -> None:
    """Store the tenant's settings in place of the ones that are there."""
    await conn.run(SET_SETTINGS, settings=JsonText(settings))
