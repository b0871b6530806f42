"""Prompt templates: versions of a tenant, with the system's beneath."""

from longterm.postgres.transaction import Conn
from longterm.records.template import Template

COLUMNS = "nullif(tenant_id, 0) AS tenant_id, name, version, body, created_at AS updated_at"

SET = f"""
    INSERT INTO templates (tenant_id, name, version, body)
    SELECT %(tenant_id)s, %(name)s, coalesce(max(version), 0) + 1, %(body)s
      FROM templates
     WHERE tenant_id = %(tenant_id)s
       AND name = %(name)s
 RETURNING {COLUMNS}
"""

# Two writers of one name would draw the same version; the second waits here for the first.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, %(tenant_id)s))"

# A tenant's own template comes before the system's (tenant 0).
GET = f"""
    SELECT {COLUMNS}
      FROM templates
     WHERE tenant_id IN (%(tenant_id)s, 0)
       AND name = %(name)s
     ORDER BY tenant_id = 0, version DESC
     LIMIT 1
"""

LIST = f"""
    SELECT DISTINCT ON (name) {COLUMNS}
      FROM templates
     WHERE tenant_id IN (%(tenant_id)s, 0)
     ORDER BY name, templates.tenant_id = 0, version DESC
"""

DELETE = """
    DELETE FROM templates
     WHERE tenant_id = %(tenant_id)s
       AND name = %(name)s
"""


async def set_(conn: Conn, *, name: str, body: str) -> Template:
    """Store a new version of the tenant's own template."""
    await conn.run(LOCK, name=name)
    template = await conn.first(Template, SET, name=name, body=body)
    if template is None:
        raise AssertionError("INSERT … RETURNING gave no row")
    return template


async def get(conn: Conn, name: str) -> Template | None:
    """Return the tenant's own template, else the system's, else None."""
    return await conn.first(Template, GET, name=name)


async def list_(conn: Conn) -> list[Template]:
    """Every template a tenant can use, by name."""
    return await conn.all(Template, LIST)


async def delete(conn: Conn, name: str) -> bool:
    """Delete every version of the tenant's own template; tells whether there was one."""
    return await conn.run(DELETE, name=name) > 0
