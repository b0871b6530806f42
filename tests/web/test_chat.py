"""d8: chat in a real browser."""

import asyncio
import json
import re

import pytest
from playwright.async_api import Route, expect

from longterm.providers.model import ToolCall
from tests.web.acts import answered, answers, drawn, questions, send
from tests.web.conftest import Site, Visits, conversation, say

pytestmark = pytest.mark.xdist_group("web")


async def test_a_message_is_answered_in_a_conversation_of_its_own(
    site: Site, visits: Visits
) -> None:
    """d8"""
    page = await visits.open(site.url)

    await send(page, "hello there")

    await answered(page, "You said: hello there")
    await expect(questions(page)).to_have_text("hello there")
    await expect(page.locator(".conversation a")).to_have_count(1)
    assert "/c/" in page.url
    await page.reload()
    await answered(page, "You said: hello there")
    await expect(page.locator(".message")).to_have_count(2)


async def test_an_answer_is_announced_once_it_is_done(site: Site, visits: Visits) -> None:
    speech = site.speaker.teach("announce", "one two three", wait_after=2)
    page = await visits.open(site.url)

    await send(page, "announce")

    await expect(answers(page)).to_have_text("one two")
    await expect(page.locator(".message.answer")).to_have_attribute("aria-busy", "true")
    await expect(page.locator("#main > [role=status]")).to_have_text("")
    speech.go_on.set()
    await expect(page.locator("#main > [role=status]")).to_have_text("Answer: one two three")
    await expect(page.locator("[aria-busy]")).to_have_count(0)


async def test_what_is_done_is_not_drawn_again_while_the_rest_comes(
    site: Site, visits: Visits
) -> None:
    text = "# Title\n\nFirst of all\n\n```python\nx = 1\n```\n\nthe end of it"
    speech = site.speaker.teach("long", text, wait_after=10)
    page = await visits.open(site.url)
    await send(page, "long")
    await expect(answers(page).locator("pre")).to_have_text("x = 1\n")
    await page.evaluate("document.querySelector('.answer h1').mark = 'the same'")

    speech.go_on.set()

    await expect(answers(page)).to_contain_text("the end of it")
    await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    assert await page.evaluate("document.querySelector('.answer h1').mark") == "the same"


async def test_an_answer_that_is_stopped_keeps_what_had_come(site: Site, visits: Visits) -> None:
    site.speaker.teach("stop me", "one two three four", wait_after=2)
    page = await visits.open(site.url)
    await send(page, "stop me")
    await expect(answers(page)).to_have_text("one two")

    await page.get_by_role("button", name="Stop", exact=True).click()

    await expect(page.locator(".message.answer .broken")).to_be_visible()
    await expect(answers(page)).to_have_text("one two")
    await page.reload()
    await expect(answers(page)).to_have_text("one two")
    await expect(page.get_by_text("interrupted", exact=True)).to_be_visible()
    site.speaker.teach("stop me", "all of it")
    await page.get_by_role("button", name="Try again").click()
    await answered(page, "all of it")
    await expect(page.locator(".message")).to_have_count(2)


async def test_an_answer_goes_on_after_a_refresh(site: Site, visits: Visits) -> None:
    speech = site.speaker.teach("refresh", "one two three four", wait_after=2)
    page = await visits.open(site.url)
    await send(page, "refresh")
    await expect(answers(page)).to_have_text("one two")

    await page.reload()

    await expect(answers(page)).to_have_text("one two")
    await expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    speech.go_on.set()
    await answered(page, "one two three four")
    await expect(page.locator(".message")).to_have_count(2)


async def test_an_answer_goes_on_after_a_lost_connection(site: Site, visits: Visits) -> None:
    speech = site.speaker.teach("lost", "one two three four", wait_after=2)
    context = await visits.context()
    page = await visits.open(site.url, context=context)
    await send(page, "lost")
    await expect(answers(page)).to_have_text("one two")

    await context.set_offline(True)
    site.cut()
    await expect(page.get_by_text("The connection is lost")).to_be_visible()
    await context.set_offline(False)
    speech.go_on.set()

    await answered(page, "one two three four")
    await expect(page.locator(".message")).to_have_count(2)
    visits.forgive("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK", "Failed to load")


async def test_a_question_is_edited_and_sent_again(site: Site, visits: Visits) -> None:
    page = await visits.open(site.url)
    await send(page, "one")
    await answered(page, "You said: one")
    await send(page, "two")
    await answered(page, "You said: two")

    await page.locator(".message.mine").first.hover()
    await page.get_by_role("button", name="Edit and send again").first.click()
    await page.get_by_label("Edit the message").fill("three")
    await page.keyboard.press("Enter")

    await answered(page, "You said: three")
    await expect(page.locator(".message")).to_have_count(2)
    await page.reload()
    await expect(questions(page)).to_have_text(["three"])


async def test_an_edit_that_has_begun_outlasts_news_of_its_message(
    site: Site, visits: Visits
) -> None:
    page = await visits.open(site.url)
    late = asyncio.Event()

    async def hold(route: Route) -> None:
        await late.wait()
        await route.continue_()

    # What the server knows of the messages comes late, as from a busy machine.
    await page.route("**/messages?*", hold)
    await send(page, "one")
    await answered(page, "You said: one")
    await page.locator(".message.mine").hover()
    await page.get_by_role("button", name="Edit and send again").click()
    await page.get_by_label("Edit the message").fill("half a thou")

    async with page.expect_response("**/messages?*"):
        late.set()
    await drawn(page)
    await page.keyboard.type("ght")
    await page.keyboard.press("Enter")

    await answered(page, "You said: half a thought")
    await expect(page.locator(".message")).to_have_count(2)


async def test_an_answer_is_made_again(site: Site, visits: Visits) -> None:
    site.speaker.teach("again", "first")
    page = await visits.open(site.url)
    await send(page, "again")
    await answered(page, "first")
    site.speaker.teach("again", "second")

    await page.get_by_role("button", name="Answer again").click()

    await answered(page, "second")
    await expect(page.locator(".message")).to_have_count(2)


async def test_suggestions_are_buttons(site: Site, visits: Visits, user: str) -> None:
    async with site.http() as http:
        made = await conversation(http, user)
        suggested = {"role": "assistant", "content": "Which one?", "suggested_values": ["Graça"]}
        acts = {"suggested_actions": [{"label": "Show me", "value": "show the map"}]}
        await say(http, user, made, ["where?", suggested | acts])
    page = await visits.open(f"{site.url}/c/{made}")

    await page.get_by_role("button", name="Show me").click()

    await answered(page, "You said: show the map")
    await expect(page.get_by_role("button", name="Graça")).to_have_count(0)


async def test_a_tool_is_a_folded_line(site: Site, visits: Visits) -> None:
    call = ToolCall(
        id="call_1",
        name="manage_user_memory",
        arguments=json.dumps({"operation": "add", "content": "likes jazz"}),
    )
    site.speaker.teach("remember jazz", "", tool_calls=(call,))
    page = await visits.open(site.url)

    await send(page, "remember jazz")

    await answered(page, "I noted it.")
    tool = page.locator("details.tool")
    await expect(tool.locator("pre")).to_be_hidden()
    await tool.locator("summary").click()
    await expect(tool.locator("pre")).to_contain_text("likes jazz")


async def test_code_is_copied_by_a_button(site: Site, visits: Visits) -> None:
    site.speaker.teach("code", "Here:\n\n```python\nprint('hello')\n```\n")
    context = await visits.context(permissions=["clipboard-read", "clipboard-write"])
    page = await visits.open(site.url, context=context)
    await send(page, "code")

    await page.get_by_role("button", name="Copy code").click()

    async with asyncio.timeout(60):
        while await page.evaluate("navigator.clipboard.readText()") != "print('hello')\n":
            await drawn(page)
    await expect(answers(page).locator("pre span.nb")).to_have_text("print")


async def test_a_draft_is_kept_for_each_conversation(site: Site, visits: Visits) -> None:
    page = await visits.open(site.url)
    await send(page, "first")
    await answered(page, "You said: first")
    await page.get_by_label("Message", exact=True).fill("half a thought")

    await page.get_by_role("link", name="New chat").click()
    await expect(page.get_by_label("Message", exact=True)).to_have_value("")
    await page.locator(".conversation a").click()
    await expect(page).to_have_url(re.compile("/c/"))
    await page.reload()

    await expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")


async def test_a_temporary_chat_leaves_nothing(site: Site, visits: Visits, user: str) -> None:
    """b11"""
    page = await visits.open(site.url)
    await page.get_by_role("link", name="Temporary chat").click()
    await expect(page.get_by_role("heading", name="A temporary chat")).to_be_visible()

    await send(page, "my secret")
    await answered(page, "You said: my secret")
    await send(page, "another")
    await answered(page, "You said: another")

    await expect(page.locator(".message")).to_have_count(4)
    async with site.http() as http:
        listed = await http.get("/api/conversations", params={"user_id": user})
    assert listed.json()["items"] == []
    assert "secret" not in await page.evaluate("JSON.stringify(localStorage)")
    await page.reload()
    await expect(page.locator(".message")).to_have_count(0)


async def test_who_reads_further_up_is_not_pulled_down(site: Site, visits: Visits) -> None:
    lines = "\n\n".join(f"paragraph {number}" for number in range(80))
    speech = site.speaker.teach("tall", lines, wait_after=100)
    page = await visits.open(site.url)
    await send(page, "tall")
    await expect(answers(page)).to_contain_text("paragraph 49")
    await page.evaluate("document.querySelector('.stage .scroller').scrollTop = 100")
    await drawn(page)

    speech.go_on.set()
    await expect(answers(page)).to_contain_text("paragraph 79")

    assert await page.evaluate("document.querySelector('.stage .scroller').scrollTop") == 100
    await page.get_by_role("button", name="To the newest message").click()
    await expect(answers(page).get_by_text("paragraph 79")).to_be_in_viewport()


async def test_without_a_model_the_page_says_how_to_get_one(
    offline_site: Site, visits: Visits
) -> None:
    page = await visits.open(offline_site.url)

    await expect(page.locator(".hint")).to_contain_text("LONGTERM_LLM=…")


async def test_an_empty_memory_explains_itself_and_shows_a_demo(
    offline_site: Site, visits: Visits
) -> None:
    page = await visits.open(offline_site.url)
    await expect(page.get_by_role("heading", name="A memory for your")).to_be_visible()

    await page.get_by_role("button", name="Load a demo conversation").click()
    await expect(page.locator(".message").first).to_be_visible()
    await page.get_by_role("button", name="Demo · remove").click()
    await page.get_by_role("button", name="Remove", exact=True).click()

    await expect(page.get_by_role("heading", name="A memory for your")).to_be_visible()
    # The page looks every two seconds, perhaps just when the conversation is gone.
    visits.forgive("404")
