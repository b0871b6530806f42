"""d8: the conversations at the side, and the header of the one that is open."""

import asyncio

import psycopg
import pytest
from playwright.async_api import expect

from tests.web.acts import choose, drawn, nodes
from tests.web.conftest import Site, Visits, conversation, say

pytestmark = pytest.mark.xdist_group("web")


async def three(site: Site, user: str) -> list[str]:
    """Three conversations, the last used first in the list."""
    made: list[str] = []
    async with site.http() as http:
        for title in ("Bread", "Hiking", "Lisbon"):
            made.append(await conversation(http, user, title=title))
            await say(http, user, made[-1], [f"about {title} and the xylophone"])
    return made


async def test_conversations_are_listed_by_day(
    site: Site, visits: Visits, user: str, one_day: None
) -> None:
    await three(site, user)

    page = await visits.open(site.url)

    await expect(page.locator(".conversation .name")).to_have_text(["Lisbon", "Hiking", "Bread"])
    await expect(page.locator(".day")).to_have_text(["Today"])


async def test_a_conversation_is_renamed_in_place(site: Site, visits: Visits, user: str) -> None:
    await three(site, user)
    page = await visits.open(site.url)

    await page.locator(".conversation", has_text="Hiking").hover()
    await choose(page, page.get_by_role("button", name="Actions for Hiking"), "Rename")
    await expect(page.locator("#sidebar input:focus")).to_have_count(1)
    await page.keyboard.type("The Alps")
    # It is shown before the server knows it, and a page that is left takes its requests along.
    async with page.expect_response(lambda one: one.request.method == "PUT"):
        await page.keyboard.press("Enter")

    await expect(page.locator(".conversation .name")).to_contain_text(["The Alps"])
    await page.reload()
    await expect(page.locator(".conversation .name")).to_contain_text(["The Alps"])


async def test_a_pinned_conversation_stands_first(
    site: Site, visits: Visits, user: str, one_day: None
) -> None:
    await three(site, user)
    page = await visits.open(site.url)

    await page.locator(".conversation", has_text="Bread").hover()
    await choose(page, page.get_by_role("button", name="Actions for Bread"), "Pin")

    await expect(page.locator(".conversation .name").first).to_have_text("Bread")
    await expect(page.locator(".day")).to_have_text(["Pinned", "Today"])


async def test_an_archived_conversation_is_out_of_the_way(
    site: Site, visits: Visits, user: str
) -> None:
    await three(site, user)
    page = await visits.open(site.url)

    await page.locator(".conversation", has_text="Bread").hover()
    await choose(page, page.get_by_role("button", name="Actions for Bread"), "Archive")

    await expect(page.locator(".conversation .name")).to_have_text(["Lisbon", "Hiking"])
    await page.get_by_role("button", name="Show archived").click()
    await expect(page.locator(".conversation .name")).to_have_text(["Bread"])


async def test_a_deleted_conversation_comes_back_when_it_is_undone(
    site: Site, visits: Visits, user: str
) -> None:
    made = await three(site, user)
    page = await visits.open(f"{site.url}/c/{made[0]}")

    await choose(page, page.get_by_role("button", name="Actions for Bread"), "Delete")
    await expect(page.locator(".conversation .name")).to_have_text(["Lisbon", "Hiking"])
    await page.get_by_role("button", name="Undo").click()

    await expect(page.locator(".conversation .name")).to_have_count(3)
    assert page.url.endswith(made[0])


async def test_a_deleted_conversation_is_gone_when_the_page_is_left(
    site: Site, visits: Visits, user: str
) -> None:
    made = await three(site, user)
    page = await visits.open(site.url)
    await page.locator(".conversation", has_text="Bread").hover()
    await choose(page, page.get_by_role("button", name="Actions for Bread"), "Delete")

    await page.goto(f"{site.url}/healthz")

    async with site.http() as http, asyncio.timeout(60):
        path = f"/api/conversations/{made[0]}"
        while (await http.get(path, params={"user_id": user})).status_code != 404:
            await asyncio.sleep(0.05)


async def test_search_looks_into_titles_and_messages(site: Site, visits: Visits, user: str) -> None:
    await three(site, user)
    page = await visits.open(site.url)
    await expect(page.locator(".conversation")).to_have_count(3)

    await page.keyboard.press("Control+k")
    await page.keyboard.type("xylo")
    await expect(page.locator(".conversation .snippet mark")).to_have_text(["xylo"] * 3)
    await page.keyboard.type("phone")

    await expect(page.locator(".conversation .snippet mark")).to_have_text(["xylophone"] * 3)
    await page.get_by_label("Search conversations").fill("Hiking")
    await expect(page.locator(".conversation .name")).to_have_text(["Hiking"])
    await page.get_by_label("Search conversations").fill("zeppelin")
    await expect(page.get_by_text("Nothing found")).to_be_visible()


MANY = """
    INSERT INTO longterm.conversations (tenant_id, id, user_id, kind, title, updated_at)
    SELECT 1, gen_random_uuid(), %s, 'conversation', 'No. ' || number, now() - number * '1h'::interval
      FROM generate_series(1, 1000) AS number
"""


async def test_a_thousand_conversations_are_scrolled_with_few_elements(
    site: Site, site_conninfo: str, visits: Visits, user: str
) -> None:
    """d8"""
    async with site.http() as http:
        await conversation(http, user, title="The first")
    async with await psycopg.AsyncConnection.connect(site_conninfo, autocommit=True) as conn:
        await conn.execute(MANY, [user])
    page = await visits.open(site.url)
    await expect(page.locator(".conversation").first).to_have_text("The first")

    last = page.get_by_role("link", name="No. 1000", exact=True)
    async with asyncio.timeout(120):
        while not await last.count():
            await page.evaluate("document.querySelector('#sidebar .scroller').scrollTop += 4000")
            await drawn(page)
            assert await nodes(page, ".conversations *") < 600


async def test_a_title_is_changed_in_the_header(site: Site, visits: Visits, user: str) -> None:
    made = await three(site, user)
    page = await visits.open(f"{site.url}/c/{made[0]}")

    await page.get_by_role("heading", name="Bread").get_by_role("button").click()
    await page.keyboard.type("Sourdough")
    await page.keyboard.press("Enter")

    await expect(page.locator(".conversation .name")).to_contain_text(["Sourdough"])
    await expect(page).to_have_title("Sourdough · Longterm")


async def test_how_long_a_conversation_is_kept_is_shown_and_changed(
    site: Site, visits: Visits, user: str
) -> None:
    made = await three(site, user)
    page = await visits.open(f"{site.url}/c/{made[0]}")
    kept = page.get_by_role("button", name="How long this conversation is kept")
    await expect(page.locator(".kept-text")).to_have_text("Kept")

    await choose(page, kept, "A week after the last message")

    await expect(page.locator(".kept-text")).to_contain_text("Until")
    await page.reload()
    await expect(page.locator(".kept-text")).to_contain_text("Until")


async def test_a_conversation_is_exported(site: Site, visits: Visits, user: str) -> None:
    made = await three(site, user)
    page = await visits.open(f"{site.url}/c/{made[0]}")
    more = page.get_by_role("button", name="Actions for this conversation")

    async with page.expect_download() as download:
        await choose(page, more, "Export as Markdown")

    file = await download.value
    assert file.suggested_filename == "Bread.md"
    path = await file.path()
    assert "about Bread and the xylophone" in path.read_text()
