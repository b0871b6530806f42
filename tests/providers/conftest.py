"""A vendor on loopback, and no vendor's variables in the environment."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest

from longterm.providers.local import LocalEmbedder
from longterm.providers.model import ChatModel
from tests.providers import vendor_server
from tests.providers.stages import VENDORS, a_vendor
from tests.providers.vendor_server import VendorServer

VARIABLES = [
    f"{vendor}_{what}"
    for vendor in ("OPENAI", "ANTHROPIC", "OLLAMA")
    for what in ("API_KEY", "BASE_URL")
]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [*VARIABLES, "ANTHROPIC_AUTH_TOKEN"]:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="session")
async def one_server() -> AsyncIterator[VendorServer]:
    async with vendor_server.running() as vendor:
        yield vendor


@pytest.fixture
def server(one_server: VendorServer) -> VendorServer:
    """A vendor that behaves well and has not been asked yet."""
    one_server.reset()
    return one_server


@pytest.fixture(scope="session")
async def vendors(one_server: VendorServer) -> AsyncIterator[Mapping[str, ChatModel]]:
    """A model of each vendor, made once: reading the certificates takes 30 ms each time."""
    models = {vendor: await a_vendor(vendor, one_server) for vendor in VENDORS}
    yield models
    for model in models.values():
        await model.close()


@pytest.fixture(scope="session")
async def local() -> AsyncIterator[LocalEmbedder]:
    """The local embedder, loaded once for all tests."""
    embedder = await asyncio.to_thread(LocalEmbedder)
    yield embedder
    await embedder.close()
