"""d8: axe-core finds nothing on the views of chat, in both themes, wide and narrow."""

import pytest
from playwright.async_api import expect

from tests.web.acts import answered, send
from tests.web.conftest import DESKTOP, PHONE, Site, Visits
from tests.web.looks import flaws, flaws_in_both_themes

pytestmark = pytest.mark.xdist_group("web")

TEXT = (
    "# Plan\n\nGo to **Graça**.\n\n```python\nx = 'a'  # b\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"
)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["wide", "narrow"])
async def test_axe_finds_nothing(site: Site, visits: Visits, size: tuple[int, int]) -> None:
    """d8"""
    # On a phone the colours are the same.
    look = flaws if size == PHONE else flaws_in_both_themes
    site.speaker.teach("plan", TEXT)
    page = await visits.open(site.url, size=size)
    await expect(page.get_by_role("heading", name="A memory for your")).to_be_visible()
    found = {"first run": await look(page)}

    await send(page, "plan")
    await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    found["chat"] = await look(page)
    await page.get_by_role("button", name="Actions for this conversation").click()
    found["menu"] = await look(page, ".menu:popover-open")
    await page.keyboard.press("Escape")
    await page.locator(".message.mine").hover()
    await page.get_by_role("button", name="Edit and send again").click()
    found["edit"] = await look(page, ".message.editing")
    await page.keyboard.press("Escape")
    await expect(page.locator(".message.editing")).to_have_count(0)
    await page.locator("#main").focus()
    await page.keyboard.press("?")
    await expect(page.locator("dialog")).to_be_visible()
    found["help"] = await look(page, "dialog")
    await page.keyboard.press("Escape")
    if size == PHONE:
        await page.get_by_role("button", name="Conversations").click()
        found["drawer"] = await look(page, "#sidebar")
    await page.goto(f"{site.url}/?temporary")
    await send(page, "hush")
    await answered(page, "You said: hush")
    found["temporary"] = await look(page)

    assert {view: told for view, told in found.items() if told} == {}
