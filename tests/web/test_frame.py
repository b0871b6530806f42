"""d8: tabs, users, keys, the keyboard, the phone, and what the first load costs."""

from collections.abc import AsyncIterator, Callable
from itertools import takewhile

import pytest
from playwright.async_api import Response, expect

from longterm import Settings
from longterm.api.app import create_app
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.web.acts import answered, answers, drawn, questions, send
from tests.web.conftest import PHONE, Site, Visits, conversation, say, serving
from tests.web.looks import flaws

pytestmark = pytest.mark.xdist_group("web")


async def test_the_first_load_is_small(site: Site, visits: Visits) -> None:
    """d8: under 60 KB compressed, under ten requests."""
    page = await (await visits.context()).new_page()
    visits.watch(page, site.url.removeprefix("http://"))
    loaded: list[Response] = []

    def note(one: Response) -> None:
        loaded.append(one)

    page.on("response", note)

    await page.goto(site.url)
    await expect(page.get_by_role("heading", name="A memory for your")).to_be_visible()

    # Two seconds after it began a page looks for news, whether a machine has shown it by then or not.
    first = takewhile(lambda one: "/api/changes" not in one.url, loaded)
    sizes = [(await one.request.sizes())["responseBodySize"] for one in first]
    assert len(sizes) < 10
    assert sum(sizes) < 60_000


# When it can be used, as the browser tells: the composer has the focus, or the heading is drawn.
READY = """wanted => new Promise(done => (function look() {
    if (document.querySelector(wanted)) done(performance.now());
    else requestAnimationFrame(look);
})())"""


async def test_the_page_is_ready_soon_after_a_static_one_would_be(
    site: Site, visits: Visits
) -> None:
    """d8: within three times; 1.1 to 1.9 are measured, on a busy machine."""
    page = await visits.open(site.url)
    browser = await page.context.new_cdp_session(page)
    took: dict[str, list[float]] = {"/": [], "/status": []}

    for _ in range(5):
        for path, wanted in (("/", "textarea:focus"), ("/status", "h1")):
            await browser.send("Network.clearBrowserCache")  # pyright: ignore[reportUnknownMemberType]
            await page.goto(f"{site.url}{path}", wait_until="commit")
            took[path].append(await page.evaluate(READY, wanted))

    await browser.detach()
    # The soonest of each: whatever else a machine has to do only adds to it.
    assert min(took["/"]) < 4 * min(took["/status"])


SHIFTS = """
    window.shifts = 0;
    new PerformanceObserver(list => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts += one.value;
    }).observe({ type: "layout-shift", buffered: true });
"""


async def test_nothing_moves_while_a_conversation_is_loaded(
    site: Site, visits: Visits, user: str
) -> None:
    async with site.http() as http:
        made = await conversation(http, user, title="Still")
        await say(http, user, made, [f"number {n} " * 20 for n in range(60)])
    context = await visits.context()
    await context.add_init_script(SHIFTS)

    page = await visits.open(f"{site.url}/c/{made}", context=context)
    await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    await expect(page.locator(".kept-text")).to_be_visible()
    await expect(page.locator(".conversation")).to_have_count(1)
    await drawn(page)

    assert await page.evaluate("window.shifts") < 0.02


async def test_two_tabs_show_the_same_answer_as_it_comes(site: Site, visits: Visits) -> None:
    speech = site.speaker.teach("both", "one two three", wait_after=2)
    context = await visits.context()
    first = await visits.open(site.url, context=context)
    await send(first, "hello")
    await answered(first, "You said: hello")
    second = await visits.open(first.url, context=context)
    await answered(second, "You said: hello")

    await first.bring_to_front()
    await send(first, "both")
    await expect(answers(first).last).to_have_text("one two")
    await second.bring_to_front()

    await expect(questions(second).last).to_have_text("both")
    await expect(answers(second).last).to_have_text("one two")
    speech.go_on.set()
    await answered(second, "one two three")
    await answered(first, "one two three")


async def test_another_user_sees_nothing_of_it(site: Site, visits: Visits) -> None:
    mine = await visits.open(site.url)
    await send(mine, "my secret is xyzzy")
    await answered(mine, "You said: my secret is xyzzy")

    theirs = await visits.open(mine.url, user="somebody-else")

    await expect(theirs.get_by_text("This conversation is not here")).to_be_visible()
    await expect(theirs.locator(".conversation")).to_have_count(0)
    assert "xyzzy" not in await theirs.content()
    visits.forgive("404")


@pytest.fixture(scope="module")
async def locked_site(new_database: Callable[[str], str]) -> AsyncIterator[tuple[Site, str]]:
    """The page of a server that asks for keys, and a key of one user."""
    settings = Settings(database_url=new_database("longterm_web_keys"), worker=False)
    app = create_app(Runtime(settings))
    async with serving(app) as site:
        memory = app.state.process.runtime.tenant(Scope(1))
        key = await memory.create_key("test", "user", "ada")
        yield site, key.secret


async def test_a_key_is_asked_for_and_never_in_an_address(
    locked_site: tuple[Site, str], visits: Visits
) -> None:
    site, key = locked_site
    context = await visits.context()
    page = await context.new_page()
    addresses: list[str] = []
    page.on("request", lambda one: addresses.append(one.url))
    visits.watch(page, site.url.removeprefix("http://"))

    await page.goto(site.url)
    await expect(page.get_by_label("Key", exact=True)).to_be_focused()
    assert await flaws(page) == []
    await page.get_by_label("Key", exact=True).fill("lt_wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("This key is not known")).to_be_visible()
    await page.get_by_label("Key", exact=True).fill(key)
    await page.keyboard.press("Enter")

    await expect(page.locator(".who")).to_have_text("ada")
    await page.reload()
    await expect(page.locator(".who")).to_have_text("ada")
    assert not any(key in address for address in addresses)
    assert key not in await page.evaluate("JSON.stringify(localStorage)")
    other_tab = await visits.open(site.url, context=context)
    await expect(other_tab.get_by_label("Key", exact=True)).to_be_visible()
    visits.forgive("401")


async def test_everything_is_reached_by_keyboard(site: Site, visits: Visits) -> None:
    page = await visits.open(site.url)
    await expect(page.get_by_label("Message", exact=True)).to_be_focused()
    await page.keyboard.type("by hand")
    await page.keyboard.press("Enter")
    await answered(page, "You said: by hand")
    await expect(page.locator(".conversation")).to_have_count(1)

    await page.keyboard.press("ArrowUp")
    await expect(page.get_by_label("Edit the message")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator(".message.editing")).to_have_count(0)
    await page.locator("#main").focus()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.locator("#main").focus()
    await page.keyboard.press("n")
    await expect(page).to_have_url(f"{site.url}/")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_label("Search conversations")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await answered(page, "You said: by hand")


async def test_every_control_shows_that_it_has_the_focus(site: Site, visits: Visits) -> None:
    page = await visits.open(site.url)
    await send(page, "hello")
    await answered(page, "You said: hello")
    unseen: list[str] = []

    await page.locator("body").evaluate("() => document.activeElement.blur()")
    for _ in range(30):
        await page.keyboard.press("Tab")
        if told := await page.evaluate(
            """() => {
                const one = document.activeElement;
                const box = one.closest(".box") ?? one;
                const style = getComputedStyle(box);
                const seen = style.outlineStyle !== "none" || style.boxShadow !== "none";
                return seen || one === document.body ? null : one.outerHTML;
            }"""
        ):
            unseen.append(told)

    assert unseen == []


async def test_on_a_phone_the_conversations_are_a_drawer(
    site: Site, visits: Visits, user: str
) -> None:
    async with site.http() as http:
        made = await conversation(http, user, title="On the way")
        wide = "| a | b |\n|--|--|\n| " + "x" * 300 + " | y |\n\n`" + "z" * 300 + "`"
        await say(http, user, made, ["w" * 300, wide, "```\n" + "c" * 300 + "\n```"])
    context = await visits.context(size=PHONE, has_touch=True)
    page = await visits.open(site.url, context=context)
    await expect(page.locator("#sidebar")).not_to_be_in_viewport()

    await page.get_by_role("button", name="Conversations").click()
    await expect(page.locator("#sidebar")).to_be_in_viewport()
    await page.locator(".conversation a").click()

    await expect(page.locator("#sidebar")).not_to_be_in_viewport()
    await expect(page.locator(".message")).to_have_count(3)
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    assert await page.evaluate("document.querySelector('.stage .scroller').scrollWidth") <= PHONE[0]


LIGHT = "rgb(251, 250, 248)"


async def test_a_theme_is_remembered_and_nothing_flashes(site: Site, visits: Visits) -> None:
    context = await visits.context(dark=True, stored={"longterm-theme": "light"})
    page = await visits.open(site.url, context=context)
    await expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == LIGHT

    # Without its modules the page looks as it does before they run.
    await page.route("**/app.js", lambda route: route.abort())
    await page.reload()

    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == LIGHT
    visits.forgive("ERR_FAILED")


async def test_the_memory_panel_is_remembered(site: Site, visits: Visits) -> None:
    page = await visits.open(site.url)
    await page.get_by_role("button", name="Memory", exact=True).click()
    await expect(page.get_by_role("complementary", name="Memory")).to_be_visible()

    await page.reload()

    await expect(page.get_by_role("complementary", name="Memory")).to_be_visible()
    await page.get_by_role("button", name="Close memory").click()
    await page.reload()
    await expect(page.get_by_role("button", name="Memory", exact=True)).to_be_visible()
    await expect(page.locator("#panel")).to_be_hidden()
