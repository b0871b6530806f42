"""Titles without a model: the first words of a conversation."""

import re

from longterm.text.prompt_data import one_line

_LONGEST = 60
# A title needs only the beginning of a message.
_READ = 1000
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s|[\r\n]")


def from_message(content: str) -> str:
    """Return the first sentence, cut at a word when it is long."""
    sentences = map(one_line, _SENTENCE_END.split(content.lstrip()[:_READ]))
    sentence = next(filter(None, sentences), "…")
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[: _LONGEST - 1]
    words, _, _ = cut.rpartition(" ")
    return (words or cut).rstrip(" ,;:-–—") + "…"
