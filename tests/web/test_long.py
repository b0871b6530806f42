"""d8: a long conversation opens as a short one does, and can be read without jumps."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.web.acts import answered, drawn, nodes, send
from tests.web.conftest import Site, Visits, conversation, say

pytestmark = pytest.mark.xdist_group("web")

# Scrolls up a little, and tells where a message that is seen stands then.
UP = """() => {
    const scroller = document.querySelector(".stage .scroller");
    const { top } = scroller.getBoundingClientRect();
    window.marked = [...document.querySelectorAll(".message")]
        .find(one => one.getBoundingClientRect().top > top);
    scroller.scrollTop -= 300;
    return window.marked.getBoundingClientRect().top;
}"""
READER = "reader"
STANDS = "() => window.marked.isConnected ? window.marked.getBoundingClientRect().top : null"


@pytest.fixture(scope="module")
async def long(site: Site) -> tuple[str, list[int]]:
    """A conversation with 2,000 messages, and their ids."""
    async with site.http() as http:
        made = await conversation(http, READER, title="Long")
        texts = [f"number {n} " + "and more of it " * (n % 30) for n in range(2000)]
        return made, await say(http, READER, made, texts)


async def test_two_thousand_messages_are_a_page_at_a_time(
    site: Site, visits: Visits, long: tuple[str, list[int]]
) -> None:
    """d8"""
    made, ids = long
    page = await visits.open(f"{site.url}/c/{made}", user=READER)
    await expect(page.locator(f"#m{ids[-1]}")).to_be_in_viewport()
    assert await nodes(page, ".message") <= 80

    # Upwards, where what is loaded must not move what is read.
    first = len(ids)
    while first > len(ids) - 300:
        before = await page.evaluate(UP)
        await drawn(page)
        assert await page.evaluate(STANDS) == pytest.approx(before, abs=2)
        shown = await page.evaluate("[...document.querySelectorAll('.message')].map(one => one.id)")
        first = ids.index(int(shown[0][1:]))
        assert shown == [f"m{id_}" for id_ in ids[first : first + len(shown)]]

    assert await nodes(page, ".message") <= 160
    assert await nodes(page) < 5000


async def test_a_message_far_back_is_jumped_to_and_the_way_back_is_short(
    site: Site, visits: Visits, long: tuple[str, list[int]]
) -> None:
    made, ids = long

    page = await visits.open(f"{site.url}/c/{made}?m={ids[700]}", user=READER)

    await expect(page.locator(f"#m{ids[700]}")).to_be_in_viewport()
    await expect(page.locator(f"#m{ids[700]}")).to_be_focused()
    await expect(page.locator(f"#m{ids[-1]}")).to_have_count(0)
    await page.get_by_role("button", name="To the newest message").click()
    await expect(page.locator(f"#m{ids[-1]}")).to_be_in_viewport()


async def test_a_question_from_far_back_stands_at_the_end(
    site: Site, visits: Visits, user: str
) -> None:
    async with site.http() as http:
        made = await conversation(http, user)
        ids = await say(http, user, made, [f"number {n}" for n in range(100)])
    page = await visits.open(f"{site.url}/c/{made}?m={ids[10]}")
    await expect(page.locator(f"#m{ids[10]}")).to_be_in_viewport()

    await send(page, "and now")

    await answered(page, "You said: and now")
    shown = await page.evaluate("[...document.querySelectorAll('.message')].map(one => one.id)")
    assert shown[-3] == f"m{ids[-1]}"


async def test_a_message_far_back_leads_to_the_newest_by_scrolling(
    site: Site, visits: Visits, long: tuple[str, list[int]]
) -> None:
    made, ids = long
    page = await visits.open(f"{site.url}/c/{made}?m={ids[1850]}", user=READER)
    await expect(page.locator(f"#m{ids[1850]}")).to_be_in_viewport()

    await page.locator(".stage .scroller").hover()
    async with asyncio.timeout(120):
        while not await nodes(page, f"#m{ids[-1]}"):
            await page.mouse.wheel(0, 2000)
            await drawn(page)
