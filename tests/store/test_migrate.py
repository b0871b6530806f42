"""Migrations: applied once, under a lock, and never edited."""

import asyncio
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from longterm import DatabaseGoneError, SetupError
from longterm.store import migrate as migrating
from longterm.store.migrate import Migration, migrate, migrations

OURS = migrations()
NAMES = [migration.name for migration in OURS]


async def test_ten_processes_that_start_at_once_apply_each_migration_once(
    empty_database: Callable[[str], str],
) -> None:
    empty = empty_database("migrate_race")

    applied = await asyncio.gather(*(migrate(empty) for _ in range(10)))

    assert sorted(applied, key=len, reverse=True)[0] == NAMES
    assert sum(len(names) for names in applied) == len(NAMES)


async def test_a_migration_that_fails_leaves_nothing_behind(
    empty_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = empty_database("migrate_failing")
    broken = [*OURS, Migration(9999, "broken", b"CREATE TABLE half (); SELECT 1 / 0")]
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "migrations", lambda: broken)
        with pytest.raises(psycopg.errors.DivisionByZero):
            await migrate(empty)

    async with await psycopg.AsyncConnection.connect(empty) as conn:
        cursor = await conn.execute("SELECT to_regclass('longterm.messages')")
        assert await cursor.fetchone() == (None,)
    assert await migrate(empty) == NAMES


async def test_an_edited_migration_is_refused(
    empty_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = empty_database("migrate_edited")
    await migrate(database)
    edited = [Migration(item.version, item.name, item.body + b" ") for item in OURS]
    monkeypatch.setattr(migrating, "migrations", lambda: edited)

    with pytest.raises(SetupError, match="differs"):
        await migrate(database)


async def test_a_database_of_a_newer_longterm_is_refused(
    empty_database: Callable[[str], str],
) -> None:
    database = empty_database("migrate_newer")
    await migrate(database)
    async with await psycopg.AsyncConnection.connect(database) as conn:
        await conn.execute(
            "INSERT INTO longterm.migrations (version, name, checksum) VALUES (9999, 'later', '')"
        )

    with pytest.raises(SetupError, match="newer"):
        await migrate(database)


async def test_a_user_without_rights_is_told_what_to_do(
    empty_database: Callable[[str], str], server: str
) -> None:
    database = empty_database("migrate_rights")
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute("DROP ROLE IF EXISTS powerless")
        conn.execute("CREATE ROLE powerless LOGIN")

    with pytest.raises(SetupError, match="longterm migrate"):
        await migrate(make_conninfo(database, user="powerless"))


@pytest.mark.usefixtures("runtime")
async def test_an_owner_who_is_no_superuser_can_set_longterm_up(
    empty_database: Callable[[str], str],
) -> None:
    database = empty_database("migrate_owner")
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector")
        conn.execute("DROP ROLE IF EXISTS landlord")
        conn.execute("CREATE ROLE landlord LOGIN CREATEROLE")
        conn.execute("GRANT longterm_app, longterm_system TO landlord WITH ADMIN OPTION")
        conn.execute(
            sql.SQL("GRANT CREATE ON DATABASE {} TO landlord").format(
                sql.Identifier(conn.info.dbname)
            )
        )

    assert await migrate(make_conninfo(database, user="landlord"))
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("DROP OWNED BY landlord CASCADE")
        conn.execute("DROP ROLE landlord")


async def test_a_database_that_does_not_answer_is_told() -> None:
    with pytest.raises(DatabaseGoneError, match="does not answer"):
        await migrate("host=/nowhere dbname=nothing")


def test_an_old_postgresql_is_refused() -> None:
    with pytest.raises(SetupError, match="PostgreSQL 14"):
        migrating.check_version(140_009)
