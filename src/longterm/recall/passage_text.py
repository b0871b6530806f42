"""Which texts of a message are embedded, and which words of it are indexed."""

import re
from collections.abc import Iterator
from datetime import datetime

from longterm.recall.asker import is_name
from longterm.text import sentences, words

# MiniLM reads 256 word pieces, and English has about 1.3 to a word: a chunk stays below 200.
_CHUNK_WORDS = 140
# A language without spaces has a piece for each character.
_CHUNK_CHARACTERS = 900
_LONGEST_QUESTION = 200
_SENTENCES = 8

_ENDS_ASKING = re.compile(r"[?？\u061f][\s\"'”\u2019»)*_]*(?:[\[(][^\[\]()]{0,300}[\])]\s*)?$")


def to_embed(text: str, *, before: str = "") -> list[str]:
    """The texts whose vectors stand for a message; the best of them is its similarity.

    `before` is the message before it when somebody else said that. "Yes, in Porto!" means little
    without its question, so an answer gets one vector more, with the question in front.
    """
    chunks = list(_chunks(text))
    question = last_question(before)
    return [*chunks, f"{question} {chunks[0]}"] if question and chunks else chunks


def episode_to_embed(summary: str) -> list[str]:
    """The texts whose vectors stand for an episode: all of it, and its first sentences.

    A summary speaks of several things: as a whole it is near to no question.
    """
    spans = sentences.split(summary)[:_SENTENCES]
    apart = [summary[start:end] for start, end in spans] if len(spans) > 1 else []
    return [*_chunks(summary), *apart]


def to_index(text: str, *, speaker: str | None, said_at: datetime) -> list[str]:
    """The words by which a message is found: who said it, on which day, and what."""
    who = speaker if speaker and is_name(speaker) else ""
    return words.terms(f"{who} {said_at.day} {said_at:%B %Y} {text}")


def last_question(text: str) -> str:
    """The last sentence of a message that is a question, if its end comes soon after."""
    for start, end in reversed(sentences.split(text)[-3:]):
        sentence = text[start:end]
        if is_question(sentence):
            return sentence[-_LONGEST_QUESTION:]
    return ""


def is_question(text: str) -> bool:
    """Whether a text ends by asking; what stands in brackets after it is an aside."""
    return bool(_ENDS_ASKING.search(text[-400:]))


def _chunks(text: str) -> Iterator[str]:
    """The text cut between sentences; a sentence that is too long is cut between words."""
    size = start = end = 0
    for from_, to in _pieces(text):
        more = len(text[from_:to].split())
        if end and (size + more > _CHUNK_WORDS or to - start > _CHUNK_CHARACTERS):
            yield text[start:end]
            size, start = 0, from_
        elif not end:
            start = from_
        size, end = size + more, to
    if end:
        yield text[start:end]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentences.split(text):
        begin = start
        while end - begin > _CHUNK_CHARACTERS:
            space = text.rfind(" ", begin + 1, begin + _CHUNK_CHARACTERS)
            cut = space if space > begin else begin + _CHUNK_CHARACTERS
            yield begin, cut
            begin = cut
        yield begin, end
