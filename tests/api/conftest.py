"""The HTTP application on a database of its own, without a network."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from longterm import Settings
from longterm.api.app import create_app
from longterm.runtime import Runtime


@pytest.fixture(scope="session")
def app_conninfo(new_database: Callable[[str], str]) -> str:
    """An empty database for the application."""
    return new_database("longterm_api")


@pytest.fixture
def settings(app_conninfo: str) -> Settings:
    """The application's settings; impatient, because a test takes its database away."""
    return Settings(database_url=app_conninfo, worker=False, connect_timeout_s=1)


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    """The application, running."""
    made = create_app(Runtime(settings))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody on this machine."""
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http:
        yield http
