"""d8: the memories used for an answer, in a real browser."""

from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Site, Visits
from tests.web.looks import flaws_in_both_themes

pytestmark = pytest.mark.xdist_group("web")


@pytest.fixture
async def answered(site: Site, visits: Visits, user: str) -> Page:
    """An answer for which two memories were used, opened."""
    async with site.http() as http:
        for text in ("Ada lives in Porto.", "Ada eats no peanuts."):
            new = {"user_id": user, "content": text, "importance": 0.9}
            await http.post("/api/memories", json=new)
        await http.post("/api/chat", json={"user_id": user, "message": "Where does Ada live?"})
        talks = await http.get("/api/conversations", params={"user_id": user})
    page = await visits.open(f"{site.url}/c/{talks.json()['items'][0]['id']}")
    await page.get_by_text("memories used").click()
    await expect(page.locator(".recalled-item")).not_to_have_count(0)
    return page


async def known(site: Site, user: str) -> dict[str, dict[str, Any]]:
    async with site.http() as http:
        found: httpx.Response = await http.get("/api/memories", params={"user_id": user})
    return {each["content"]: each for each in found.json()["items"]}


async def test_an_answer_says_which_memories_it_used_why_and_at_what_cost(answered: Page) -> None:
    item = answered.locator(".recalled-item").filter(has_text="Porto").first

    await expect(item.locator(".score")).to_have_text("0.90")
    await expect(item.locator(".chip").first).not_to_be_empty()
    await expect(item).to_contain_text("tokens")
    await expect(answered.locator(".recalled-cost")).to_contain_text("s to find")
    await expect(answered.locator(".stages dt").first).to_be_visible()
    assert await flaws_in_both_themes(answered) == []


async def test_a_used_memory_is_pinned_corrected_and_forgotten_with_one_click(
    answered: Page, site: Site, user: str
) -> None:
    porto = answered.locator(".recalled-item").filter(has_text="Porto").first
    await porto.get_by_role("button", name="Pin").click()
    await expect(porto.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "true")
    assert (await known(site, user))["Ada lives in Porto."]["pinned"]

    await porto.get_by_role("button", name="Correct").click()
    await answered.get_by_label("What is true").fill("Ada lives in Braga.")
    await answered.keyboard.press("Control+Enter")
    await expect(answered.locator(".recalled-item").filter(has_text="Braga")).to_be_visible()
    assert "Ada lives in Braga." in await known(site, user)

    peanuts = answered.locator(".recalled-item").filter(has_text="peanuts").first
    await peanuts.get_by_role("button", name="Delete").click()
    await expect(answered.locator(".recalled-item.gone")).to_have_count(1)
    await answered.get_by_role("button", name="Undo").click()
    await expect(answered.locator(".recalled-item.gone")).to_have_count(0)


async def test_what_was_forgotten_since_is_said_to_be_gone(
    answered: Page, site: Site, user: str
) -> None:
    one = (await known(site, user))["Ada eats no peanuts."]
    async with site.http() as http:
        await http.delete(f"/api/memories/{one['id']}", params={"user_id": user})
    await answered.reload()
    await answered.get_by_text("memories used").click()

    await expect(answered.locator(".recalled-item.gone")).to_contain_text("Forgotten since")
    await expect(answered.locator(".recalled")).not_to_contain_text("peanuts")
