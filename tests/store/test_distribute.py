"""`longterm migrate --distribute`: what it would do to the tables, and that it loses no key.

Citus itself is not here: a function of its name stands in, to see that the statements fit the
schema.
"""

import json
from collections.abc import Callable

import psycopg
import pytest

from longterm.errors import SetupError
from longterm.store import distribute
from tests.journeys.programs import longterm_here

STAND_IN = """
    CREATE TABLE public.distributed (name text, key text, beside text);
    CREATE FUNCTION public.create_distributed_table(regclass, text, colocate_with text)
        RETURNS void LANGUAGE sql
        AS 'INSERT INTO public.distributed VALUES ($1::text, $2, $3)';
"""
KEYS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
      FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'longterm'::regnamespace
     ORDER BY 1, 2
"""


@pytest.fixture
def database(new_database: Callable[[str], str]) -> str:
    return new_database("distributed")


async def test_every_table_of_a_tenant_is_distributed_with_its_keys(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute(STAND_IN)
        conn.execute("SET search_path = longterm, public")
        keys = conn.execute(KEYS).fetchall()
        for step in await distribute.distribute(database, dry=True):
            if "EXTENSION" not in step.sql:
                conn.execute(step.sql.encode())
        placed = conn.execute("SELECT name, key, beside FROM distributed").fetchall()
        tables = conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'longterm'::regnamespace "
            "AND relkind = 'r' AND relname <> 'migrations'"
        ).fetchall()
        after = conn.execute(KEYS).fetchall()

    assert {name for name, _, _ in placed} == {name for (name,) in tables}
    assert placed[0] == ("tenants", "tenant_id", "none")
    assert {beside for _, _, beside in placed[1:]} == {"longterm.tenants"}
    assert after == keys
    assert len(keys) > 3


async def test_without_citus_it_says_so_and_changes_nothing(database: str) -> None:
    with pytest.raises(SetupError, match="has no Citus"):
        await distribute.distribute(database, dry=False)

    with psycopg.connect(database) as conn:
        assert len(conn.execute(KEYS).fetchall()) > 3


async def test_every_key_that_is_unique_begins_with_the_tenant(database: str) -> None:
    """A table can only be distributed by a column that all its unique keys have."""
    with psycopg.connect(database) as conn:
        without = conn.execute(
            """
            SELECT indexrelid::regclass::text
              FROM pg_index
              JOIN pg_class ON pg_class.oid = indrelid
             WHERE relnamespace = 'longterm'::regnamespace
               AND relname <> 'migrations'
               AND indisunique
               AND (SELECT attname
                      FROM pg_attribute
                     WHERE attrelid = indrelid AND attnum = indkey[0]) <> 'tenant_id'
            """
        ).fetchall()

    assert without == []


def test_the_command_shows_the_statements(new_database: Callable[[str], str]) -> None:
    database = ("--database-url", new_database("distributed_cli"))

    told = longterm_here("migrate", "--distribute", "--dry-run", "--json", *database)
    refused = longterm_here("migrate", "--distribute", *database)

    assert any(
        "create_distributed_table" in each["sql"] for each in json.loads(told.stdout)["steps"]
    )
    assert refused.returncode == 1
    assert "has no Citus" in refused.stderr
