"""What a server, database or role may set otherwise changes nothing for Longterm."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from longterm import Settings, SetupError
from longterm.postgres import pool
from longterm.postgres.pool import Database
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.store.pgbouncer import needs_pgbouncer, running

FOREIGN = (
    ("client_encoding", "LATIN1"),
    ("client_encoding", "SQL_ASCII"),
    ("client_encoding", "GBK"),
    ("client_encoding", "SJIS"),
    ("client_encoding", "BIG5"),
    ("DateStyle", "SQL, DMY"),
    ("DateStyle", "Postgres, DMY"),
    ("DateStyle", "German"),
    ("IntervalStyle", "iso_8601"),
    ("IntervalStyle", "sql_standard"),
    ("TimeZone", "Asia/Kolkata"),
    ("default_transaction_isolation", "serializable"),
    ("default_transaction_isolation", "repeatable read"),
    ("standard_conforming_strings", "off"),
    ("backslash_quote", "off"),
    ("bytea_output", "escape"),
    ("extra_float_digits", "-15"),
    ("row_security", "off"),
    ("transform_null_equals", "on"),
    ("search_path", "nowhere"),
)

# Too long for a transaction of ours to reach, so the journey would not notice them.
TIMEOUTS = {
    "statement_timeout": "77s",
    "lock_timeout": "7s",
    "idle_session_timeout": "7s",
    "idle_in_transaction_session_timeout": "7s",
    "transaction_timeout": "77s",
}

# The last byte of the first three is a quote or a backslash in an encoding of East Asia.
USERS = ("ada", "O'Neil", "back\\slash", "both\\'", "¿'", "縗\\' OR 1=1; --", "表' --", "日本語 🙂", "$$%s")  # fmt: skip


@pytest.fixture(scope="module")
def altered(new_database: Callable[[str], str]) -> str:
    """The conninfo of a database whose settings the tests change."""
    return new_database("longterm_altered")


def alter(conninfo: str, *settings: tuple[str, str]) -> None:
    """Set this, and nothing else, for everybody who connects to the database from now on."""
    name = str(conninfo_to_dict(conninfo)["dbname"])
    with psycopg.connect(conninfo, dbname="postgres", autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} RESET ALL").format(sql.Identifier(name)))
        for setting, value in settings:
            change = sql.SQL("ALTER DATABASE {} SET {} = {}").format(
                sql.Identifier(name), sql.Identifier(setting), sql.Literal(value)
            )
            conn.execute(change)
        # Who is connected keeps what was set when they came.
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )


async def check_journey(url: str, tenant_id: int) -> None:
    """Append, state, recall and keep apart, as on a server that nobody configured."""
    began = datetime(2024, 2, 3, 4, 5, 6, 789000, UTC)
    settings = Settings(database_url=url, pool_size=3)
    async with Runtime(settings, embedder=ScriptedEmbedder()) as runtime:
        mem = runtime.tenant(Scope(tenant_id))
        for user_id in USERS:
            content = f"It's {user_id}: C:\\temp, ünï, 表, 🙂"
            await mem.add_message(user_id, "user", content, created_at=began)
            await asyncio.gather(
                *(mem.add_message(f"{user_id} in a hurry", "user", content) for _ in range(5))
            )
            await mem.set_memory(user_id, "key\\'", {"n": 0.1, "text": content})
            await mem.add_fact(user_id, f"{user_id} lives in Zürich", confidence=0.123456789)
        await runtime.worker().drain()

        for user_id in USERS:
            only = runtime.tenant(Scope(tenant_id, user_id))
            (message,) = await only.get_recent_messages(user_id)
            (fact,) = await only.list_facts(user_id, text="lives")
            found = await only.recall(user_id, "Where do I live?")
            others = [
                len(await only.get_recent_messages(each)) for each in USERS if each != user_id
            ]

            assert message.content == f"It's {user_id}: C:\\temp, ünï, 表, 🙂"
            assert message.created_at == began
            assert fact.content == f"{user_id} lives in Zürich"
            assert fact.confidence == 0.123456789
            assert fact.valid_from.utcoffset() is not None
            assert "lives in Zürich" in found.text
            assert await only.get_memory(user_id, "key\\'") == {"n": 0.1, "text": message.content}
            assert set(others) == {0}


@pytest.mark.parametrize(("name", "value"), FOREIGN)
async def test_a_foreign_setting_changes_nothing(
    altered: str, tenant_id: int, name: str, value: str
) -> None:
    alter(altered, (name, value))

    await check_journey(altered, tenant_id)


@needs_pgbouncer
@pytest.mark.parametrize(("name", "value"), dict(FOREIGN).items())
async def test_a_foreign_setting_changes_nothing_behind_a_pooler(
    altered: str, tenant_id: int, name: str, value: str
) -> None:
    alter(altered, (name, value))

    # One of its own: it tells its clients what its first connection was told.
    with running(altered) as pooled:
        await check_journey(pooled, tenant_id)


async def test_the_settings_of_a_role_change_nothing(
    altered: str, server: str, tenant_id: int
) -> None:
    name = str(conninfo_to_dict(altered)["dbname"])
    alter(altered)
    with psycopg.connect(server, autocommit=True) as conn:
        for setting, value in (("client_encoding", "SJIS"), ("DateStyle", "German")):
            change = sql.SQL("ALTER ROLE CURRENT_USER IN DATABASE {} SET {} = {}")
            conn.execute(
                change.format(sql.Identifier(name), sql.Identifier(setting), sql.Literal(value))
            )

        try:
            await check_journey(altered, tenant_id)
        finally:
            reset = sql.SQL("ALTER ROLE CURRENT_USER IN DATABASE {} RESET ALL")
            conn.execute(reset.format(sql.Identifier(name)))


async def test_what_the_address_itself_sets_changes_nothing(altered: str, tenant_id: int) -> None:
    alter(altered)

    await check_journey(
        make_conninfo(altered, client_encoding="SJIS", options="-c DateStyle=German"), tenant_id
    )


@pytest.fixture
async def impatient(altered: str) -> AsyncIterator[Database]:
    """A database whose administrator ends everything after seconds."""
    alter(altered, *TIMEOUTS.items())
    database = Database(altered, statement_timeout_s=30)
    await database.open()
    yield database
    await database.close()


async def test_time_limits_of_others_do_not_hold_for_us(impatient: Database) -> None:
    names = ", ".join(f"current_setting('{name}')" for name in TIMEOUTS)
    async with impatient.system() as conn:
        inside = await conn.value(f"SELECT ARRAY[{names}]")  # pyright: ignore[reportArgumentType]
    async with impatient.direct_connection() as raw:
        cursor = await raw.execute(f"SELECT ARRAY[{names}]".encode())
        (alone,) = await cursor.fetchone() or (None,)

    assert inside == alone == ["30s", "0", "0", "0", "0"]


@needs_pgbouncer
async def test_time_limits_of_others_do_not_hold_behind_a_pooler(altered: str) -> None:
    alter(altered, *TIMEOUTS.items())
    # That of an idle session is between the pooler and its server.
    names = ", ".join(f"current_setting('{name}')" for name in TIMEOUTS if "idle_s" not in name)
    with running(altered) as pooled:
        async with (
            Runtime(Settings(database_url=pooled)) as runtime,
            runtime.parts.database.system() as conn,
        ):
            found = await conn.value(f"SELECT ARRAY[{names}]")  # pyright: ignore[reportArgumentType]

    assert found == ["30s", "0", "0", "0"]


async def test_tables_are_made_under_foreign_settings(
    empty_database: Callable[[str], str], tenant_id: int
) -> None:
    database = empty_database("longterm_foreign")
    settings = dict(reversed(FOREIGN))
    alter(database, *settings.items(), ("lock_timeout", "1"), ("statement_timeout", "20"))

    await check_journey(database, tenant_id)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_JP"])
async def test_a_database_that_is_not_utf8_is_refused_in_one_sentence(
    server: str, encoding: str
) -> None:
    name = f"longterm_{encoding.lower()}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        made = sql.SQL(
            "CREATE DATABASE {} TEMPLATE template0 ENCODING {} LOCALE_PROVIDER libc LOCALE 'C'"
        )
        conn.execute(made.format(sql.Identifier(name), sql.Literal(encoding)))
    url = make_conninfo(server, dbname=name)

    with pytest.raises(SetupError) as refused:
        await Runtime(Settings(database_url=url)).open()

    assert str(refused.value).startswith(f"The database {name} has the encoding {encoding}")
    assert "ENCODING 'UTF8'" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("user_id", USERS)
async def test_who_acts_is_quoted_in_ascii(runtime: Runtime, user_id: str) -> None:
    async with runtime.parts.database.tenant(Scope(7, user_id)) as conn:
        assert await conn.value("SELECT current_setting('longterm.user_id')") == user_id
    # Also where the connection speaks another encoding than it says.
    assert pool._quoted(user_id).isascii()  # pyright: ignore[reportPrivateUsage]
