"""Titles without a model: the first words of a conversation."""

import re

from longterm.text.prompt_data import one_line

_LONGEST = 60
# A title needs only the beginning of a message.
_READ = 1000
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s|[\r\n]")


def from_message(content: str) -> str:
    """Return the first sentence, cut at a word when it is long."""
    beginning = content.lstrip()[:_READ]
    sentences = (one_line(str(sentence)) for sentence in _SENTENCE_END.split(beginning))
    sentence = next((sentence for sentence in sentences if sentence), "…")
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[: _LONGEST - 1]
    words, _, _ = cut.rpartition(" ")
    return (words or cut).rstrip(" ,;:-–—") + "…"
