"""d8: the memory panel in a real browser: seen, filtered, corrected, deleted, kept up to date."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import PHONE, Site, Visits, conversation, say
from tests.web.looks import flaws, flaws_in_both_themes, overhang

pytestmark = pytest.mark.xdist_group("web")

FACTS = (
    ("Ada prefers trains to planes.", "preference", "travel"),
    ("Ada likes window seats.", "preference", "travel"),
    ("Ada eats no peanuts.", "constraint", "food"),
    ("Ada leads the project Halcyon.", "project", "work"),
)


async def remember(http: httpx.AsyncClient, user: str, text: str, **more: Any) -> dict[str, Any]:
    made = await http.post("/api/memories", json={"user_id": user, "content": text, **more})
    assert made.status_code == 201, made.text
    return made.json()


async def known(http: httpx.AsyncClient, user: str, **filters: str) -> list[dict[str, Any]]:
    found = await http.get("/api/memories", params={"user_id": user, **filters})
    return found.json()["items"]


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(120):
        while not await holds():
            await asyncio.sleep(0.05)


@pytest.fixture
async def http(offline_site: Site) -> Any:
    async with offline_site.http() as client:
        yield client


@pytest.fixture
async def page(offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str) -> Page:
    """The memory of somebody of whom four things are known."""
    for text, type_, category in FACTS:
        await remember(http, user, text, type=type_, category=category)
    page = await visits.open(f"{offline_site.url}/memory")
    await expect(page.locator(".fact")).to_have_count(4)
    return page


def fact(page: Page, text: str):
    return page.locator(".fact").filter(has_text=text)


async def test_facts_are_shown_by_type_and_found_by_filters_and_words(page: Page) -> None:
    await expect(page.locator(".group")).to_have_text(
        ["Preferences 2", "Constraints 1", "Projects 1"]
    )

    await page.get_by_role("button", name="Constraints").click()
    await expect(page.locator(".fact-text")).to_have_text(["Ada eats no peanuts."])
    await page.get_by_role("button", name="All", exact=False).first.click()
    await page.get_by_label("Category").select_option("travel")
    await expect(page.locator(".fact")).to_have_count(2)
    await page.get_by_label("Search memories").fill("WINDOW")
    await expect(page.locator(".fact-text")).to_have_text(["Ada likes window seats."])

    await page.get_by_label("Search memories").fill("nowhere to be found")
    await page.get_by_role("button", name="Show all").click()
    await expect(page.locator(".fact")).to_have_count(4)


async def test_a_card_says_how_sure_and_how_often_and_the_meter_how_full(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    await remember(http, user, "Ada eats no peanuts.", type="constraint", category="food")
    await http.post("/api/recall", json={"user_id": user, "query": "What does Ada not eat?"})
    await page.reload()

    meta = fact(page, "peanuts").locator(".fact-meta")
    await expect(meta).to_contain_text("100 % sure")
    await expect(meta).to_contain_text("said twice")
    meter = page.get_by_role("meter")
    assert int(await meter.get_attribute("aria-valuenow") or 0) > 0
    assert await meter.get_attribute("aria-valuemax") == "10000"
    await expect(page.locator(".fullness")).to_contain_text("4 facts")


async def test_a_fact_is_pinned_and_edited_in_its_place(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    await fact(page, "Halcyon").get_by_role("button", name="Pin").click()
    await expect(fact(page, "Halcyon").get_by_role("button", name="Pin")).to_have_attribute(
        "aria-pressed", "true"
    )
    await expect(page.get_by_role("button", name="Pinned 1")).to_be_visible()

    await fact(page, "peanuts").get_by_role("button", name="Edit").click()
    await page.get_by_label("What is true").fill("something else")
    await page.keyboard.press("Escape")
    await expect(fact(page, "peanuts").locator(".fact-text")).to_have_text(FACTS[2][0])

    await fact(page, "Halcyon").get_by_role("button", name="Edit").click()
    await page.get_by_label("What is true").fill("Ada leads the project Kestrel.")
    await page.keyboard.press("Control+Enter")

    await expect(fact(page, "Kestrel")).to_be_visible()
    await expect(fact(page, "Kestrel").get_by_role("button", name="Edit")).to_be_focused()
    (stored,) = await known(http, user, type="project")
    assert (stored["content"], stored["pinned"]) == ("Ada leads the project Kestrel.", True)


async def test_a_fact_is_archived_and_brought_back(page: Page) -> None:
    await fact(page, "peanuts").get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Archive").click()
    await expect(fact(page, "peanuts")).to_have_count(0)

    await page.get_by_role("button", name="Archived 1").click()
    await expect(page.locator(".fact")).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".fact")).to_have_count(0)
    await page.get_by_role("button", name="Archived 0").click()
    await expect(page.locator(".fact")).to_have_count(4)


async def test_a_fact_whose_source_is_gone_says_so_and_leads_nowhere(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    place = await conversation(http, user)
    (said,) = await say(http, user, place, ["I keep bees."])
    await remember(http, user, "Ada keeps bees.", source_message_id=said)
    card = fact(page, "bees")
    await expect(card.get_by_role("link", name="Where from")).to_be_visible()

    trimmed = {"user_id": user, "keep_last": 0, "archive": False}
    assert (await http.post("/api/messages/trim", json=trimmed)).status_code == 200
    await page.reload()

    await expect(card).to_contain_text("source gone")
    await expect(card.get_by_role("link", name="Where from")).to_have_count(0)


async def test_a_deleted_fact_comes_back_by_undo_and_goes_for_good_without(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    for text in ("peanuts", "Halcyon"):
        await fact(page, text).get_by_role("button", name="More").click()
        await page.get_by_role("menuitem", name="Delete").click()
        await expect(fact(page, text)).to_have_count(0)
    assert len(await known(http, user)) == 4

    await page.locator(".toast").filter(has_text="peanuts").get_by_role("button").click()
    await expect(fact(page, "peanuts")).to_be_visible()
    # Who leaves the page does not wait for the undo to run out.
    await page.goto(page.url.replace("/memory", "/healthz"))
    await until(lambda: _has(http, user, 3))
    assert not [each for each in await known(http, user) if "Halcyon" in each["content"]]


async def _has(http: httpx.AsyncClient, user: str, count: int) -> bool:
    return len(await known(http, user)) == count


async def test_where_from_goes_to_the_very_message(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    talk = await conversation(http, user)
    ids = await say(
        http, user, talk, ["My name is Ada.", "Hello Ada.", "And I live in Porto.", "!"]
    )
    await until(lambda: _has(http, user, 2))
    page = await visits.open(f"{offline_site.url}/memory")

    await fact(page, "Porto").get_by_role("link", name="Where from").click()

    await expect(page).to_have_url(f"{offline_site.url}/c/{talk}?m={ids[2]}")


async def test_history_is_a_timeline_and_a_date_shows_what_was_known_then(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    talk = await conversation(http, user)
    said = [
        {"role": "user", "content": "I live in Lisbon.", "created_at": "2026-03-01T10:00:00Z"},
        {"role": "user", "content": "I live in Porto now.", "created_at": "2026-05-01T10:00:00Z"},
    ]
    await say(http, user, talk, said)
    await http.post("/api/memories/extract", json={"user_id": user, "conversation_id": talk})
    page = await visits.open(f"{offline_site.url}/memory")

    await page.get_by_role("button", name="History").click()
    await expect(page.locator(".timeline .point-text")).to_have_text(["Porto", "Lisbon"])
    await expect(page.locator(".timeline .now .point-text")).to_have_text("Porto")
    await page.get_by_role("button", name="All as of then").click()
    await expect(page.locator(".as-of")).to_contain_text("March 1, 2026")
    await expect(page.locator(".fact-text")).to_have_text(["Lisbon"])
    await expect(page.get_by_role("button", name="Edit")).to_have_count(0)

    await page.get_by_label("As of").fill("2026-02-01")
    await expect(page.get_by_text("Nothing was known then")).to_be_visible()
    await page.get_by_role("button", name="Back to now").click()
    await expect(page.locator(".fact-text")).to_have_text(["Porto"])


async def test_something_is_remembered_by_hand_and_a_secret_is_refused(
    page: Page, visits: Visits
) -> None:
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_label("What to remember").fill("my password is hunter22!")
    await page.get_by_role("button", name="Remember").click()
    await expect(page.locator(".adding .problem")).not_to_be_empty()
    visits.forgive("422")

    await page.get_by_label("What to remember").fill("The launch is on 3 June.")
    await page.get_by_label("Type", exact=True).select_option("decision")
    await page.get_by_role("button", name="Remember").click()

    await expect(fact(page, "3 June")).to_have_attribute("data-news", "new")
    await expect(page.get_by_role("button", name="Decisions 1")).to_be_visible()
    await expect(page.locator(".adding")).to_have_count(0)


async def test_extracting_says_what_is_new(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    talk = await conversation(http, user)
    page = await visits.open(f"{offline_site.url}/c/{talk}", stored={"longterm-panel": "open"})
    await expect(page.get_by_text("Nothing remembered yet")).to_be_visible()
    await page.get_by_role("button", name="Extract memories").click()
    await expect(page.locator(".outcome")).to_contain_text("Nothing new")

    await say(http, user, talk, ["My name is Ada."])
    await page.get_by_role("button", name="Extract memories").click()

    await expect(fact(page, "Ada")).to_be_visible()
    await expect(page.locator(".outcome")).to_contain_text("in this conversation")


async def test_what_is_learned_appears_and_disturbs_nobody(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    await fact(page, "Halcyon").get_by_role("button", name="Edit").click()
    await page.get_by_label("What is true").fill("half of a thou")
    scroller = page.locator(".memory-scroll")
    at = await scroller.evaluate("box => { box.scrollTop = 40; return box.scrollTop; }")

    await remember(http, user, FACTS[3][0], type="project", category="work")
    await remember(http, user, "Ada reads about railways.", type="fact")

    await expect(fact(page, "railways")).to_have_attribute("data-news", "new")
    await expect(page.get_by_label("What is true")).to_be_focused()
    await expect(page.get_by_label("What is true")).to_have_value("half of a thou")
    await page.keyboard.type("ght")
    await expect(page.get_by_label("What is true")).to_have_value("half of a thought")
    assert await scroller.evaluate("box => box.scrollTop") == at
    await page.keyboard.press("Escape")
    await expect(fact(page, "Halcyon")).to_contain_text("said twice")


async def test_many_facts_are_drawn_as_they_are_reached(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    await asyncio.gather(*(remember(http, user, f"Ada owns book {n}.") for n in range(70)))
    page = await visits.open(f"{offline_site.url}/memory")
    await expect(page.get_by_role("button", name="All 70")).to_be_visible()
    drawn = await page.locator(".fact").count()
    assert drawn < 70

    await page.locator(".memory-scroll").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    await expect(page.locator(".fact")).to_have_count(70)
    await page.get_by_label("Search memories").fill("book 7.")
    await expect(page.locator(".fact-text")).to_have_text(["Ada owns book 7."])


async def test_episodes_and_places_are_there_with_where_they_come_from(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    talk = await conversation(http, user, title="Railways")
    ids = await say(http, user, talk, (f"Chapter {n} is about railways." for n in range(70)))
    place = {"place_id": "home", "place_name": "Rua Augusta 1", "notes": "Where Ada lives."}
    where = {"conversation_id": talk, "message_id": ids[0]}
    await http.post("/api/places", json={"user_id": user, **place, **where})
    await until(lambda: _has_episode(http, user, talk))
    page = await visits.open(f"{offline_site.url}/memory")

    await page.get_by_role("tab", name="Facts").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Episodes")).to_be_focused()
    await expect(page.locator(".episode").filter(has_text="Turns 1 to")).to_be_visible()
    await expect(page.get_by_role("heading", name="Railways")).to_be_visible()

    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".place")).to_contain_text("Where Ada lives.")
    await page.get_by_text("Spoken of once").click()
    await page.get_by_role("link", name="Go to the message").click()
    await expect(page).to_have_url(f"{offline_site.url}/c/{talk}?m={ids[0]}")


async def _has_episode(http: httpx.AsyncClient, user: str, talk: str) -> bool:
    found = await http.get(f"/api/conversations/{talk}/episodes", params={"user_id": user})
    return len(found.json()["items"]) > 0


async def test_a_place_is_corrected_and_deleted_unless_that_is_undone(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    place = {"user_id": user, "place_id": "a/home", "place_name": "Home", "notes": "Elm St 5"}
    await http.post("/api/places", json=place)
    page = await visits.open(f"{offline_site.url}/memory")
    await page.get_by_role("tab", name="Places").click()

    await page.get_by_role("button", name="Edit Home").click()
    await expect(page.get_by_label("Name of the place")).to_be_focused()
    await page.get_by_label("Name of the place").fill("Old home")
    await page.get_by_label("Notes").fill("")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Old home")).to_be_visible()
    await expect(page.get_by_role("button", name="Edit Old home")).to_be_focused()
    await expect(page.locator(".place")).not_to_contain_text("Elm St")

    for _ in range(2):
        await page.get_by_role("button", name="Delete Old home").click()
        await expect(page.get_by_text("No places yet")).to_be_visible()
        await expect(page.get_by_role("tab", name="Places")).to_be_focused()
        assert await _places(http, user) == [("Old home", None)]
        await page.get_by_role("button", name="Undo").click()
        await expect(page.locator(".place")).to_be_visible()
    await page.get_by_role("button", name="Delete Old home").click()
    await page.goto(page.url.replace("/memory", "/healthz"))
    await until(lambda: _has_no_place(http, user))


async def _places(http: httpx.AsyncClient, user: str) -> list[tuple[str, str | None]]:
    found = await http.get("/api/places", params={"user_id": user})
    return [(one["place_name"], one["notes"]) for one in found.json()["items"]]


async def _has_no_place(http: httpx.AsyncClient, user: str) -> bool:
    return await _places(http, user) == []


async def test_json_beneath_a_key_is_checked_kept_and_deleted(
    page: Page, http: httpx.AsyncClient, user: str
) -> None:
    await page.get_by_role("tab", name="Key-value").click()
    await page.get_by_role("button", name="Add a key").click()
    await page.get_by_label("Key", exact=True).fill("profile/zone")
    await page.get_by_label("JSON").fill('{"zone": ')
    await expect(page.locator(".editor .problem")).to_contain_text("Not JSON yet")
    await expect(page.get_by_role("button", name="Save")).to_be_disabled()
    await page.get_by_label("JSON").fill("[1]")
    await expect(page.locator(".editor .problem")).to_contain_text("must be a JSON object")
    await page.get_by_label("JSON").fill('{"zone": "Europe/Lisbon"}')
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".keyvalue pre")).to_contain_text("Europe/Lisbon")

    await page.get_by_role("button", name="Edit profile/zone").click()
    await page.get_by_label("JSON of profile/zone").fill('{"zone": "UTC"}')
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".keyvalue pre")).to_contain_text("UTC")

    await page.get_by_role("button", name="Delete profile/zone").click()
    await expect(page.locator(".keyvalue")).not_to_be_visible()
    await page.goto(page.url.replace("/memory", "/healthz"))

    async def is_gone() -> bool:
        return (await http.get(f"/api/users/{user}/memory")).json()["items"] == []

    await until(is_gone)


async def test_axe_finds_nothing_in_the_memory_of_either_theme(page: Page) -> None:
    await fact(page, "Halcyon").get_by_role("button", name="History").click()
    await fact(page, "peanuts").get_by_role("button", name="Edit").click()
    await expect(page.locator(".timeline")).to_be_visible()

    assert await flaws_in_both_themes(page) == []
    for tab in ("Episodes", "Places", "Key-value"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("tabpanel").get_by_text("yet")).to_be_visible()
        assert await flaws(page) == []


async def test_on_a_phone_the_memory_is_as_wide_as_the_screen(
    offline_site: Site, visits: Visits, http: httpx.AsyncClient, user: str
) -> None:
    await remember(http, user, "x" * 300)
    page = await visits.open(f"{offline_site.url}/memory", size=PHONE)
    await expect(page.locator(".fact")).to_have_count(1)

    assert await overhang(page) == 0
    assert (
        await page.locator(".memory-scroll").evaluate("box => box.scrollWidth - box.clientWidth")
        == 0
    )
