"""Spreads the tables over the machines of a Citus cluster, by tenant."""

from dataclasses import dataclass

import psycopg

from longterm.errors import SetupError
from longterm.postgres.session import ENCODING

FOREIGN_KEYS = """
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
           format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                  pg_get_constraintdef(oid)) AS add
      FROM pg_constraint
     WHERE contype = 'f'
       AND connamespace = 'longterm'::regnamespace
     ORDER BY conrelid::regclass::text, conname
"""

TABLES = """
    SELECT format('longterm.%I', relname) AS name
      FROM pg_class
      JOIN pg_attribute
        ON attrelid = pg_class.oid
       AND attname = 'tenant_id'
     WHERE relnamespace = 'longterm'::regnamespace
       AND relkind = 'r'
     ORDER BY relname <> 'tenants', relname
"""

AVAILABLE = "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'citus'"
DATABASE = "SELECT format('%I', current_database())"

_NO_CITUS = (
    "This PostgreSQL has no Citus, which distributes tables: install it on the coordinator and on "
    "every worker, or leave --distribute out."
)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement, and what it is for."""

    sql: str
    why: str


async def steps(conn: psycopg.AsyncConnection) -> list[Step]:
    """Every statement that distributes the tables as they are now, in order."""
    cursor = await conn.execute("SET search_path = longterm, public")
    cursor = await conn.execute(DATABASE)
    (database,) = await cursor.fetchone() or ("",)
    keys = await (await conn.execute(FOREIGN_KEYS)).fetchall()
    tables = [name for (name,) in await (await conn.execute(TABLES)).fetchall()]
    made = [
        Step("CREATE EXTENSION IF NOT EXISTS citus", "The extension, in this database."),
        Step(
            f"ALTER DATABASE {database} SET citus.propagate_set_commands = 'local'",
            "SET LOCAL of the tenant and the role reaches the workers; policies read them there.",
        ),
        Step(
            "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
            "All in this one transaction.",
        ),
    ]
    made += [Step(drop, "A key between tables stands in the way until both are distributed.")
             for drop, _ in keys]  # fmt: skip
    made += [_distribute(name, tables[0]) for name in tables]
    made += [Step(add, "The key again: it never leaves its tenant.") for _, add in keys]
    return made


def _distribute(name: str, first: str) -> Step:
    beside = "none" if name == first else first
    return Step(
        f"SELECT create_distributed_table('{name}', 'tenant_id', colocate_with => '{beside}')",
        "Rows of a tenant lie together on one machine.",
    )


async def distribute(conninfo: str, *, dry: bool) -> list[Step]:
    """Distribute the tables in one transaction, or only tell how."""
    async with await psycopg.AsyncConnection.connect(
        conninfo, autocommit=True, client_encoding=ENCODING
    ) as conn:
        found = await steps(conn)
        if dry:
            return found
        (available,) = await (await conn.execute(AVAILABLE)).fetchone() or (False,)
        if not available:
            raise SetupError(_NO_CITUS)
        async with conn.transaction():
            for step in found:
                await conn.execute(step.sql.encode())
    return found
