"""How a view looks to machines: what axe-core finds, and whether it is wider than its screen."""

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Page


@cache
def _axe() -> str:
    # The package's own caller has no types, and asks for nothing more than this.
    return (files("axe_playwright_python") / "axe.min.js").read_text()


async def flaws(page: Page, within: str = "html", *rules: str) -> list[str]:
    """What axe-core has to say against a page or a part of it; by these rules, or by all."""
    # Reading it takes longer than most of what it is asked.
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_axe())
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    found: dict[str, Any] = await page.evaluate("given => axe.run(...given)", [within, options])
    return [
        f"{flaw['id']}: {node['target']} {node['failureSummary']}"
        for flaw in found["violations"]
        for node in flaw["nodes"]
    ]


async def flaws_in_both_themes(page: Page, within: str = "html") -> list[str]:
    """What axe-core has to say in the light, and in the dark, where only colours differ."""
    found = [f"light: {flaw}" for flaw in await flaws(page, within)]
    await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"dark: {flaw}" for flaw in await flaws(page, within, "color-contrast")]
    await page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return found


async def overhang(page: Page) -> int:
    """By how many pixels a page is wider than its screen."""
    return await page.evaluate("document.documentElement.scrollWidth - innerWidth")
