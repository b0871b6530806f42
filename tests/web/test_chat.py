"""d8: chat in a real browser."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import Site, Visits

pytestmark = pytest.mark.xdist_group("web")


async def test_a_message_is_answered_in_a_conversation_of_its_own(
    site: Site, visits: Visits
) -> None:
    """d8"""
    page = await visits.open(site.url)

    await page.get_by_label("Message", exact=True).fill("hello there")
    await page.keyboard.press("Enter")

    await expect(page.locator(".mine .prose")).to_have_text("hello there")
    await expect(page.locator(".message.answer .prose")).to_have_text("You said: hello there")
    await expect(page.locator(".conversation a")).to_have_count(1)
    assert "/c/" in page.url
