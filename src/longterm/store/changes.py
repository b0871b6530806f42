"""What changed since somebody looked, from indexes and the ends of tables."""

from dataclasses import replace

from longterm.postgres.transaction import Conn
from longterm.records.changes import Changes

# Every change of a fact or a place leaves a line in the audit trail. Of conversations, the 1,000
# that were used last are looked at: titles and pins change without a message.
CHANGES = """
    SELECT concat_ws('.', (SELECT max(id)
                             FROM audit
                            WHERE tenant_id = %(tenant_id)s
                              AND user_id = %(user_id)s),
                          (SELECT extract(epoch FROM max(said_to))
                             FROM episodes
                            WHERE tenant_id = %(tenant_id)s
                              AND user_id = %(user_id)s)) AS memory,
           (SELECT concat_ws('.', count(*), extract(epoch FROM max(updated_at)),
                             sum(hashtext(concat(title, pinned, archived, expires_at))))
              FROM (SELECT title, pinned, archived, expires_at, updated_at
                      FROM conversations
                     WHERE tenant_id = %(tenant_id)s
                       AND user_id = %(user_id)s
                     ORDER BY updated_at DESC, id DESC
                     LIMIT 1000) AS recent) AS conversations,
           (SELECT concat_ws('.', count(*), extract(epoch FROM max(added_at)),
                             sum(hashtext(concat(place_id, place_name, notes))),
                             (SELECT count(*)
                                FROM place_mentions
                               WHERE tenant_id = %(tenant_id)s
                                 AND user_id = %(user_id)s))
              FROM places
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s) AS places,
           (SELECT concat_ws('.', count(*), extract(epoch FROM max(updated_at)))
              FROM user_memory
             WHERE tenant_id = %(tenant_id)s
               AND user_id = %(user_id)s) AS keyvalues,
           (SELECT count(*)
              FROM (SELECT messages.id
                      FROM (SELECT DISTINCT key::uuid AS id
                              FROM jobs
                             WHERE tenant_id = %(tenant_id)s
                               AND user_id = %(user_id)s
                               AND task IN ('digest', 'learn')
                               AND state <> 'dead') AS waiting
                      JOIN conversations
                        ON conversations.tenant_id = %(tenant_id)s
                       AND conversations.id = waiting.id
                      JOIN messages
                        ON messages.tenant_id = %(tenant_id)s
                       AND messages.conversation_id = conversations.id
                       AND messages.id > conversations.learned_through
                     LIMIT 1000) AS unread) AS learning,
           ARRAY(SELECT question_id
                   FROM answers
                  WHERE tenant_id = %(tenant_id)s
                    AND user_id = %(user_id)s
                  ORDER BY question_id) AS answering
"""


async def look(conn: Conn, user_id: str) -> Changes:
    """Return the versions of what a user has."""
    found = await conn.first(Changes, CHANGES, user_id=user_id)
    if found is None:
        raise AssertionError("a SELECT of values returns a row")
    # An array comes as a list.
    return replace(found, answering=tuple(found.answering))
