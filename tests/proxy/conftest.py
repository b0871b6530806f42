"""A Longterm on loopback, in front of a model's server that does as it is told."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI
from openai import AsyncOpenAI, OpenAI

from longterm import AsyncTenant, Settings
from longterm.api.app import create_app
from longterm.records.message import Message
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.faults.test_outage import Switch
from tests.proxy.upstream import Upstream, serving

_users = itertools.count(1)
UPSTREAM_KEY = "sk-configured"


@dataclass
class Door:
    """The proxy, and the memory behind it."""

    url: str
    app: FastAPI

    @property
    def runtime(self) -> Runtime:
        return self.app.state.process.runtime

    @property
    def mem(self) -> AsyncTenant:
        return self.runtime.tenant(Scope(1))

    def client(self, user: str | None, key: str = "sk-client", **more: Any) -> AsyncOpenAI:
        headers = {} if user is None else {"X-Longterm-User": user}
        return AsyncOpenAI(
            base_url=f"{self.url}/v1",
            api_key=key,
            default_headers=headers | more.pop("headers", {}),
            max_retries=more.pop("max_retries", 0),
            **more,
        )

    def blocking(self, user: str, **more: Any) -> OpenAI:
        headers = {"X-Longterm-User": user}
        return OpenAI(
            base_url=f"{self.url}/v1", api_key="sk-client", default_headers=headers, **more
        )

    async def said(self, user: str) -> list[tuple[str, str]]:
        """Everything that is stored of a user, in the order it was said."""
        await self.runtime.parts.aside.finish()
        found = await self.messages(user)
        return [(one.role, one.content) for one in found]

    async def messages(self, user: str) -> list[Message]:
        await self.runtime.parts.aside.finish()
        return await self.mem.get_recent_messages(user, 1000)


@pytest.fixture(scope="session")
async def shared_upstream() -> AsyncIterator[Upstream]:
    upstream = Upstream()
    async with serving(upstream.app()) as url:
        upstream.url = f"{url}/base/v1"
        yield upstream


@pytest.fixture
def upstream(shared_upstream: Upstream) -> Upstream:
    """The model's server, which says "Fine." until it is told otherwise."""
    shared_upstream.reset()
    return shared_upstream


@pytest.fixture(scope="session")
async def shared_door(
    new_database: Callable[[str], str], shared_upstream: Upstream
) -> AsyncIterator[Door]:
    settings = Settings(
        database_url=new_database("longterm_proxy"),
        worker=False,
        upstream_url=shared_upstream.url,
        upstream_key=UPSTREAM_KEY,  # pyright: ignore[reportArgumentType]
        connect_timeout_s=60,
        proxy_patience_s=30,
    )
    app = create_app(Runtime(settings))
    async with serving(app) as url:
        # Else the first request may not wait until it is loaded.
        await app.state.process.runtime.parts.aside.finish()
        yield Door(url, app)


@pytest.fixture
def door(shared_door: Door, upstream: Upstream) -> Door:
    return shared_door


@pytest.fixture(scope="session")
async def offline_door(new_database: Callable[[str], str]) -> AsyncIterator[Door]:
    """A Longterm without any model."""
    settings = Settings(
        database_url=new_database("longterm_proxy_offline"), worker=False, proxy_patience_s=30
    )
    app = create_app(Runtime(settings))
    async with serving(app) as url:
        yield Door(url, app)


@pytest.fixture
async def patient_door(
    new_database: Callable[[str], str], server: str, upstream: Upstream, tmp_path: Path
) -> AsyncIterator[tuple[Door, Switch, str]]:
    """A proxy whose database can be taken away."""
    conninfo = new_database("longterm_proxy_outage")
    settings = Settings(
        database_url=conninfo,
        worker=False,
        upstream_url=upstream.url,
        proxy_patience_s=30,
        journal_dir=tmp_path,
    )
    app = create_app(Runtime(settings))
    switch = Switch(server, conninfo)
    async with serving(app) as url:
        # The first call loads it, which may take longer than recall waits.
        await app.state.process.runtime.parts.embedders.current.embed(["warm"])
        try:
            yield Door(url, app), switch, conninfo
        finally:
            await asyncio.to_thread(switch.on)


END_WAITING = """
    SELECT pg_cancel_backend(pid)
      FROM pg_stat_activity
     WHERE datname = current_database()
       AND wait_event_type = 'Lock'
       AND query NOT LIKE 'LOCK %'
"""


async def end_waiting(conninfo: str) -> None:
    """End the statement that waits for a lock, as the time limit of statements does."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as raw:
        while not await (await raw.execute(END_WAITING)).fetchall():
            await asyncio.sleep(0.02)


@pytest.fixture
def user() -> str:
    """Somebody of whom nothing is known."""
    return f"user {next(_users)}"
