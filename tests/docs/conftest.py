"""Readers, each with an empty memory."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from blockbuster import blockbuster_ctx
from psycopg import sql

from tests.docs.reader import Reader, reading

NewReader = Callable[..., AbstractAsyncContextManager[Reader]]

TABLES = """
    SELECT relname
      FROM pg_class
     WHERE relnamespace = 'longterm'::regnamespace
       AND relkind IN ('r', 'p')
       AND relname <> 'migrations'
"""


@pytest.fixture(autouse=True)
def no_blocking_calls() -> Iterator[None]:
    """As everywhere, but a command that has its event loop to itself may write its file there."""
    with blockbuster_ctx("longterm") as guard:
        guard.functions["io.TextIOWrapper.write"].can_block_in("longterm/cli/export.py", "_export")
        yield


@pytest.fixture(scope="session")
def shelf(new_database: Callable[[str], str]) -> str:
    """The database of all readers."""
    return new_database("docs")


@pytest.fixture
def new_reader(shelf: str, tmp_path: Path) -> NewReader:
    """Lends a reader for a page or a program."""

    @asynccontextmanager
    async def lend(*, worker: bool = False) -> AsyncGenerator[Reader]:
        # All of them are tenant 1. Emptying its tables takes a tenth of a second, making a
        # database a whole one.
        await _empty(shelf)
        async with reading(shelf, tmp_path, worker=worker) as reader:
            yield reader

    return lend


async def _empty(database: str) -> None:
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as conn:
        tables = await (await conn.execute(TABLES)).fetchall()
        names = sql.SQL(", ").join(sql.Identifier("longterm", name) for (name,) in tables)
        await conn.execute(sql.SQL("TRUNCATE {}").format(names))
