"""Nothing that anybody writes does anything in a browser."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from longterm.web import markdown
from longterm.web.cleaning import clean
from longterm.web.growing import Growing
from tests.web.hostile import PAYLOADS

TAGS = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "div",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
ATTRIBUTES = {"href", "title", "target", "rel", "class", "data-language", "tabindex", "start"}


class Strict(HTMLParser):
    """Fails on whatever is not harmless."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links = 0
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        given = dict(attrs)
        assert given.keys() <= ATTRIBUTES
        if tag == "a" and "href" in given:
            self.links += 1
            assert urlsplit(given["href"] or "").scheme in ("http", "https", "mailto")
            assert given["rel"] == "noopener noreferrer nofollow"
            assert given["target"] == "_blank"

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def test_there_are_many_of_them() -> None:
    assert len(set(PAYLOADS)) >= 40


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_markdown_is_only_text(payload: str) -> None:
    Strict(markdown.render(payload))
    Strict(markdown.render(f"before {payload} after"))
    Strict(markdown.render(f"- a\n\n  > {payload}\n\n[x](https://a.example) {payload}"))


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_the_sanitiser_alone_lets_nothing_through(payload: str) -> None:
    """Also when the renderer in front of it would have let all of it pass."""
    Strict(clean(payload))
    Strict(clean(f'<a href="{payload}">x</a><div data-language="{payload}">x</div>'))


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_markdown_does_nothing_at_any_moment_of_a_stream(payload: str) -> None:
    growing = Growing()
    shown: list[str] = []

    for end in range(1, len(payload) + 1):
        change = growing.grow(payload[:end])
        if change is not None:
            shown[change.start :] = change.html
        Strict("".join(shown))

    assert "".join(shown) == markdown.render(payload)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///x",
        "//a.example",
        "/x",
        "x",
        "#x",
        "ftp:x",
    ],
)
def test_only_links_to_the_web_and_to_mailboxes_are_links(url: str) -> None:
    assert Strict(markdown.render(f"[x]({url}) <{url}>")).links == 0
    assert Strict(clean(f'<a href="{url}">x</a>')).links == 0


@pytest.mark.parametrize(
    "url", ["https://a.example/b?c=d#e", "http://a.example", "mailto:a@b.example"]
)
def test_links_lead_away_and_tell_nothing(url: str) -> None:
    assert Strict(markdown.render(f"[x]({url})")).links == 1


def test_an_image_is_a_link_and_is_never_loaded() -> None:
    html = markdown.render(
        "![a cat](https://a.example/cat.png) [![b](https://a.example/b)](https://c.example)"
    )

    assert Strict(html).links == 2
    assert "a cat" in html
    assert "<img" not in html
