"""The blocking library on the database of this test process: its tenants serve every adapter."""

from collections.abc import Iterator

import pytest

from longterm import Longterm, Tenant


@pytest.fixture(scope="session")
def library(conninfo: str) -> Iterator[Longterm]:
    with Longterm(conninfo) as running:
        yield running


@pytest.fixture
def tenant(library: Longterm, tenant_id: int) -> Tenant:
    """A fresh tenant of the blocking library."""
    return library.tenant(tenant_id)
