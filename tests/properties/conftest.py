"""The blocking library: Hypothesis calls a plain function, many times over."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from longterm import Longterm, Tenant

# Far from the tenants of tests/conftest.py, which share the database.
_tenants = itertools.count(1_000_000_000)


@pytest.fixture(scope="package")
def library(conninfo: str) -> Iterator[Longterm]:
    """A running Longterm without an event loop of one's own."""
    with Longterm(conninfo) as running:
        yield running


@pytest.fixture(scope="package")
def restarted(conninfo: str) -> Iterator[Longterm]:
    """A Longterm of one's own, to close and open again."""
    with Longterm(conninfo) as running:
        yield running


@pytest.fixture(scope="package")
def new_memory(library: Longterm) -> Callable[[], Tenant]:
    """Gives one empty memory after the other."""
    return lambda: library.tenant(next(_tenants))


@pytest.fixture(scope="package")
def new_tenant_id() -> Callable[[], int]:
    """Gives the number of one empty memory after the other."""
    return lambda: next(_tenants)


@pytest.fixture(scope="package")
def superuser(conninfo: str, library: Longterm) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection that no policy binds, to change tables from outside."""
    with psycopg.connect(
        conninfo, autocommit=True, options="-c search_path=longterm,public"
    ) as conn:
        yield conn
