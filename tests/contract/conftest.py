"""One memory behind four doors: the library and the client, each async and blocking."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from decimal import Decimal
from inspect import isawaitable
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from longterm import AsyncTenant, Longterm, Settings
from longterm.api.app import create_app
from longterm.client import AsyncClient, Client
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.key import KeyScope
from longterm.records.scope import Scope
from longterm.records.usage import Price
from longterm.runtime import Runtime
from tests.memory.taught import fact, facts
from tests.proxy.upstream import serving

_tenants = itertools.count(1)
_STREAMS = ("stream", "follow", "export_user", "import_stream")
_END = object()
DOORS = ("library", "blocking library", "client", "blocking client")


PRICES = {"scripted:model": Price(prompt=Decimal("0.1"), answer=Decimal("0.7"))}


def a_model() -> ScriptedModel:
    """A model that repeats what was said, and finds a name in everything."""
    found = facts(fact(value="Ada", quote="My name is Ada"))
    return ScriptedModel(
        lambda prompt: found if prompt.answer_schema else f"You said {prompt.messages[-1].text}"
    )


@dataclass(frozen=True, slots=True)
class House:
    """A running server, and one empty tenant of it."""

    app: FastAPI
    url: str
    tenant_id: int

    @property
    def memory(self) -> AsyncTenant:
        """The same memory by way of the library."""
        runtime: Runtime = self.app.state.process.runtime
        return runtime.tenant(Scope(self.tenant_id))

    async def key(self, scope: KeyScope = "admin", user_id: str | None = None) -> str:
        return (await self.memory.create_key("test", scope, user_id)).secret

    async def client(self, **more: Any) -> AsyncClient:
        transport = more.pop("transport", None) or httpx.ASGITransport(self.app)
        return AsyncClient(self.url, await self.key(), transport=transport, **more)


class Awaited:
    """Any door with methods that are awaited; blocking ones run in a thread."""

    def __init__(self, door: object, *, blocking: bool) -> None:
        self._door = door
        self._blocking = blocking

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._door, name)
        if name in _STREAMS:
            return _in_thread(method) if self._blocking else method

        async def call(*args: Any, **more: Any) -> Any:
            if self._blocking:
                return await asyncio.to_thread(method, *args, **more)
            answer = method(*args, **more)
            return await answer if isawaitable(answer) else answer

        return call


def _in_thread(method: Callable[..., Iterator[Any]]) -> Callable[..., AsyncGenerator[Any]]:
    async def stream(*args: Any, **more: Any) -> AsyncGenerator[Any]:
        pieces = await asyncio.to_thread(method, *args, **more)
        while (piece := await asyncio.to_thread(next, pieces, _END)) is not _END:
            yield piece

    return stream


@pytest.fixture(scope="session")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("longterm_contract")


@pytest.fixture(scope="session")
async def served(database: str) -> AsyncIterator[tuple[FastAPI, str]]:
    """The application, which also listens on loopback."""
    settings = Settings(
        database_url=database,
        worker=False,
        max_import_bytes=1_500_000,
        model_prices=PRICES,
    )
    made = create_app(Runtime(settings, llm=a_model(), embedder=ScriptedEmbedder()))
    async with serving(made) as url:
        yield made, url


@pytest.fixture(scope="session")
async def longterm(database: str, served: object) -> AsyncIterator[Longterm]:
    """The blocking library; after the server, which makes the tables."""
    settings = Settings(database_url=database, worker=False, model_prices=PRICES)
    library = Longterm(settings=settings, llm=a_model(), embedder=ScriptedEmbedder())
    opened = await asyncio.to_thread(_opened, library)
    yield opened
    await asyncio.to_thread(opened.close)


def _opened(longterm: Longterm) -> Longterm:
    longterm.open()
    return longterm


@pytest.fixture
def house(served: tuple[FastAPI, str]) -> House:
    return House(*served, next(_tenants))


@pytest.fixture(params=DOORS)
async def mem(
    request: pytest.FixtureRequest, house: House, longterm: Longterm
) -> AsyncIterator[AsyncClient]:
    """An empty memory through one of the doors."""
    openers: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "library": lambda: _at_once(house.memory),
        "blocking library": lambda: _at_once(longterm.tenant(house.tenant_id)),
        "client": house.client,
        "blocking client": lambda: _blocking_client(house),
    }
    door = await openers[request.param]()
    yield cast("AsyncClient", Awaited(door, blocking="blocking" in request.param))
    if isinstance(door, Client):
        door.close()
    if isinstance(door, AsyncClient):
        await door.close()


async def _at_once(door: object) -> object:
    return door


async def _blocking_client(house: House) -> Client:
    return Client(house.url, await house.key())
