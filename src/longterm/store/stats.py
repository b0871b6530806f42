"""How much a tenant has."""

from longterm.postgres.transaction import Conn
from longterm.records.stats import Counts

COUNTS = """
    SELECT (SELECT count(*) FROM users WHERE tenant_id = %(tenant_id)s) AS users,
           (SELECT count(*) FROM conversations WHERE tenant_id = %(tenant_id)s) AS conversations,
           (SELECT count(*) FROM messages WHERE tenant_id = %(tenant_id)s) AS messages,
           (SELECT count(*) FROM facts
             WHERE tenant_id = %(tenant_id)s AND valid_to IS NULL) AS facts,
           (SELECT count(*) FROM episodes WHERE tenant_id = %(tenant_id)s) AS episodes
"""

JOBS = """
    SELECT json_object_agg(state, jobs)
      FROM (SELECT state, count(*) AS jobs
              FROM jobs
             WHERE tenant_id = %(tenant_id)s
             GROUP BY state) AS counted
"""


async def counts(conn: Conn) -> Counts:
    """How many there are of each."""
    found = await conn.first(Counts, COUNTS)
    if found is None:
        raise AssertionError("a SELECT of numbers returns a row")
    return found


async def jobs(conn: Conn) -> dict[str, int]:
    """How many jobs the tenant has, by state."""
    return await conn.value(JOBS) or {}
