"""docs/production.md is true: what is saved by its commands comes back, and is as closed as before."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import UndefinedObject

from longterm import AsyncLongterm
from longterm.store.embedded import EmbeddedPostgres
from longterm.store.migrate import migrate
from tests.docs.blocks import blocks_of
from tests.docs.reader import reading

# One restoration for all.
pytestmark = pytest.mark.xdist_group("production")
PAGE = "docs/production.md"

# What two databases that allow the same have in common, whoever owns them.
CLOSED = """
    SELECT relname, relrowsecurity::text, relforcerowsecurity::text
      FROM pg_class
     WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('r', 'p')
"""
POLICIES = """
    SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check
      FROM pg_policies
     WHERE schemaname = 'longterm'
"""
GRANTS = """
    SELECT kind, name, grantee::regrole::text, privilege_type
      FROM (SELECT 'schema' AS kind, nspname AS name, nspacl AS acl
              FROM pg_namespace WHERE nspname = 'longterm'
            UNION ALL
            SELECT 'table', relname, relacl
              FROM pg_class WHERE relnamespace = 'longterm'::regnamespace
            UNION ALL
            SELECT 'column', relname || '.' || attname, attacl
              FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
             WHERE relnamespace = 'longterm'::regnamespace
            UNION ALL
            SELECT 'function', proname, proacl
              FROM pg_proc WHERE pronamespace = 'longterm'::regnamespace) AS things
     CROSS JOIN aclexplode(acl)
     WHERE grantee IN ('longterm_app'::regrole, 'longterm_system'::regrole)
"""


Rows = dict[str, list[tuple[Any, ...]]]


@dataclass
class Moved:
    """A database, and the one of another server that it was restored to."""

    old: str
    new: str
    copied: Path
    rows: tuple[Rows, Rows]


def asked(database: str, query: str, *params: object) -> list[tuple[Any, ...]]:
    """The rows of a query, in order."""
    with psycopg.connect(database) as conn:
        return sorted(conn.execute(query.encode(), params).fetchall())


def everything(database: str) -> Rows:
    """Every row of every table."""
    tables = [name for name, *_ in asked(database, CLOSED)]
    return {
        name: asked(database, f'SELECT one::text FROM longterm."{name}" AS one') for name in tables
    }


@pytest.fixture(scope="module")
def landlord(server: str, empty_database: Callable[[str], str]) -> Iterator[str]:
    """A database that belongs to somebody whom no other server knows."""
    database = empty_database("production")
    name = sql.Identifier(f"landlord_of_{conninfo_to_dict(database)['dbname']}")
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(name))
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN SUPERUSER").format(name))
        yield make_conninfo(database, user=name.as_string().strip('"'))
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(
            sql.Identifier(str(conninfo_to_dict(database)["dbname"]))))  # fmt: skip
        admin.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.fixture(scope="module")
async def moved(landlord: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Moved]:
    """What the page says, done."""
    folder, data = tmp_path_factory.mktemp("production"), tmp_path_factory.mktemp("data") / "data"
    await migrate(landlord)
    async with AsyncLongterm(landlord) as lt:
        await lt.tenant(1).add_message("ada", "user", "My name is Ada and I live in Porto.")
        await lt.tenant(2).add_message("bob", "user", "My name is Bob.")
        await lt.drain()
    server = EmbeddedPostgres(data)
    async with reading(landlord, folder, worker=False) as reader:
        reader.variables |= {
            "NEW_URL": await asyncio.to_thread(server.start),
            "LONGTERM_DATA_DIR": str(data),
            "LONGTERM_PORT": "0",
        }
        for block in blocks_of(PAGE):
            if "cp -a" in block.text:
                await asyncio.to_thread(server.stop)
            await reader.do(block)
    # What is looked at is the copy of what was restored: both have to be whole.
    with EmbeddedPostgres(folder / "backup") as copied:
        new = copied.start()
        yield Moved(landlord, new, folder / "backup", (everything(landlord), everything(new)))


async def test_everything_comes_back(moved: Moved) -> None:
    old, new = moved.rows

    assert new == old
    assert {"facts", "messages", "passages", "embeddings"} <= {name for name in old if old[name]}


async def test_what_comes_back_is_as_closed_as_before(moved: Moved) -> None:
    """a5"""
    for query in (CLOSED, POLICIES, GRANTS):
        found = asked(moved.new, query)
        assert found == asked(moved.old, query)
        assert len(found) > 10

    with psycopg.connect(moved.new) as conn:
        conn.execute("SET ROLE longterm_app")
        with pytest.raises(UndefinedObject):
            conn.execute("SELECT 1 FROM longterm.messages")


async def test_the_service_runs_on_it_as_somebody_who_owns_nothing(moved: Moved) -> None:
    with psycopg.connect(moved.new, autocommit=True) as conn:
        conn.execute("CREATE ROLE service LOGIN IN ROLE longterm_app, longterm_system")

    async with AsyncLongterm(make_conninfo(moved.new, user="service")) as lt:
        mem = lt.tenant(1)
        before = (await mem.get_recent_messages("ada"))[-1].id
        added = await mem.add_message("ada", "user", "I drink tea.")
        await lt.drain()
        found = await mem.recall("ada", "Where do I live?")

        assert added > before
        assert "Porto" in found.text
        assert "Bob" not in found.text
        assert await lt.tenant(2).get_active_facts("ada") == []


async def test_a_copy_of_the_folder_is_a_whole_installation(moved: Moved) -> None:
    async with AsyncLongterm(data_dir=moved.copied) as lt:
        facts = await lt.tenant(1).get_active_facts("ada")

    assert {fact.content for fact in facts} >= {"Ada", "Porto"}
