"""Looks at the tables from outside, as a superuser whom no policy binds."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

Raw = psycopg.AsyncConnection[tuple[Any, ...]]

# Without partitions, whose rows are those of their parent.
TENANT_TABLES = """
    SELECT class.relname
      FROM pg_class AS class
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
     WHERE class.relnamespace = 'longterm'::regnamespace
       AND class.relkind IN ('r', 'p')
       AND NOT class.relispartition
       AND attribute.attname = 'tenant_id'
     ORDER BY class.relname
"""

# Who waits for a lock that somebody else holds.
WAITING = """
    SELECT count(*)
      FROM pg_stat_activity
     WHERE datname = current_database()
       AND wait_event_type = 'Lock'
"""

# What a question leaves while its answer is being made.
UNDER_WAY = """
    INSERT INTO answers (tenant_id, question_id, user_id)
    VALUES (%(tenant_id)s, %(question_id)s, %(user_id)s)
"""

# Waits for the end of each of them, for a minute at most.
TERMINATED = """
    SELECT pg_terminate_backend(pid, 60000)
      FROM pg_stat_activity
     WHERE datname = %(dbname)s
"""


async def tenant_tables(raw: Raw) -> list[str]:
    """Every table that holds something of a tenant."""
    cursor = await raw.execute(TENANT_TABLES)
    return [name for (name,) in await cursor.fetchall()]


async def rows_of(raw: Raw, tenant_id: int) -> dict[str, list[str]]:
    """Every row of a tenant as text, by table."""
    found: dict[str, list[str]] = {table: [] for table in await tenant_tables(raw)}
    each = sql.SQL("SELECT {}, one::text FROM {} AS one WHERE tenant_id = %(tenant_id)s")
    all_ = sql.SQL(" UNION ALL ").join(
        each.format(sql.Literal(table), sql.Identifier("longterm", table)) for table in found
    )
    cursor = await raw.execute(all_ + sql.SQL(" ORDER BY 1, 2"), {"tenant_id": tenant_id})
    for table, row in await cursor.fetchall():
        found[table].append(row)
    return found


async def somebody_waits(raw: Raw) -> bool:
    """Whether anybody waits for a lock."""
    return await (await raw.execute(WAITING)).fetchone() != (0,)


async def until_somebody_waits(raw: Raw) -> None:
    """Wait until somebody waits for a lock."""
    while not await somebody_waits(raw):
        await asyncio.sleep(0.01)


async def expire(raw: Raw, conversation_id: str, *, ago: timedelta = timedelta(seconds=1)) -> None:
    """Let a conversation have expired some time ago."""
    cursor = await raw.execute(
        "UPDATE longterm.conversations SET expires_at = now() - %s WHERE id = %s",
        [ago, conversation_id],
    )
    assert cursor.rowcount == 1


@asynccontextmanager
async def no_database(server: str, conninfo: str) -> AsyncGenerator[None]:
    """Close a database to everybody, inside."""
    name = sql.Identifier(str(conninfo_to_dict(conninfo)["dbname"]))
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as admin:
        await admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        # Until nobody is left: who was only told to go may still answer one more question.
        while await (await admin.execute(TERMINATED, conninfo_to_dict(conninfo))).fetchall():
            pass
        try:
            yield
        finally:
            await admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))
