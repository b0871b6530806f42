"""One run: a database of its own, filled, measured and dropped."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from longterm.bench import appends, bare, bulk, data, reads, recalls, startup
from longterm.bench.data import TENANT, Admin, Sizes
from longterm.bench.report import Report, Row, machine
from longterm.bench.setting import Bench
from longterm.bench.timing import Progress, Silence
from longterm.errors import SetupError
from longterm.library import AsyncLongterm

MAY_BYPASS = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


async def run(server: str, sizes: Sizes, progress: Progress | None = None) -> Report:
    """Measure everything on the server of `server`, whose other databases are left alone."""
    progress = progress or Silence()
    started = time.perf_counter()
    async with own_database(server) as conninfo, administer(conninfo) as admin:
        rows = await _measure(conninfo, admin, sizes, progress)
        stored = await count_messages(admin)
        version = admin.info.parameter_status("server_version")
    rows += await startup.measure(sizes.start_rounds, progress)
    return Report(
        machine=machine(),
        postgres=f"PostgreSQL {version}",
        messages_in_table=stored,
        seconds=time.perf_counter() - started,
        rows=tuple(rows),
    )


async def _measure(conninfo: str, admin: Admin, sizes: Sizes, progress: Progress) -> list[Row]:
    async with AsyncLongterm(conninfo) as lt, bare.connect(conninfo) as plain:
        progress.start(f"storing {sizes.messages_in_table:,} messages", 1)
        await data.fill(admin, sizes)
        await data.settle(admin)
        progress.step()
        bench = Bench(
            mem=lt.tenant(TENANT),
            bare=plain,
            admin=admin,
            conninfo=conninfo,
            sizes=sizes,
            progress=progress,
        )
        return [
            *await reads.measure(bench),
            *await appends.measure(bench),
            *await bulk.measure(bench),
            *await recalls.measure(bench, lt.parts),
        ]


async def count_messages(admin: Admin) -> int:
    """Return how many messages there are at the end."""
    cursor = await admin.execute("SELECT count(*) FROM longterm.messages")
    row = await cursor.fetchone()
    return 0 if row is None else row[0]


@asynccontextmanager
async def own_database(server: str) -> AsyncGenerator[str]:
    """Make a database, and drop it at the end: policies are switched off in it on the way."""
    name = f"longterm_bench_{token_hex(4)}"
    async with administer(server) as admin:
        await _check_rights(admin)
        await admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_conninfo(server, dbname=name)
        finally:
            await admin.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


async def _check_rights(admin: Admin) -> None:
    cursor = await admin.execute(MAY_BYPASS)
    if await cursor.fetchone() != (True,):
        raise SetupError(
            "The bench compares with plain SQL that no policy binds: connect as a superuser, or as "
            "a role with CREATEDB, CREATEROLE and BYPASSRLS."
        )


@asynccontextmanager
async def administer(conninfo: str) -> AsyncGenerator[Admin]:
    """Connect as whoever may do everything."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as admin:
        yield admin
