"""The HTTP application on databases of its own, without a network."""

import itertools
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from longterm import AsyncTenant, Settings
from longterm.api.app import create_app
from longterm.records.key import KeyScope
from longterm.records.scope import Scope
from longterm.runtime import Runtime

_tenants = itertools.count(100)


def a_client(app: FastAPI, key: str | None = None) -> httpx.AsyncClient:
    """Somebody on this machine, with a key or without."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1:8765",
        headers={} if key is None else {"Authorization": f"Bearer {key}"},
    )


@pytest.fixture(scope="session")
def app_conninfo(new_database: Callable[[str], str]) -> str:
    """An empty database for the application; no key is ever made in it."""
    return new_database("longterm_api")


@pytest.fixture
def settings(app_conninfo: str) -> Settings:
    """The application's settings."""
    return Settings(database_url=app_conninfo, worker=False)


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    """The application, running."""
    made = create_app(Runtime(settings))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody on this machine."""
    async with a_client(app) as http:
        yield http


class House:
    """An application that asks for keys, and one tenant of it."""

    def __init__(self, app: FastAPI, tenant_id: int) -> None:
        self.app = app
        self.tenant_id = tenant_id

    @property
    def runtime(self) -> Runtime:
        return self.app.state.process.runtime

    @property
    def memory(self) -> AsyncTenant:
        """The same memory by way of the library."""
        return self.runtime.tenant(Scope(self.tenant_id))

    async def key(self, scope: KeyScope = "app", user_id: str | None = None) -> str:
        return (await self.memory.create_key("test", scope, user_id)).secret

    async def client(
        self, scope: KeyScope = "app", user_id: str | None = None
    ) -> httpx.AsyncClient:
        return a_client(self.app, await self.key(scope, user_id))

    def other(self) -> "House":
        """Another tenant of the same application."""
        return House(self.app, next(_tenants))


@pytest.fixture(scope="session")
async def keyed_app(new_database: Callable[[str], str]) -> AsyncIterator[FastAPI]:
    """An application in whose database there are keys."""
    database = new_database("longterm_api_keys")
    made = create_app(Runtime(Settings(database_url=database, worker=False)))
    async with made.router.lifespan_context(made):
        await House(made, 99).key()
        yield made


@pytest.fixture
def house(keyed_app: FastAPI) -> House:
    """An empty tenant."""
    return House(keyed_app, next(_tenants))


@pytest.fixture
async def http(house: House) -> AsyncIterator[httpx.AsyncClient]:
    """An administrator of an empty tenant."""
    async with await house.client("admin") as client:
        yield client
