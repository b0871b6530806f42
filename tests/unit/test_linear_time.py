"""Reading a text takes time in proportion to its length, whatever stands in it."""

import gc
import json
from collections.abc import Callable
from datetime import UTC, datetime
from time import thread_time
from typing import Any

import pytest

from longterm.chat import clarify
from longterm.imports import values
from longterm.learn import grounding, merge, rules, summarise, title
from longterm.learn.rules import masking
from longterm.memory.understanding import LONGEST_QUERY
from longterm.proxy import body, messages
from longterm.recall import asker, excerpt, fuse, passage_text, question, timing
from longterm.recall.candidate import Candidate
from longterm.text import (
    choices,
    dates,
    references,
    sentences,
    snippets,
    storable,
    titles,
    tokens,
    words,
)
from longterm.text.choices import Choice
from longterm.text.references import Exchange, cues, options, terms
from longterm.web import markdown
from longterm.web.growing import Growing
from longterm.web.highlighting import LONGEST as LONGEST_CODE
from tests.unit.hostile_texts import texts
from tests.unit.test_merge import a_fact

NOW = datetime(2026, 5, 6, tzinfo=UTC)
SHORT, LONG = 10_000, 100_000

# Ten times the text may take 15 times the time: caches and memory have steps of their own.
MOST_TIMES = 15
# Below this, a long text does no harm in whatever proportion.
FLOOR_S = 0.05
# A pattern that is slow in a long text is among the slow ones in a short one.
READ_LONG = 4
ATTEMPTS = 3


def render(text: str) -> None:
    markdown.remembered.cache_clear()
    markdown.render(text)


def grow(text: str) -> None:
    markdown.remembered.cache_clear()
    shown = Growing()
    for third in range(1, 4):
        shown.grow(text[: len(text) * third // 3])


def rank(text: str) -> None:
    asked = question.understand(text[:LONGEST_QUERY], speakers=("Ana", "Bob Smith"), said_at=NOW)
    found = Candidate(
        passage_id=1,
        conversation_id="c",
        place=1,
        speaker="Ana",
        role="user",
        said_at=NOW,
        text=text,
        similarity=0.5,
        words=1.0,
    )
    fuse.fuse(asked, [found])


def resolve_in(text: str) -> None:
    for query in ("what about it?", "the second one?", "the cheaper one?", "what did you say?"):
        references.resolve(query, [Exchange(text, text)])


def ground(text: str) -> None:
    middle = len(text) // 2
    grounding.objection(text[:500], (middle, middle + 10), text)
    grounding.span(f"{text[:500]} z", text)


FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "a title": titles.from_message,
    "sentences": sentences.split,
    "a snippet": lambda text: snippets.snippet(text, ("zebra", "word")),
    "what can be stored": storable.storable,
    "tokens": tokens.count,
    "terms": words.terms,
    "terms of a query": words.query_terms,
    "a choice": lambda text: choices.pick(text, [Choice(1, text[:255], "a"), Choice(2, "b", "b")]),
    "dates": lambda text: dates.resolve(text, said_at=NOW),
    "references of a query": lambda text: references.resolve(text, [Exchange("Who?", "Ana")]),
    "references to a text": resolve_in,
    "cues": lambda text: cues.find(text, frozenset()),
    "options of a text": options.find,
    "names": lambda text: terms.names(text, 3),
    "facts by rules": rules.extract,
    "own words": masking.own_words,
    "grounding": ground,
    "what was not said": lambda text: grounding.unsaid(text, text[::-1]),
    "the gist": merge.gist,
    "the same": lambda text: merge.same(text, f"{text}x"),
    "sentences for a summary": lambda text: summarise.candidates(
        [summarise.Utterance(speaker="Ana", is_user=True, text=text)]
    ),
    "an earlier summary": summarise.earlier,
    "a summary of a model": lambda text: summarise.read(
        json.dumps({"summary": text, "rolling": text})
    ),
    "a title of a model": title.read,
    "a question": lambda text: question.understand(
        text[:LONGEST_QUERY], speakers=("Ana", "a b"), said_at=NOW
    ),
    "who asks": lambda text: asker.read(text, ("Ana", "a")),
    "ranking": rank,
    "when": lambda text: timing.mentions(text, NOW),
    "a short excerpt": lambda text: excerpt.excerpt(text, {"word", "a"}, max_tokens=300),
    "a long excerpt": lambda text: excerpt.excerpt(
        text, words.terms(text), max_tokens=tokens.count(text) * 9 // 10
    ),
    "texts to embed": lambda text: passage_text.to_embed(text, before=text),
    "texts of an episode": passage_text.episode_to_embed,
    "words to index": lambda text: passage_text.to_index(text, speaker="Ana", said_at=NOW),
    "options": lambda text: clarify.options(f"{text}?", [a_fact()] * 50, ()),
    "messages of the proxy": lambda text: messages.entries(
        [{"role": "user", "content": text}], most_bytes=1_000_000
    ),
    "a body of the proxy": lambda text: body.read(json.dumps({"messages": [text, text]}).encode()),
    "an imported title": values.title,
    "markdown": render,
    "code": lambda text: render(f"```python\n{text}\n```"),
    "markdown that grows": grow,
}


def spent(function: Callable[[str], Any], text: str) -> float:
    """The processor time of this thread: other programs on the machine do not count."""
    # The collector looks at all objects there are, again and again, while many are made.
    gc.disable()
    try:
        begun = thread_time()
        function(text)
        return thread_time() - begun
    finally:
        gc.enable()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ten_times_the_text_takes_about_ten_times_the_time(name: str) -> None:
    function = FUNCTIONS[name]
    function("A first call may read files.")
    short, long = texts(SHORT), texts(LONG)
    by_time = sorted(short, key=lambda each: -spent(function, short[each]))

    for each in by_time[:READ_LONG]:
        took_s = 0.0
        for _ in range(ATTEMPTS):
            took_s = spent(function, long[each])
            if took_s <= FLOOR_S or took_s <= MOST_TIMES * spent(function, short[each]):
                break
        else:
            pytest.fail(f"{each}: {took_s:.2f} s for {LONG:,} characters")


def test_the_longest_code_that_gets_colours_takes_no_longer_than_its_limit() -> None:
    """Longer code is plain, so the long texts above do not show it."""
    render("```python\nx = 1\n```")
    short = spent(FUNCTIONS["code"], texts(LONGEST_CODE // 10)["blank lines"])
    long = spent(FUNCTIONS["code"], texts(LONGEST_CODE - 1)["blank lines"])

    assert long <= MOST_TIMES * short
