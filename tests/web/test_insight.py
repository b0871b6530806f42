"""d8: insight in a real browser: plots with numbers for everybody."""

import re
from decimal import Decimal

import pytest
from playwright.async_api import Page, expect

from longterm.records.usage import Price
from tests.web.conftest import PHONE, Site, Visits, conversation, say
from tests.web.looks import flaws_in_both_themes, overhang

pytestmark = pytest.mark.xdist_group("web")


ASKER = "asker"


@pytest.fixture(scope="module")
async def asked(site: Site, one_day: None) -> None:
    """Somebody asked something; everybody here only looks."""
    async with site.http() as http:
        talk = await conversation(http, ASKER)
        await say(http, ASKER, talk, ["My name is Ada.", "Hello Ada.", "I live in Porto."])
        await http.post("/api/memories", json={"user_id": ASKER, "content": "Ada lives in Porto."})
        await http.post("/api/chat", json={"user_id": ASKER, "message": "Where do I live?"})


@pytest.fixture
async def insight(site: Site, asked: None, visits: Visits) -> Page:
    """What is to be seen of who asked."""
    page = await visits.open(f"{site.url}/insight", user=ASKER)
    await expect(page.get_by_role("heading", name="Messages per day")).to_be_visible()
    return page


async def test_numbers_come_on_hover_by_keys_and_as_a_table(insight: Page) -> None:
    figure = insight.locator("figure").filter(has_text="Messages per day")
    plot = figure.locator(".plot")
    await expect(figure.locator("output")).to_contain_text("5 in 30 days")

    await plot.focus()
    await expect(figure.locator("output")).to_contain_text("asked 3, answered 2")
    await insight.keyboard.press("ArrowLeft")
    await expect(figure.locator("output")).to_contain_text("asked 0, answered 0")
    await plot.blur()
    await expect(figure.locator("output")).to_contain_text("5 in 30 days")
    box = await plot.bounding_box()
    assert box is not None
    await insight.mouse.move(box["x"] + box["width"] - 6, box["y"] + 60)
    await expect(figure.locator("output")).to_contain_text("asked 3, answered 2")

    await figure.get_by_text("As a table").click()
    await expect(figure.locator("tbody tr")).to_have_count(30)
    await expect(figure.locator("tbody tr").last).to_contain_text("32")


async def test_memory_recall_queue_tokens_and_hygiene_are_there(insight: Page) -> None:
    for title in ("Growth of memory", "Recall, by stage", "Tokens of the model", "Hygiene"):
        await expect(insight.get_by_role("heading", name=title)).to_be_visible()
    for label in ("Waiting", "Running", "Behind", "Given up", "Duplicates", "Refused", "Stale"):
        await expect(insight.locator("dt").filter(has_text=label)).to_be_visible()
    await expect(insight.locator(".range-row").first).to_contain_text(re.compile(r"\d m?s"))


async def test_what_a_model_costs_is_told_or_how_to_set_its_price(
    insight: Page, site: Site, visits: Visits
) -> None:
    costs = insight.locator(".costs")
    await expect(costs.locator("tbody tr")).to_have_text(["test:speaker1127no price set"])
    await expect(costs).to_contain_text('LONGTERM_MODEL_PRICES="test:speaker=…/…"')

    prices: dict[str, Price] = site.app.state.process.runtime.parts.rules.model_prices
    prices["test:speaker"] = Price(prompt=Decimal(1000), answer=Decimal("0.5"))
    await insight.get_by_role("button", name="7 days").click()
    await expect(costs.locator("tbody tr")).to_have_text(["test:speaker1127$0.01"])
    await expect(costs).not_to_contain_text("LONGTERM_MODEL_PRICES")
    del prices["test:speaker"]


async def test_days_are_chosen_and_what_has_nothing_says_so(
    insight: Page, site: Site, visits: Visits
) -> None:
    await insight.get_by_role("button", name="7 days").click()
    figure = insight.locator("figure").filter(has_text="Messages per day")
    await expect(figure.locator("output")).to_contain_text("in 7 days")
    await expect(insight.get_by_role("button", name="7 days")).to_be_focused()

    stranger = await visits.open(f"{site.url}/insight", user=f"{visits.user}-stranger")
    await expect(stranger.get_by_text("No messages in this time")).to_be_visible()
    await expect(stranger.get_by_text("Nothing was learned in this time")).to_be_visible()
    await stranger.get_by_role("button", name="Everybody").click()
    await expect(stranger.locator("figure").first).to_be_visible()


async def test_axe_finds_nothing_in_insight_and_a_phone_shows_it_whole(
    insight: Page, site: Site, visits: Visits
) -> None:
    await insight.get_by_text("As a table").first.click()
    assert await flaws_in_both_themes(insight) == []

    await insight.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert await overhang(insight) == 0
