"""Markdown becomes HTML in blocks, in time that is bounded by its length."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longterm.web import markdown
from longterm.web.cleaning import clean
from longterm.web.growing import Growing
from longterm.web.tokens import LONGEST_INLINE

PIECES = [
    "a", "word ", "\n", "\n\n", "- ", "* ", "1. ", "2) ", "# ", "> ", "    ", "  ", "```", "```py\n",
    "~~~\n", "`", "``", "**", "*", "_", "~~", "|", "a | b\n", "--|--\n", "---", "===", "\t", "\r", "\r\n",
    "[x]", "(https://a.example)", "![", "<b>", "&amp;", "\\", "+ ", "|-|\n", "https://a.example ",
    "def f(): pass\n", "é😀", "\x00", "[a]: https://b.example\n",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def test_what_people_and_models_write_is_shown() -> None:
    html = markdown.render(
        "# Title\n\nSome *words* and **more** ~~less~~ `code`\nin two lines\n\n"
        "| a | b |\n|--:|---|\n| 1 | 2 |\n\n3. x\n4. y\n\n> said\n\n---\n"
    )

    for part in (
        "<h1>Title</h1>", "<em>words</em>", "<strong>more</strong>", "<s>less</s>",
        "<code>code</code><br>", '<div class="table" tabindex="0"><table>', '<th class="right">a</th>',
        '<ol start="3">', "<blockquote>", "<hr>",
    ):  # fmt: skip
        assert part in html


def test_code_is_marked_by_classes_and_says_its_language() -> None:
    known = markdown.render('```python title="x"\nimport os\n```')
    unknown = markdown.render("```klingon\nimport <os>\n```")
    plain = markdown.render("    import os")

    assert known.startswith('<div class="code" data-language="python"><pre tabindex="0"><code>')
    assert '<span class="kn">import</span>' in known
    assert 'data-language="klingon"' in unknown
    assert "import &lt;os&gt;" in unknown
    assert 'data-language=""' in plain
    assert "style" not in known


def test_a_bare_address_is_a_link_without_the_full_stop_after_it() -> None:
    html = markdown.render("See https://a.example/b(c).")

    assert '<a href="https://a.example/b(c"' in html
    assert "</a>)." in html


@settings(max_examples=150)
@given(text=TEXTS)
def test_the_blocks_of_a_text_are_the_text(text: str) -> None:
    """Each block is rendered by itself, and means the same as among the others."""
    whole = clean(markdown.renderer().render(markdown.normal(text)))

    assert markdown.render(text) == whole


@settings(max_examples=150)
@given(text=TEXTS, cuts=st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_a_text_that_grows_ends_as_the_whole_text(text: str, cuts: list[int]) -> None:
    growing = Growing()
    shown: list[str] = []
    end = 0
    while end < len(text):
        end += cuts[end % len(cuts)]
        change = growing.grow(text[:end])
        if change is not None:
            shown[change.start :] = change.html

        assert shown == markdown.blocks(text[:end])


def test_a_block_that_is_done_is_never_rendered_again() -> None:
    growing = Growing()
    paragraphs = [f"Paragraph {number}\n\n" for number in range(50)]
    markdown.remembered.cache_clear()
    text = ""
    for paragraph in paragraphs:
        for letter in paragraph:
            text += letter
            growing.grow(text)

    assert calls(lambda: growing.grow(text + "more")) < calls(lambda: Growing().grow(text)) / 10
    assert growing.grow(text + "more") is None


def calls(run: Callable[[], object]) -> int:
    """How many calls it takes."""
    markdown.remembered.cache_clear()
    count = 0

    def see(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


HARD = [
    "[", "![", "](", "[a](", "[a](<", "*a_ ", "**a *", "*a**", "_a", "~~a ", "`a", "``a`", "<a", "<http:",
    "&#", "\\[", "> ", "- ", "1. ", "> - ", "a|", "|a\n|-\n", "[[a]", "![[]()", "\n> ", "\n- ", "\n  ",
    "```\n", "# ", "https://", "\t", "((", "'", "é", "- a\n", "> a\n", "\n\n", "|", "*", "`", "-\n", "a\n=\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", HARD, ids=range(len(HARD)))
def test_twice_as_long_takes_about_twice_as_many_steps(unit: str) -> None:
    def of(length: int) -> int:
        text = (unit * length)[:length]
        return calls(lambda: markdown.render(text))

    assert of(2_000) < 3 * of(1_000) + 5_000


@pytest.mark.parametrize("unit", ["[", "![", "*a_ ", "`", "> ", "- ", "[a](", "```\n", "&#", "|"])
@pytest.mark.timeout(120)
def test_100_kilobytes_of_anything_are_rendered(unit: str) -> None:
    text = (unit * 100_000)[:100_000]

    assert markdown.render(text)


def test_a_paragraph_that_is_too_long_is_shown_as_it_was_written() -> None:
    text = "**a** <b> " * (LONGEST_INLINE // 5)

    html = markdown.render(text)

    assert "<strong>" not in html
    assert html.count("**a** &lt;b&gt; ") >= LONGEST_INLINE // 5 - 1
    assert "<strong>" in markdown.render(text[: LONGEST_INLINE // 2])


def test_runs_of_backticks_of_all_lengths_are_rendered() -> None:
    text = "".join("`" * length + "a" for length in range(1, 400))

    assert calls(lambda: markdown.render(text)) < 50 * len(text)
