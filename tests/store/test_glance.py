"""Reading in one round trip: the same rows, the same isolation, and nothing but reading."""

import asyncio
from collections.abc import AsyncGenerator

import psycopg
import pytest

from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store.database import Database

TENANT, OTHER_TENANT = 2_000_000_013, 2_000_000_014
SAID = """it's a "question" \\ with 100 % of $1 in it; COMMIT"""


@pytest.fixture
async def database(runtime: Runtime, conninfo: str) -> AsyncGenerator[Database]:
    """A database with one connection: what it was left with meets the next one."""
    for tenant_id in (TENANT, OTHER_TENANT):
        await runtime.tenant(Scope(tenant_id)).set_memory("ada", SAID, {"of": tenant_id})
    database = Database(conninfo, pool_size=1)
    await database.open()
    yield database
    await database.close()


async def keys_seen(database: Database, scope: Scope) -> list[int]:
    """Whose key-value memory is seen without any condition on the tenant."""
    query = "SELECT tenant_id FROM user_memory WHERE key = %(key)s ORDER BY tenant_id"
    return await database.glance(scope).values(query, key=SAID)


async def test_a_glance_sees_one_tenant_and_takes_values_for_values(database: Database) -> None:
    assert await keys_seen(database, Scope(TENANT)) == [TENANT]
    assert await keys_seen(database, Scope(OTHER_TENANT)) == [OTHER_TENANT]
    assert await keys_seen(database, Scope(TENANT, "bob")) == []


async def test_after_a_glance_nobody_acts_on_the_connection(database: Database) -> None:
    await keys_seen(database, Scope(TENANT, "ada"))

    async with database.system() as conn:
        left = "SELECT coalesce(current_setting('longterm.tenant_id', true), '')"
        assert await conn.value(left) == ""
        assert await conn.value("SELECT current_user::text") == "longterm_system"


async def test_a_glance_does_not_write(database: Database) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        await database.glance(Scope(TENANT)).values("DELETE FROM user_memory RETURNING key")

    assert await keys_seen(database, Scope(TENANT)) == [TENANT]


async def test_a_glance_answers_after_a_rollback_threw_away_what_was_prepared(
    database: Database,
) -> None:
    await keys_seen(database, Scope(TENANT))
    async with database.tenant(Scope(TENANT)) as conn:
        for _ in range(6):
            # The driver prepares it too, and then throws everything away.
            await conn.value("SELECT 1")
        await conn.raw.rollback()

    assert await keys_seen(database, Scope(TENANT)) == [TENANT]


async def test_what_is_asked_at_once_is_read_in_one_transaction(database: Database) -> None:
    glances = database.glances(Scope(TENANT))
    began = "SELECT now()"

    first, second = await asyncio.gather(glances.value(began), glances.value(began))
    later = await glances.value(began)

    assert first == second
    assert later > second


async def test_each_of_those_who_ask_at_once_gets_what_it_asked_for(database: Database) -> None:
    own, other = database.glances(Scope(TENANT)), database.glances(Scope(OTHER_TENANT))
    query = "SELECT tenant_id FROM user_memory WHERE key = %(key)s ORDER BY tenant_id"

    found = await asyncio.gather(
        own.values(query, key="nothing"), own.values(query, key=SAID), other.values(query, key=SAID)
    )

    assert found == [[], [TENANT], [OTHER_TENANT]]


async def test_who_asks_together_with_somebody_who_asks_nonsense_hears_of_it(
    database: Database,
) -> None:
    glances = database.glances(Scope(TENANT))

    with pytest.raises(psycopg.errors.DivisionByZero):
        await asyncio.gather(glances.value("SELECT 1"), glances.value("SELECT 1 / 0"))

    assert await glances.value("SELECT 1") == 1


async def test_a_transaction_whose_first_statement_fails_leaves_nothing_behind(
    database: Database,
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.tenant(Scope(TENANT)) as conn:
            await conn.run("SELECT 1 / 0")

    async with database.tenant(Scope(TENANT)) as conn:
        assert await conn.value("SELECT 1") == 1


async def test_a_transaction_in_which_nothing_is_asked_takes_no_connection(
    database: Database,
) -> None:
    # There is only one.
    async with database.tenant(Scope(TENANT)), database.tenant(Scope(TENANT)) as conn:
        assert await conn.value("SELECT 1") == 1


async def test_a_transaction_that_two_begin_at_once_is_not_two(
    runtime: Runtime, tenant_id: int
) -> None:
    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        one, other = await asyncio.gather(
            conn.value("SELECT 1"), conn.value("SELECT 1"), return_exceptions=True
        )

    assert one == 1
    assert isinstance(other, AssertionError)
