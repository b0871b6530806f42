"""d8: the server is killed in the middle of an answer, and the page goes on with the next one."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import psycopg
import pytest
from playwright.async_api import expect

from longterm import Settings
from longterm.api.app import create_app
from longterm.runtime import Runtime
from tests.journeys.programs import StartServer, quiet_port, starting_servers
from tests.web.acts import answered, answers, send
from tests.web.conftest import Visits, serving
from tests.web.vendor import SlowVendor, speaking

pytestmark = pytest.mark.xdist_group("web")

# As if the process had been dead for a while, instead of waiting for that.
LONG_DEAD = "UPDATE longterm.answers SET seen_at = now() - '1h'::interval"
STORED = "SELECT id FROM longterm.messages WHERE content LIKE 'one two three%'"
LOOK_NOW = "UPDATE longterm.jobs SET due_at = now() WHERE task = 'settle'"


@pytest.fixture
def start() -> Iterator[StartServer]:
    yield from starting_servers()


@pytest.fixture
async def vendor() -> AsyncIterator[SlowVendor]:
    async with speaking() as made:
        yield made


async def test_an_answer_survives_the_server(
    start: StartServer, vendor: SlowVendor, visits: Visits, new_database: Callable[[str], str]
) -> None:
    """d8"""
    database = new_database("longterm_web_restart")
    model = {
        "llm": "openai:gpt-test",
        "llm_base_url": vendor.url,
        "llm_api_key": "sk-test-0123456789abcdef",
    }
    vendor.silent_after = 3
    environment = {f"LONGTERM_{name.upper()}": value for name, value in model.items()}
    port = quiet_port()
    server = start("serve", "--port", str(port), "--database-url", database, **environment)
    url = await asyncio.to_thread(server.url)
    page = await visits.open(url)
    await send(page, "count")
    await expect(answers(page)).to_have_text("one two three")
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as conn:
        await _stored(conn)
        server.process.send_signal(signal.SIGKILL)
        await expect(page.get_by_text("The connection is lost")).to_be_visible()
        await conn.execute(LONG_DEAD)
        await conn.execute(LOOK_NOW)

    # The next one need not be killed, so it may be here, where it starts sooner.
    settings = Settings.model_validate({"database_url": database, **model})
    async with serving(create_app(Runtime(settings)), port):
        await expect(page.get_by_text("interrupted", exact=True)).to_be_visible(timeout=60_000)
        await expect(answers(page)).to_have_text("one two three")
        await page.reload()
        await expect(page.get_by_text("interrupted", exact=True)).to_be_visible()
        vendor.silent_after = None
        await page.get_by_role("button", name="Try again").click()
        await answered(page, "one two three four")
    visits.forgive("ERR_", "Failed to load")


async def _stored(conn: psycopg.AsyncConnection) -> None:
    """Wait until what is seen is written down, which is a moment later."""
    async with asyncio.timeout(60):
        while not await (await conn.execute(STORED)).fetchone():
            await asyncio.sleep(0.05)
