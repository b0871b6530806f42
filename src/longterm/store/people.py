"""Users of a tenant in a list."""

from longterm.postgres.transaction import Conn
from longterm.records.person import Person

# Counted for one page of users only.
LIST = """
    SELECT user_id AS id,
           (SELECT count(*)
              FROM conversations
             WHERE tenant_id = %(tenant_id)s
               AND user_id = page.user_id) AS conversations,
           (SELECT count(*)
              FROM facts
             WHERE tenant_id = %(tenant_id)s
               AND user_id = page.user_id
               AND valid_to IS NULL) AS facts,
           coalesce((SELECT max(updated_at)
                       FROM conversations
                      WHERE tenant_id = %(tenant_id)s
                        AND user_id = page.user_id), page.created_at) AS seen_at
      FROM (SELECT user_id, created_at
              FROM users
             WHERE tenant_id = %(tenant_id)s
               AND user_id > %(after)s
               AND (%(pattern)s::text IS NULL OR user_id ILIKE %(pattern)s)
             ORDER BY user_id
             LIMIT %(limit)s) AS page
     ORDER BY user_id
"""


async def page(conn: Conn, *, after: str, limit: int, pattern: str | None) -> list[Person]:
    """Users by their ids, from one on."""
    return await conn.all(Person, LIST, after=after, limit=limit, pattern=pattern)
