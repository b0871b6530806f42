"""The page says what is running, and lets nothing in."""

import base64
import hashlib
import re
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser

import httpx
import pytest

from longterm import Settings, __version__
from longterm.api.app import create_app
from longterm.api.page import in_words
from longterm.runtime import Runtime


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


async def test_the_page_says_what_is_running(client: httpx.AsyncClient) -> None:
    answer = await client.get("/status")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    for text in (__version__, "PostgreSQL 18.", "external", "longterm_api", "Tenants", "Running"):
        assert text in answer.text


async def test_every_link_of_the_page_leads_somewhere(client: httpx.AsyncClient) -> None:
    page = Elements((await client.get("/status")).text)
    links = [str(attributes["href"]) for tag, attributes in page.found if tag == "a"]

    answers = {link: (await client.get(link)).status_code for link in links}

    assert set(answers) >= {"/", "/openapi.json", "/healthz", "/readyz", "/metrics"}
    assert set(answers.values()) == {200}


async def test_the_browser_is_told_to_allow_the_style_and_nothing_else(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.get("/status")

    policy = answer.headers["content-security-policy"]
    (style,) = re.findall("<style>(.*?)</style>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    elements = Elements(answer.text).found
    assert not [tag for tag, attributes in elements if tag == "script" or "style" in attributes]
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_what_is_shown_is_escaped(new_database: Callable[[str], str]) -> None:
    hostile = "<script>alert(1)</script>"
    app = create_app(Runtime(Settings(database_url=new_database(hostile), worker=False)))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as http,
    ):
        answer = await http.get("/status")

    assert "&lt;script&gt;alert(1)" in answer.text
    assert hostile not in answer.text


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(0), "0 seconds"),
        (timedelta(seconds=1.9), "1 second"),
        (timedelta(seconds=119), "1 minute"),
        (timedelta(hours=5, minutes=59), "5 hours"),
        (timedelta(days=400), "400 days"),
    ],
)
def test_a_time_span_is_told_in_its_largest_unit(span: timedelta, words: str) -> None:
    assert in_words(span) == words
