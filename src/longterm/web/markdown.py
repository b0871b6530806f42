"""Markdown as HTML that is safe to show, block by block.

A block at the top level means the same wherever it stands: reference definitions, which reach
from one block into another, are not read. So the HTML of a text is that of its blocks, one after
the other, and a block that is done is never rendered again.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from longterm.web import tokens as rules
from longterm.web.cleaning import clean, is_link
from longterm.web.highlighting import framed

_DEEPEST = 20
_CACHED_BLOCKS = 1024
_LONGEST_CACHED = 10_000
_NEWLINE = re.compile(r"\r\n?")


def render(text: str) -> str:
    """Return a text as HTML."""
    return "".join(blocks(text))


def blocks(text: str) -> list[str]:
    """Return the blocks of a text at its top level, each as HTML."""
    text = normal(text)
    lines = text.split("\n")
    starts = block_starts(text)
    ends = [*starts[1:], len(lines)]
    return [_block("\n".join(lines[start:end])) for start, end in zip(starts, ends, strict=False)]


def normal(text: str) -> str:
    """Return a text with one kind of line end."""
    return _NEWLINE.sub("\n", text)


def block_starts(text: str) -> list[int]:
    """Return the lines at which the blocks of a text begin."""
    tokens = _splitter().parse(text)
    return [token.map[0] for token in tokens if token.level == 0 and token.map is not None]


def _block(source: str) -> str:
    return remembered(source) if len(source) <= _LONGEST_CACHED else _rendered(source)


def _rendered(source: str) -> str:
    return clean(renderer().render(source))


remembered = lru_cache(maxsize=_CACHED_BLOCKS)(_rendered)


def _markdown() -> MarkdownIt:
    options = {"html": False, "maxNesting": _DEEPEST, "breaks": True}
    made = MarkdownIt("default", options, renderer_cls=_Renderer)
    made.disable(["reference", "linkify", "replacements", "smartquotes"])
    made.validateLink = is_link
    return made


@cache
def _splitter() -> MarkdownIt:
    made = _markdown()
    made.core.ruler.enableOnly(["normalize", "block"])
    return made


@cache
def renderer() -> MarkdownIt:
    """Return what makes HTML of markdown, not yet sanitised."""
    made = _markdown()
    made.core.ruler.before("inline", "bound", rules.bound)
    made.core.ruler.push("set_links", rules.set_links)
    made.core.ruler.push("align_by_class", rules.align_by_class)
    return made


# What it is called with is fixed by the parser.
# ruff: disable[ARG002]
class _Renderer(RendererHTML):
    """How some tokens look here."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return framed(tokens[idx].content, tokens[idx].info)

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return framed(tokens[idx].content, "")

    def plain(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(tokens[idx].content)

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        # A frame of its own: on a phone, the table is moved sideways and not the page.
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return "</table></div>\n"


# ruff: enable[ARG002]
