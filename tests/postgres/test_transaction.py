"""A transaction sees one scope, passes values as parameters, and leaves nothing on its connection."""

import asyncio
from collections.abc import AsyncGenerator

import psycopg
import pytest

from longterm.postgres.pool import Database
from longterm.records.scope import Scope
from longterm.runtime import Runtime

TENANT, OTHER_TENANT = 2_000_000_013, 2_000_000_014
KEY = """it's a "question" \\ with 100 % of $1 in it; COMMIT"""


@pytest.fixture
async def database(runtime: Runtime, conninfo: str) -> AsyncGenerator[Database]:
    """A database with one connection, so that each transaction meets what the last one left."""
    for tenant_id in (TENANT, OTHER_TENANT):
        await runtime.tenant(Scope(tenant_id)).set_memory("ada", KEY, {"of": tenant_id})
    database = Database(conninfo, pool_size=1)
    await database.open()
    yield database
    await database.close()


async def visible_tenants(database: Database, scope: Scope) -> list[int]:
    """Whose key-value memory a scope sees without any condition on the tenant."""
    query = "SELECT tenant_id FROM user_memory WHERE key = %(key)s ORDER BY tenant_id"
    async with database.tenant(scope, read_only=True) as conn:
        return await conn.values(query, key=KEY)


async def test_a_transaction_sees_one_scope(database: Database) -> None:
    assert await visible_tenants(database, Scope(TENANT)) == [TENANT]
    assert await visible_tenants(database, Scope(OTHER_TENANT)) == [OTHER_TENANT]
    assert await visible_tenants(database, Scope(TENANT, "bob")) == []


async def test_the_scope_ends_with_the_transaction(database: Database) -> None:
    await visible_tenants(database, Scope(TENANT, "ada"))

    async with database.system() as conn:
        left = "SELECT coalesce(current_setting('longterm.tenant_id', true), '')"
        assert await conn.value(left) == ""
        assert await conn.value("SELECT current_user::text") == "longterm_system"


async def test_a_read_only_transaction_refuses_to_write(database: Database) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        async with database.tenant(Scope(TENANT), read_only=True) as conn:
            await conn.run("DELETE FROM user_memory WHERE tenant_id = %(tenant_id)s")

    assert await visible_tenants(database, Scope(TENANT)) == [TENANT]


async def test_values_are_no_part_of_a_statements_text(
    database: Database, raw: psycopg.AsyncConnection
) -> None:
    async with database.tenant(Scope(TENANT)) as conn:
        for _ in range(6):
            # The sixth execution uses the statement that the driver prepared.
            assert await conn.value("SELECT %(text)s::text", text=KEY) == KEY
        query = "SELECT query FROM pg_stat_activity WHERE pid = %(pid)s"
        pid = conn.raw.info.backend_pid
        async with raw.cursor() as cursor:
            await cursor.execute(query, {"pid": pid})
            (last,) = await cursor.fetchone() or ("",)

    assert last == "SELECT $1::text"


async def test_statements_run_after_a_rollback_discarded_the_prepared_ones(
    database: Database,
) -> None:
    for _ in range(6):
        await visible_tenants(database, Scope(TENANT))
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.tenant(Scope(TENANT)) as conn:
            await conn.run("SELECT 1 / 0")

    assert await visible_tenants(database, Scope(TENANT)) == [TENANT]


async def test_statements_that_are_sent_at_once_run_in_one_transaction(database: Database) -> None:
    async with database.tenant(Scope(TENANT), read_only=True) as conn:
        first, second = await asyncio.gather(conn.value("SELECT now()"), conn.value("SELECT now()"))

    assert first == second
