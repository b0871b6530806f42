"""How a view looks to machines: what axe-core finds, and whether it is wider than its screen."""

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page


async def flaws(page: Page) -> list[str]:
    """What axe-core has to say against a page, with where."""
    found = await Axe().run(page)
    return [
        f"{flaw['id']}: {node['target']} {node['failureSummary']}"
        for flaw in found.response["violations"]
        for node in flaw["nodes"]
    ]


async def overhang(page: Page) -> int:
    """By how many pixels a page is wider than its screen."""
    return await page.evaluate("document.documentElement.scrollWidth - innerWidth")
