"""What is done to parsed markdown before it becomes HTML."""

import re
from collections.abc import Iterator, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from longterm.web.cleaning import is_link

# Beyond this, a paragraph is shown as it was written: whatever its brackets and stars would
# cost, the whole costs no more than its length times a constant.
LONGEST_INLINE = 20_000

_ALIGN = "text-align:"
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`\x00-\x20]{3,2000}", re.IGNORECASE)
_AFTER_LINK = ".,;:!?)]}*_"


def bound(state: StateCore) -> None:
    """Keep what is too long from being looked into."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > LONGEST_INLINE:
            token.type = "plain"


def set_links(state: StateCore) -> None:
    """Put a link in the place of each image and each bare address: nothing is loaded here."""
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_linked(token.children))


def align_by_class(state: StateCore) -> None:
    """Align the cells of a table by classes: no style is allowed."""
    for token in state.tokens:
        style = str(token.attrs.pop("style", ""))
        if style.startswith(_ALIGN):
            token.attrs["class"] = style.removeprefix(_ALIGN)


def _linked(children: Sequence[Token]) -> Iterator[Token]:
    within = 0
    for token in children:
        within += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "image":
            source = str(token.attrs.get("src", ""))
            yield from _link(source if not within else "", token.content or source)
        elif token.type == "text" and not within:
            yield from _with_links(token.content)
        else:
            yield token


def _with_links(text: str) -> Iterator[Token]:
    done = 0
    for found in _BARE_LINK.finditer(text):
        url = found[0].rstrip(_AFTER_LINK)
        yield from _link("", text[done : found.start()])
        yield from _link(url, url)
        done = found.start() + len(url)
    yield from _link("", text[done:])


def _link(url: str, text: str) -> Iterator[Token]:
    said = Token("text", "", 0, content=text)
    if is_link(url):
        yield Token("link_open", "a", 1, attrs={"href": url})
        yield said
        yield Token("link_close", "a", -1)
    elif text:
        yield said
