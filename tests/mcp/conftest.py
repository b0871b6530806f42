"""Servers on this machine, and the official client that speaks with them."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from longterm import AsyncLongterm, AsyncTenant, Settings
from longterm.records.key import KeyScope
from longterm.server import serve
from mcp import Client

_tenants = itertools.count(100)

# The handshake of 2025 and before, and the requests of 2026 that need none.
PROTOCOLS = ("legacy", "2026-07-28")


@asynccontextmanager
async def serving(**settings: Any) -> AsyncGenerator[str]:
    """The address of a server."""
    announced: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    made = Settings(worker=False, port=0, connect_timeout_s=60, **settings)
    task = asyncio.create_task(serve(made, announce=announced.set_result))
    yield await announced
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@asynccontextmanager
async def connected(url: str, *, mode: str = "auto", **headers: str) -> AsyncGenerator[Client]:
    """A client; `key` and `user` are headers of ours."""
    sent = _as_sent(headers)
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def _as_sent(headers: dict[str, str]) -> dict[bytes, bytes]:
    return {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}


def told(result: CallToolResult) -> str:
    """The first text of a result."""
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


async def fact_of(client: Client, content: str, **more: str) -> str:
    """Have a fact remembered, and return its id."""
    done = await client.call_tool("remember", {"content": content, **more})
    assert not done.is_error, told(done)
    return done.structured_content["fact_id"]


async def known(client: Client) -> list[str]:
    """What is known, the newest first."""
    done = await client.call_tool("list_memories", {})
    return [each["content"] for each in done.structured_content["memories"]]


async def text_of(client: Client, uri: str) -> str:
    """The text of a resource."""
    contents = (await client.read_resource(uri)).contents[0]
    assert isinstance(contents, TextResourceContents)
    return contents.text


async def failure(client: Client, uri: str) -> MCPError:
    """The error that a resource is answered with."""
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    return caught.value


def message(method: str, **params: Any) -> dict[str, Any]:
    """A request of the protocol, as it is sent."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def post(url: str, body: Any, **headers: str) -> httpx.Response:
    """Send a request by hand."""
    sent = _as_sent(headers)
    async with httpx.AsyncClient(timeout=60) as http:
        return await http.post(f"{url}/mcp", json=body, headers=sent)


@dataclass(frozen=True)
class House:
    """Two servers on one database in which there are keys, and one tenant."""

    url: str
    second_url: str
    lt: AsyncLongterm
    tenant_id: int

    @property
    def memory(self) -> AsyncTenant:
        """The same memory by way of the library."""
        return self.lt.tenant(self.tenant_id)

    def other(self) -> "House":
        """Another tenant."""
        return House(self.url, self.second_url, self.lt, next(_tenants))

    async def bearer(self, scope: KeyScope = "user", user_id: str | None = None) -> str:
        """What a new key is sent as."""
        user_id = "ada" if scope == "user" and user_id is None else user_id
        return f"Bearer {(await self.memory.create_key('test', scope, user_id)).secret}"

    @asynccontextmanager
    async def client(self, user_id: str = "ada", mode: str = "auto") -> AsyncGenerator[Client]:
        """A client with the key of a user."""
        key = await self.bearer("user", user_id)
        async with connected(self.url, mode=mode, Authorization=key) as client:
            yield client


@pytest.fixture(scope="session")
async def houses(new_database: Callable[[str], str]) -> AsyncIterator[House]:
    """A tenant with a key, so that every other needs one too."""
    database = new_database("longterm_mcp")
    async with (
        AsyncLongterm(database) as lt,
        serving(database_url=database) as url,
        serving(database_url=database) as second_url,
    ):
        first = House(url, second_url, lt, 99)
        await first.bearer()
        yield first


@pytest.fixture
def house(houses: House) -> House:
    """An empty tenant."""
    return houses.other()


@pytest.fixture(scope="session")
async def open_url(new_database: Callable[[str], str]) -> AsyncIterator[str]:
    """A server that asks for no key, and is as strict as can be about everything else."""
    async with serving(
        database_url=new_database("longterm_mcp_open"),
        max_body_bytes=100_000,
        allowed_hosts=["memory.example"],
        cors_origins=["https://inspector.example"],
    ) as url:
        yield url
