"""Every SQL constant of the store is planned against the real schema."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import psycopg
import pytest

import longterm.store
from longterm.runtime import Runtime

PLANNED = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
PARAMETER = re.compile(r"%\((\w+)\)[bs]")


def statements() -> Iterator[tuple[str, str]]:
    for module in pkgutil.iter_modules(longterm.store.__path__):
        room = importlib.import_module(f"longterm.store.{module.name}")
        for name, value in vars(room).items():
            if name.isupper() and isinstance(value, str) and PLANNED.match(value):
                yield f"{module.name}.{name}", value


ALL = dict(statements())


def parameters(query: str) -> list[str]:
    return list(dict.fromkeys(PARAMETER.findall(query)))


def numbered(query: str) -> str:
    """The query with $1, $2 … in place of %(name)s."""
    names = parameters(query)
    return PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", query)


@pytest.mark.parametrize("name", ALL)
async def test_a_statement_fits_the_schema(
    name: str, runtime: Runtime, raw: psycopg.AsyncConnection
) -> None:
    # EXPLAIN (GENERIC_PLAN) would need PostgreSQL 16.
    values = ", ".join(["NULL"] * len(parameters(ALL[name])))
    await raw.execute("SET plan_cache_mode = force_generic_plan")
    await raw.execute(f"PREPARE checked AS {numbered(ALL[name])}".encode())

    try:
        call = f"checked({values})" if values else "checked"
        cursor = await raw.execute(f"EXPLAIN EXECUTE {call}".encode())
        assert await cursor.fetchone()
    finally:
        await raw.execute("DEALLOCATE checked")


def test_the_statements_are_found() -> None:
    assert {"messages.APPEND", "jobs.CLAIM", "expiry.DOOMED"} <= set(ALL)
