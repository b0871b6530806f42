"""A language model and an embedder for tests: they say what they are told and count."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from longterm.errors import ModelRefusedError
from longterm.providers.embedder import Vectors
from longterm.providers.model import Answer, Prompt, ToolCall, Usage
from longterm.text import tokens

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\s*\S+\s*$|\s*\S+|\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One answer of a script: after `pause_s` the text and the tool calls, or `error`.

    A stream says the text before it raises the error: that is a stream that breaks.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    pause_s: float = 0.0
    error: Exception | None = None


Reply: TypeAlias = str | Exception | Line
Script: TypeAlias = Iterable[Reply] | Callable[[Prompt], Reply]


class ScriptedModel:
    """Answers from a list, one after the other, or from a function of the prompt.

    `prompts` has everything it was asked; `usage` is what all of it would have cost.
    """

    def __init__(self, script: Script, *, name: str = "scripted:model") -> None:
        self.prompts: list[Prompt] = []
        self.usage = Usage()
        self._name = name
        self._next = script if callable(script) else _in_order(iter(script))

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.prompts)

    async def answer(self, prompt: Prompt) -> Answer:
        """Return the whole answer."""
        line = await self._begin(prompt)
        if line.error is not None:
            raise line.error
        return await self._end(prompt, line)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Yield the answer word by word, and last of all the whole answer."""
        line = await self._begin(prompt)
        for piece in _PIECE.findall(line.text):
            yield piece
        if line.error is not None:
            raise line.error
        yield await self._end(prompt, line)

    async def close(self) -> None:
        """There is nothing to give back."""

    async def _begin(self, prompt: Prompt) -> Line:
        self.prompts.append(prompt)
        line = _line(self._next(prompt))
        await asyncio.sleep(line.pause_s)
        return line

    async def _end(self, prompt: Prompt, line: Line) -> Answer:
        # In a thread: the first count reads a file.
        usage = await asyncio.to_thread(_cost, prompt, line)
        self.usage = Usage(
            prompt_tokens=self.usage.prompt_tokens + usage.prompt_tokens,
            answer_tokens=self.usage.answer_tokens + usage.answer_tokens,
        )
        return Answer(text=line.text, model=self._name, tool_calls=line.tool_calls, usage=usage)


class ScriptedEmbedder:
    """Texts that share words are alike; the same text has the same vector everywhere."""

    def __init__(self, *, dimensions: int = 384, name: str = "scripted:embedder") -> None:
        self.texts: list[str] = []
        self.calls = 0
        self._name = name
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long each vector is."""
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, each of length 1."""
        if isinstance(texts, str):
            raise TypeError("embed takes a list of texts")
        self.calls += 1
        self.texts.extend(texts)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()) or [""]:
                vectors[row, _bucket(word, self._dimensions)] += 1
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    async def close(self) -> None:
        """There is nothing to give back."""


def _in_order(replies: Iterator[Reply]) -> Callable[[Prompt], Reply]:
    end = ModelRefusedError("The script of this model has come to its end.")
    return lambda _: next(replies, end)


def _line(reply: Reply) -> Line:
    if isinstance(reply, Line):
        return reply
    return Line(error=reply) if isinstance(reply, Exception) else Line(text=reply)


def _cost(prompt: Prompt, line: Line) -> Usage:
    asked = [prompt.instructions]
    for said in prompt.messages:
        asked += [said.text, *(call.arguments for call in said.tool_calls)]
    for tool in prompt.tools:
        asked += [tool.name, tool.description, json.dumps(tool.parameters)]
    if prompt.answer_schema is not None:
        asked.append(json.dumps(prompt.answer_schema))
    answered = [line.text, *(call.arguments for call in line.tool_calls)]
    return Usage(
        prompt_tokens=sum(map(tokens.count, asked)),
        answer_tokens=sum(map(tokens.count, answered)),
    )


def _bucket(word: str, buckets: int) -> int:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % buckets
