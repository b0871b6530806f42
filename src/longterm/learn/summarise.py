"""Summaries of a range of turns: by a model, or by choosing its most telling sentences."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from longterm.learn import prompts
from longterm.providers.embedder import Vectors
from longterm.providers.model import Prompt, Said
from longterm.text import prompt_data, secrets, sentences, tokens
from longterm.text.secrets import gate

PURPOSE = "summarise"
BY_SENTENCES = "sentences-1"

SUMMARY_TOKENS = 200
ROLLING_TOKENS = 350

_ANSWER_TOKENS = 800
# More than 800 tokens are, in any language: a server may pay no heed to what it was asked for.
_LONGEST_SUMMARY = 4000
_LONGEST_MESSAGE = 2000

# At 3 ms a sentence this bounds what the embedder has to do for an episode.
_MOST_SENTENCES = 80
_MOST_OF_ONE = 8
_FEWEST_WORDS = 4
_LONGEST_SENTENCE = 300

# What the user says tells more of a conversation than what is answered.
_USERS_SHARE = 1.15
# How much being unlike what was chosen counts against being like the whole.
_DIFFERENCE = 0.4

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "rolling": {"type": "string"}},
    "required": ["summary", "rolling"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What somebody said."""

    speaker: str
    is_user: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Of the range, and of everything up to its end."""

    summary: str
    rolling: str


class _Answer(BaseModel):
    summary: str
    rolling: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that may go into a summary; `line` is how it would stand there."""

    line: str
    text: str
    weight: float = 1.0


def made_by(model: str) -> str:
    """The name by which an episode knows what made it."""
    return f"{model}/{prompts.load('summarise').hash}"


def prompt(said: Sequence[Utterance], *, before: str) -> Prompt:
    """Ask for both summaries in one call."""
    texts = gate.masked_turns([_clipped(each.text) for each in said])
    lines = [
        prompt_data.item(f"{each.speaker}: {text}") for each, text in zip(said, texts, strict=True)
    ]
    known = [prompt_data.item(line) for line in secrets.mask(before).splitlines()] or ["nothing"]
    text = "\n".join(("<earlier>", *known, "</earlier>", "<chat>", *lines, "</chat>"))
    return Prompt(
        instructions=prompts.load("summarise").text,
        messages=(Said(by="user", text=text),),
        answer_schema=_SCHEMA,
        max_tokens=_ANSWER_TOKENS,
        purpose=PURPOSE,
    )


def read(answer: str) -> Summary | None:
    """What the model made of it; None when that can't be used."""
    begin = answer.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(answer, max(begin, 0))
        made = _Answer.model_validate(found)
    except (ValueError, RecursionError):
        return None
    summary = _lines(made.summary)
    if not summary:
        return None
    return masked(Summary(summary=summary, rolling=_lines(made.rolling) or summary))


def masked(made: Summary) -> Summary:
    """A summary as it may be stored, whoever made it."""
    return Summary(summary=secrets.mask(made.summary), rolling=secrets.mask(made.rolling))


def _lines(text: str) -> str:
    lines = map(prompt_data.one_line, text[:_LONGEST_SUMMARY].splitlines())
    return "\n".join(line for line in lines if line)


def candidates(said: Sequence[Utterance]) -> list[Sentence]:
    """The sentences of a range of turns that could tell what it was about."""
    found: list[Sentence] = []
    masked = gate.masked_turns([each.text[: _LONGEST_MESSAGE * 2] for each in said])
    for each, whole in zip(said, masked, strict=True):
        weight = _USERS_SHARE if each.is_user else 1.0
        spans = sentences.split(whole)
        texts = [prompt_data.one_line(whole[start:end]) for start, end in spans]
        telling = [text for text in texts if len(text.split()) >= _FEWEST_WORDS]
        # An unbroken message in a script without spaces is a sentence too.
        for text in (telling or texts[:1])[:_MOST_OF_ONE]:
            line = f"{prompt_data.one_line(each.speaker)}: {text[:_LONGEST_SENTENCE]}"
            found.append(Sentence(line=line, text=text[:_LONGEST_SENTENCE], weight=weight))
    return _thinned(found)


def earlier(rolling: str) -> list[Sentence]:
    """The lines of the summary so far, as sentences to choose from again."""
    lines = [line for line in secrets.mask(rolling).splitlines() if line.strip()][-_MOST_SENTENCES:]
    return [Sentence(line=line, text=line.partition(": ")[2] or line) for line in lines]


def choose(given: Sequence[Sentence], vectors: Vectors, *, budget_tokens: int) -> str:
    """The sentences nearest to what all are about, chosen for difference, in their order."""
    if not given:
        return ""
    centre = vectors.mean(axis=0)
    weights = np.array([sentence.weight for sentence in given])
    telling = (vectors @ centre) * weights
    likeness = vectors @ vectors.T
    chosen: list[int] = []
    left = budget_tokens
    waiting = list(range(len(given)))
    while waiting:
        best = max(waiting, key=lambda place: (_gain(place, telling, likeness, chosen), -place))
        waiting.remove(best)
        cost = tokens.count(given[best].line) + 1
        if cost <= left or not chosen:
            chosen.append(best)
            left -= cost
        if left <= 0:
            break
    return "\n".join(given[place].line for place in sorted(chosen))


def _gain(place: int, telling: Vectors, likeness: Vectors, chosen: Sequence[int]) -> float:
    nearest = max((float(likeness[place, other]) for other in chosen), default=0.0)
    return (1 - _DIFFERENCE) * float(telling[place]) - _DIFFERENCE * nearest


def _thinned(found: list[Sentence]) -> list[Sentence]:
    """Every n-th of them when there are too many, so that no part of the range is left out."""
    step = -(-len(found) // _MOST_SENTENCES)
    return found[:: max(step, 1)]


def _clipped(text: str) -> str:
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]} … {text[-half:]}"
