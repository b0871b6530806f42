"""b4: a large cleanup runs in batches, shares its work, counts exactly, and stops nobody."""

import asyncio

import psycopg

from longterm import AsyncTenant
from longterm.memory import retention

TURNS = 100_000
LONG_TURNS = 20_000

# One very long session, and many short ones of ten turns.
EXPIRED = """
    WITH session AS (
        INSERT INTO conversations (tenant_id, id, user_id, kind, turn_count, retention_hours,
                                   expires_at)
        SELECT %(tenant_id)s, gen_random_uuid(), 'ada', 'session', turns, 24,
               now() - interval '1 minute'
          FROM (SELECT %(long)s AS turns
                 UNION ALL
                SELECT 10
                  FROM generate_series(1, (%(turns)s - %(long)s) / 10)) AS planned
     RETURNING id, turn_count
    )
    INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content)
    SELECT %(tenant_id)s, id, 'ada', turn, role, 'expired'
      FROM session,
           generate_series(1, turn_count) AS turn,
           (VALUES ('user'), ('assistant')) AS roles (role)
"""


async def test_a_hundred_thousand_expired_turns_are_cleaned_up_by_two_while_others_write(
    mem: AsyncTenant, raw: psycopg.AsyncConnection, tenant_id: int
) -> None:
    await mem.add_message("ada", "user", "this stays")
    await raw.execute(EXPIRED, {"tenant_id": tenant_id, "turns": TURNS, "long": LONG_TURNS})
    written: list[int] = []
    cleaning = asyncio.gather(mem.cleanup(), mem.cleanup())

    while not cleaning.done():
        written.append(await mem.add_message("ada", "user", "written meanwhile"))
    first, second = await cleaning

    total = first + second
    sessions = 1 + (TURNS - LONG_TURNS) // 10
    assert (total.sessions_deleted, total.turns_deleted) == (sessions, TURNS)
    assert total.errors == ()
    assert min(first.turns_deleted, second.turns_deleted) > 0
    # A write gets through between any two batches at least.
    assert len(written) >= TURNS // retention.BATCH_TURNS / 2
    assert await mem.count_messages("ada") == 1 + len(written)
    assert (await mem.cleanup()).turns_deleted == 0
