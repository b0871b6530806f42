"""What people do on the page, in a line each."""

from typing import Any

from playwright.async_api import Locator, Page, expect


async def send(page: Page, text: str) -> None:
    """Write a message and send it."""
    await page.get_by_label("Message", exact=True).fill(text)
    await page.keyboard.press("Enter")


def questions(page: Page) -> Locator:
    """The words of the user."""
    return page.locator(".message.mine .prose")


def answers(page: Page) -> Locator:
    """The words of the model."""
    return page.locator(".message.answer .prose")


async def answered(page: Page, text: str) -> None:
    """Wait until the last answer is done, and is this."""
    await expect(answers(page).last).to_have_text(text)
    await expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()


async def choose(page: Page, menu: Locator, label: str) -> None:
    """Open a menu and choose something in it."""
    await menu.click()
    await page.get_by_role("menuitem", name=label, exact=True).click()


async def drawn(page: Page) -> None:
    """Wait until what was done is seen."""
    await page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


async def nodes(page: Page, selector: str = "*") -> int:
    """How many elements there are."""
    found: Any = await page.evaluate("one => document.querySelectorAll(one).length", selector)
    return int(found)
