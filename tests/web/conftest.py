"""A real browser, a real server with a database of its own, and a user nobody knew before."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    async_playwright,
    expect,
)

from longterm import Settings
from longterm.api.app import create_app
from longterm.listener import open_listener, url_of
from longterm.runtime import Runtime
from tests.web.speaker import Speaker

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONGEST_MS = 60_000
# What can be undone is done after six seconds, and a machine may need longer to get to its button.
PATIENT = """{
    const soon = window.setTimeout;
    window.setTimeout = (act, ms, ...given) => soon(act, ms === 6000 ? 600000 : ms, ...given);
}"""
DESKTOP = (1440, 900)
PHONE = (390, 844)


@pytest.fixture(scope="package")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium, started once."""
    # Ample, so that a busy machine fails no test.
    expect.set_options(timeout=LONGEST_MS)
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("There is no Chromium on this machine, so nobody looked at the page.")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        await started.close()


class _Server(uvicorn.Server):
    """uvicorn, but signals are left to pytest."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def serving(app: FastAPI, port: int = 0) -> AsyncGenerator["Site"]:
    """Serve an application on a port, or on a free one."""
    with open_listener("127.0.0.1", port) as listener:
        config = uvicorn.Config(
            app, lifespan="off", log_config=None, ws="none", timeout_graceful_shutdown=1
        )
        server = _Server(config)
        async with app.router.lifespan_context(app):
            task = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield Site(url_of(listener), app, server)
            finally:
                server.should_exit = True
                await task


@dataclass(slots=True)
class Site:
    """A server that shows the page: its address, and what its model says."""

    url: str
    app: FastAPI
    server: uvicorn.Server
    speaker: Speaker = field(default_factory=Speaker)

    def cut(self) -> None:
        """Cut every connection, as a network does."""
        for connection in list(self.server.server_state.connections):
            connection.transport.abort()

    def http(self, **headers: str) -> httpx.AsyncClient:
        """The same memory by way of the HTTP API."""
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=120)


@pytest.fixture(scope="package")
def site_conninfo(new_database: Callable[[str], str]) -> str:
    """The database behind `site`, as a superuser."""
    return new_database("longterm_web")


@pytest.fixture(scope="package")
async def site(site_conninfo: str) -> AsyncIterator[Site]:
    """The page, with a model that says what a test wants, and nobody asking for keys."""
    speaker = Speaker()
    settings = Settings(database_url=site_conninfo, worker=False)
    app = create_app(Runtime(settings, llm=speaker))
    async with serving(app) as site:
        site.speaker = speaker
        yield site


@pytest.fixture(scope="package")
async def offline_site(new_database: Callable[[str], str]) -> AsyncIterator[Site]:
    """The page without a model, and with a worker: what is said is learned by rules."""
    settings = Settings(database_url=new_database("longterm_web_offline"))
    async with serving(create_app(Runtime(settings))) as site:
        yield site


@pytest.fixture(scope="module")
async def one_day() -> None:
    """Wait for midnight where it is near: what was said before is not of today any more then."""
    for zone in (UTC, None):
        now = datetime.now(UTC).astimezone(zone)
        left = timedelta(days=1) - timedelta(hours=now.hour, minutes=now.minute, seconds=now.second)
        if left < timedelta(seconds=90):
            await asyncio.sleep(left.total_seconds())


@pytest.fixture
def user() -> str:
    """Somebody whose memory is empty."""
    return f"user-{uuid4().hex[:12]}"


@pytest.fixture(scope="package")
async def tab(browser: Browser) -> AsyncIterator[Page]:
    """A tab that many tests use one after the other: a new one takes longer than most of them."""
    context = await browser.new_context(reduced_motion="reduce")
    await context.add_init_script(PATIENT)
    yield await context.new_page()
    await context.close()


@dataclass(slots=True)
class Visits:
    """Opens pages as somebody; keeps what went wrong in them."""

    browser: Browser
    user: str
    tab: Page
    wrong: list[str] = field(default_factory=list[str])
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])
    watched: list[tuple[Page, str, Callable[[Any], None]]] = field(default_factory=list[Any])

    async def context(
        self,
        *,
        user: str | None = None,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        stored: dict[str, str] | None = None,
        **more: Any,
    ) -> BrowserContext:
        """A browser of its own: nothing stored, but who uses it."""
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            **more,
        )
        await context.add_init_script(PATIENT)
        known = {"longterm-user": user or self.user} | (stored or {})
        for name, value in known.items():
            await context.add_init_script(
                f"localStorage.getItem({name!r}) ?? localStorage.setItem({name!r}, {value!r})"
            )
        self.contexts.append(context)
        return context

    async def open(
        self,
        url: str,
        *,
        context: BrowserContext | None = None,
        user: str | None = None,
        size: tuple[int, int] = DESKTOP,
        stored: dict[str, str] | None = None,
    ) -> Page:
        """Open an address in the tab, or in a tab of a browser of its own."""
        if context is None and self.watched:
            context = await self.context(user=user, size=size, stored=stored)
        if context is None:
            page = await self._emptied(
                url, size, {"longterm-user": user or self.user} | (stored or {})
            )
        else:
            page = await context.new_page()
        page.set_default_timeout(LONGEST_MS)
        self.watch(page, urlsplit(url).netloc)
        await page.goto(url)
        return page

    async def _emptied(self, url: str, size: tuple[int, int], stored: dict[str, str]) -> Page:
        """The tab as if it were new: what it has stored is this and no more."""
        await self.tab.set_viewport_size({"width": size[0], "height": size[1]})
        await self.tab.emulate_media(color_scheme="light", reduced_motion="reduce")
        await self.tab.goto(urljoin(url, "/healthz"))
        await self.tab.evaluate(
            """stored => {
                localStorage.clear();
                sessionStorage.clear();
                for (const [name, value] of Object.entries(stored)) localStorage[name] = value;
            }""",
            stored,
        )
        return self.tab

    def watch(self, page: Page, host: str) -> None:
        """Note every error, every dialog, and every request that leaves the server."""

        def said(one: ConsoleMessage) -> None:
            if one.type in ("error", "warning"):
                self.wrong.append(f"console: {one.text}")

        def asked(one: Request) -> None:
            if urlsplit(one.url).netloc not in (host, ""):
                self.wrong.append(f"request: {one.url}")

        handlers: dict[str, Callable[[Any], None]] = {
            "pageerror": lambda error: self.wrong.append(f"error: {error}"),
            "dialog": lambda dialog: self.wrong.append(f"dialog: {dialog.message}"),
            "console": said,
            "request": asked,
        }
        for event, handler in handlers.items():
            page.on(event, handler)  # pyright: ignore[reportCallIssue, reportArgumentType]
            self.watched.append((page, event, handler))

    async def leave(self) -> None:
        """Close what was opened, and leave the tab to the next test."""
        # First of all: what a page still asks for while it is left fails, and says so.
        for page, event, handler in self.watched:
            page.remove_listener(event, handler)
        for context in self.contexts:
            await context.close()
        if any(page is self.tab for page, _, _ in self.watched):
            await self.tab.unroute_all(behavior="ignoreErrors")
            await self.tab.goto("about:blank")

    def forgive(self, *expected: str) -> None:
        """Take away what was bound to be said."""
        self.wrong = [one for one in self.wrong if not any(word in one for word in expected)]


@pytest.fixture
async def visits(browser: Browser, tab: Page, user: str) -> AsyncIterator[Visits]:
    """Pages that are left at the end; nothing may have gone wrong in them."""
    opened = Visits(browser, user, tab)
    yield opened
    await opened.leave()
    assert opened.wrong == []


async def conversation(http: httpx.AsyncClient, user: str, **more: Any) -> str:
    """Make a conversation; returns its id."""
    made = await http.post("/api/conversations", json={"user_id": user, **more})
    assert made.status_code == 201, made.text
    return made.json()["id"]


async def say(
    http: httpx.AsyncClient, user: str, conversation_id: str, texts: Iterable[str | dict[str, Any]]
) -> list[int]:
    """Store messages, the user's and answers by turns; returns their ids."""
    said = [
        text
        if isinstance(text, dict)
        else {"role": "assistant" if number % 2 else "user", "content": text}
        for number, text in enumerate(texts)
    ]
    ids: list[int] = []
    for start in range(0, len(said), 1000):
        stored = await http.post(
            f"/api/conversations/{conversation_id}/messages",
            json={"user_id": user, "messages": said[start : start + 1000]},
        )
        assert stored.status_code == 201, stored.text
        ids += [one["id"] for one in stored.json()["items"]]
    return ids
