"""d8: hostile markdown does nothing in a real browser, stored or streamed."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.web.acts import answers, send
from tests.web.conftest import Site, Visits, conversation, say
from tests.web.hostile import PAYLOADS

pytestmark = pytest.mark.xdist_group("web")

# A browser reports what its policy stopped: nothing may even get that far.
WATCH = """
    window.stopped = [];
    addEventListener("securitypolicyviolation", one => window.stopped.push(one.violatedDirective));
"""
FOUND = """() => ({
    stopped: window.stopped,
    elements: [...document.querySelectorAll(
        "#main :is(script, img, iframe, object, embed, form:not(.composer), style, link, base, "
        + "meta, video, audio, math, marquee, #main .prose :is(input, button:not(.icon-button), svg))"
    )].filter(one => !one.closest(".code-bar")).map(one => one.outerHTML),
    links: [...document.querySelectorAll(".prose a[href]")].map(one => one.protocol)
        .filter(one => !["http:", "https:", "mailto:"].includes(one)),
    handlers: [...document.querySelectorAll(".prose *")].flatMap(one => [...one.attributes])
        .filter(one => one.name.startsWith("on") || one.name === "style").map(one => one.name),
})"""
# PostgreSQL refuses NUL, and so does the API.
STORED = tuple(one for one in PAYLOADS if "\0" not in one)
NOTHING: dict[str, list[str]] = {"stopped": [], "elements": [], "links": [], "handlers": []}


async def harmless(page: Page) -> None:
    found: Any = await page.evaluate(FOUND)
    assert found == NOTHING


async def test_there_are_enough_of_them() -> None:
    assert len(PAYLOADS) >= 40


async def test_stored_payloads_do_nothing(site: Site, visits: Visits, user: str) -> None:
    """d8"""
    async with site.http() as http:
        made: list[str] = []
        for start in range(0, len(STORED), 30):
            batch = STORED[start : start + 30]
            made.append(await conversation(http, user, title=batch[0][:255]))
            both = [text for one in batch for text in (one, one)]
            await say(http, user, made[-1], both[:40])
            made.append(await conversation(http, user, title=batch[-1][:255]))
            await say(http, user, made[-1], both[40:] or ["nothing"])
    context = await visits.context()
    await context.add_init_script(WATCH)

    page = await visits.open(site.url, context=context)
    for each in made:
        await page.goto(f"{site.url}/c/{each}")
        await expect(page.locator(".message").first).to_be_visible()
        await page.mouse.move(700, 300)
        await harmless(page)


async def test_streamed_payloads_do_nothing(site: Site, visits: Visits) -> None:
    """d8"""
    text = "\n\n".join(PAYLOADS)
    site.speaker.teach("attack", text + "\n\nthe end")
    context = await visits.context()
    await context.add_init_script(WATCH)
    page = await visits.open(site.url, context=context)

    await send(page, "attack")

    await expect(answers(page)).to_contain_text("the end")
    await harmless(page)


async def test_a_payload_as_a_question_a_title_and_a_name_does_nothing(
    site: Site, visits: Visits
) -> None:
    context = await visits.context(user="<img src=x onerror=alert(1)>")
    await context.add_init_script(WATCH)
    page = await visits.open(site.url, context=context)

    await send(page, "<img src=x onerror=alert(1)> <script>alert(1)</script>")

    await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    await harmless(page)


async def test_html_can_be_put_into_the_page_in_one_place_alone(site: Site, visits: Visits) -> None:
    """Trusted Types: whoever tries another way is refused by the browser."""
    page = await visits.open(site.url)

    refused = await page.evaluate(
        """() => {
            try { document.createElement("div").innerHTML = "<p>x</p>"; return "taken"; }
            catch (error) { return error.name; }
        }"""
    )

    assert refused == "TypeError"
    visits.forgive("TrustedHTML")
