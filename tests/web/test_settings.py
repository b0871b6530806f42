"""d8: settings in a real browser: who, keys, models, what is kept, what is taken along."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from longterm import Settings
from longterm.api.app import create_app
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.web.conftest import PHONE, Site, Visits, conversation, say, serving
from tests.web.looks import flaws_in_both_themes, overhang

pytestmark = pytest.mark.xdist_group("web")


@pytest.fixture
async def settings(offline_site: Site, visits: Visits) -> Page:
    page = await visits.open(f"{offline_site.url}/settings")
    await expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
    return page


@pytest.fixture(scope="module")
async def guarded_site(new_database: Callable[[str], str]) -> AsyncIterator[Site]:
    """A server that asks for keys."""
    settings = Settings(database_url=new_database("longterm_web_guarded"), worker=False)
    async with serving(create_app(Runtime(settings))) as site:
        yield site


@pytest.fixture
async def fresh_site(new_database: Callable[[str], str]) -> AsyncIterator[Site]:
    """A server of its own: from its first key on it asks everybody for one."""
    app = create_app(
        Runtime(Settings(database_url=new_database("longterm_web_fresh"), worker=False))
    )
    async with serving(app) as site:
        yield site


def part(page: Page, title: str):
    return page.get_by_role("region", name=title, exact=True)


async def test_the_theme_is_chosen_and_kept(settings: Page) -> None:
    root = settings.locator("html")
    await settings.get_by_label("Dark").check()
    await expect(root).to_have_attribute("data-theme", "dark")

    await settings.reload()
    await expect(settings.get_by_label("Dark")).to_be_checked()
    await expect(root).to_have_attribute("data-theme", "dark")
    await settings.get_by_label("As the system").check()
    assert await root.get_attribute("data-theme") is None


async def test_another_user_is_found_and_a_new_one_named(
    settings: Page, offline_site: Site, user: str
) -> None:
    async with offline_site.http() as http:
        talk = await conversation(http, f"{user}-friend", title="Of a friend")
        await say(http, f"{user}-friend", talk, ["hello"])
    find = settings.get_by_label("Find a user, or name a new one")

    await find.fill(f"{user}-fr")
    await settings.get_by_role("button", name=f"{user}-friend").click()
    await expect(settings.locator(".now-user strong")).to_have_text(f"{user}-friend")
    await expect(settings.locator("#sidebar")).to_contain_text("Of a friend")

    await find.fill(f"{user}-new")
    await settings.get_by_role("button", name="Go on as").click()
    await expect(settings.locator(".now-user strong")).to_have_text(f"{user}-new")
    await expect(settings.locator("#sidebar")).not_to_contain_text("Of a friend")


async def test_models_say_their_state_and_how_to_have_one(
    settings: Page, site: Site, visits: Visits
) -> None:
    model = part(settings, "Language model")
    await expect(model).to_contain_text("none configured")
    await expect(model).to_contain_text("LONGTERM_LLM=ollama:llama3.2 longterm serve")
    await expect(part(settings, "Embedder")).to_contain_text("ready")

    other = await visits.open(f"{site.url}/settings")
    await expect(part(other, "Language model")).to_contain_text("test:speaker")
    await expect(part(other, "Language model").locator(".chip")).to_have_text("ready")


async def test_a_key_is_made_shown_once_used_and_revoked(fresh_site: Site, visits: Visits) -> None:
    page = await visits.open(f"{fresh_site.url}/settings")
    keys = part(page, "Keys")
    await expect(keys).to_contain_text("No keys yet")

    for name in ("operator", "shop"):
        await keys.get_by_label("What the key is for").fill(name)
        await keys.get_by_role("button", name="Create a key").click()
        await expect(keys.locator(".issued")).to_contain_text(f"“{name}”")
        await expect(keys.locator(".secret code")).to_contain_text("lt_")
        # The first key is the page's own from now on.
        await page.reload()
        await expect(keys.locator(".issued")).to_have_count(0)

    await expect(keys.locator("li")).to_have_count(2)
    await keys.get_by_role("button", name="Revoke shop").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(keys.locator("li.revoked")).to_contain_text("shop")
    assert "lt_" not in page.url

    stranger = await visits.open(f"{fresh_site.url}/settings")
    await expect(stranger.get_by_role("dialog", name="A key is needed")).to_be_visible()
    visits.forgive("401")


async def test_an_admin_of_the_system_chooses_the_tenant(
    guarded_site: Site, visits: Visits
) -> None:
    runtime: Runtime = guarded_site.app.state.process.runtime
    root = await runtime.tenant(Scope(0)).create_key("root", "admin")
    async with guarded_site.http(Authorization=f"Bearer {root.secret}") as http:
        assert (await http.post("/api/admin/tenants", json={"tenant_id": 7})).status_code == 201
    context = await visits.context()
    await context.add_init_script(f"sessionStorage.setItem('longterm-key', '{root.secret}')")
    page = await visits.open(f"{guarded_site.url}/settings", context=context)

    await page.get_by_label("Tenant").select_option("7")

    await expect(page.locator(".now-user")).to_contain_text("tenant 7")


async def test_what_a_tenant_decides_is_kept(guarded_site: Site, visits: Visits) -> None:
    runtime: Runtime = guarded_site.app.state.process.runtime
    admin = await runtime.tenant(Scope(1)).create_key("admin", "admin")
    context = await visits.context()
    await context.add_init_script(f"sessionStorage.setItem('longterm-key', '{admin.secret}')")
    page = await visits.open(f"{guarded_site.url}/settings", context=context)

    await page.get_by_label("Conversations are kept").select_option("168")
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await page.get_by_role("switch").uncheck()
    await expect(page.get_by_text("Saved.")).to_have_count(2)

    await page.reload()
    await expect(page.get_by_label("Conversations are kept")).to_have_value("168")
    await expect(page.get_by_role("switch")).not_to_be_checked()


async def test_everything_is_taken_along_forgotten_with_a_receipt_and_brought_back(
    settings: Page, offline_site: Site, user: str, tmp_path: Path
) -> None:
    async with offline_site.http() as http:
        talk = await conversation(http, user, title="Lisbon in May")
        await say(http, user, talk, ["My name is Ada.", "Hello Ada."])
    async with settings.expect_download() as export:
        await settings.get_by_role("button", name="Export everything").click()
    file = tmp_path / (await export.value).suggested_filename
    await (await export.value).save_as(file)
    assert "My name is Ada." in file.read_text()

    await settings.get_by_role("button", name=f"Forget {user}").click()
    yes = settings.get_by_role("button", name="Forget for good")
    await settings.get_by_label("The name of the user").fill("somebody else")
    await expect(yes).to_be_disabled()
    await settings.get_by_label("The name of the user").fill(user)
    await yes.click()
    await expect(settings.locator(".receipt")).to_contain_text(f"{user} is forgotten.")
    async with settings.expect_download() as receipt:
        await settings.get_by_role("button", name="Download the receipt").click()
    told = json.loads((await (await receipt.value).path()).read_text())
    assert told["counts"]["messages"] == 2

    await settings.get_by_label("File to import").set_input_files(file)
    await expect(part(settings, "Import and export")).to_contain_text("2 messages")
    await expect(settings.locator("#sidebar")).to_contain_text("Lisbon in May")


async def test_the_demo_is_loaded_and_removed_again(settings: Page) -> None:
    await settings.get_by_role("button", name="Load the demo").click()
    await expect(settings.get_by_text("The demo is there.")).to_be_visible()
    await expect(settings.locator("#sidebar .conversation")).to_have_count(1)

    await settings.get_by_role("button", name="Remove the demo").click()
    await expect(settings.locator("#sidebar .conversation")).to_have_count(0)


async def test_axe_finds_nothing_in_settings_and_a_phone_shows_them_whole(settings: Page) -> None:
    await expect(part(settings, "About").get_by_role("link", name="Metrics")).to_be_visible()
    assert await flaws_in_both_themes(settings) == []

    await settings.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert await overhang(settings) == 0
    scroller = settings.locator(".settings")
    assert await scroller.evaluate("box => box.scrollWidth - box.clientWidth") == 0
