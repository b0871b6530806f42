"""Generations of vectors: one serves, and one may be filled beside it."""

from longterm.postgres.transaction import Conn
from longterm.records.passage import Generation

COLUMNS = "id, model, dimensions, state, filled_through"

CURRENT = f"""
    SELECT {COLUMNS}
      FROM generations
     WHERE tenant_id = %(tenant_id)s
       AND state <> 'retired'
     ORDER BY id
"""

ADD = """
    INSERT INTO generations (tenant_id, id, model, dimensions, state)
    SELECT %(tenant_id)s, coalesce(max(id), 0) + 1, %(model)s, %(dimensions)s, %(state)s
      FROM generations
     WHERE tenant_id = %(tenant_id)s
        ON CONFLICT DO NOTHING
"""

ADVANCE = """
    UPDATE generations
       SET filled_through = %(through)s
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND state = 'filling'
"""

RETIRE = """
    UPDATE generations
       SET state = 'retired'
     WHERE tenant_id = %(tenant_id)s
       AND state = %(state)s
"""

SERVE = """
    UPDATE generations
       SET state = 'serving'
     WHERE tenant_id = %(tenant_id)s
       AND id = %(id)s
       AND state = 'filling'
"""

# What slipped by while it was filled is embedded as if it were new.
UNMARK_MISSING = """
    UPDATE passages
       SET embedded = false
     WHERE tenant_id = %(tenant_id)s
       AND embedded
       AND NOT EXISTS (SELECT
                         FROM embeddings
                        WHERE tenant_id = passages.tenant_id
                          AND passage_id = passages.id
                          AND generation = %(generation)s)
 RETURNING user_id
"""

DELETE_RETIRED = """
    DELETE FROM embeddings
     WHERE tenant_id = %(tenant_id)s
       AND (passage_id, generation, part) IN (
               SELECT passage_id, generation, part
                 FROM embeddings
                WHERE tenant_id = %(tenant_id)s
                  AND generation = ANY(SELECT id
                                         FROM generations
                                        WHERE tenant_id = %(tenant_id)s
                                          AND state = 'retired')
                LIMIT %(limit)s)
"""

COUNT_PASSAGES = """
    SELECT count(*)
      FROM passages
     WHERE tenant_id = %(tenant_id)s
       AND id <= %(through)s
"""


async def current(conn: Conn) -> list[Generation]:
    """The generations that are in use: the one that serves, and the one that is filled."""
    return await conn.all(Generation, CURRENT)


async def add(conn: Conn, *, model: str, dimensions: int, state: str) -> None:
    """Begin a generation, unless another worker just did."""
    await conn.run(ADD, model=model, dimensions=dimensions, state=state)


async def advance(conn: Conn, *, id_: int, through: int) -> None:
    """Note how far a generation is filled."""
    await conn.run(ADVANCE, id=id_, through=through)


async def retire(conn: Conn, state: str) -> None:
    """Put the generation in that state out of use."""
    await conn.run(RETIRE, state=state)


async def serve(conn: Conn, id_: int) -> list[str]:
    """Let a filled generation take over; returns the users with passages that it lacks."""
    await conn.run(RETIRE, state="serving")
    await conn.run(SERVE, id=id_)
    return sorted(set(await conn.values(UNMARK_MISSING, generation=id_)))


async def delete_retired(conn: Conn, limit: int) -> int:
    """Delete some vectors that are out of use, and tell how many."""
    return await conn.run(DELETE_RETIRED, limit=limit)


async def count_passages(conn: Conn, through: int) -> int:
    """How many passages of the tenant there are up to one."""
    return await conn.value(COUNT_PASSAGES, through=through)
