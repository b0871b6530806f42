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


def numbered(query: str) -> str:
    """The query with $1, $2 … in place of %(name)s."""
    names = list(dict.fromkeys(PARAMETER.findall(query)))
    return PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", query)


@pytest.mark.parametrize("name", ALL)
async def test_a_statement_fits_the_schema(
    name: str, runtime: Runtime, raw: psycopg.AsyncConnection
) -> None:
    plan = f"EXPLAIN (GENERIC_PLAN) {numbered(ALL[name])}"

    cursor = await raw.execute(plan.encode())

    assert await cursor.fetchone()


def test_the_statements_are_found() -> None:
    assert {"messages.APPEND", "jobs.CLAIM", "expiry.DOOMED"} <= set(ALL)
