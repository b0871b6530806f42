"""A language model that says what a test tells it, and waits in the middle where it should."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from longterm.providers.model import Answer, Prompt, ToolCall, Usage

_PIECE = re.compile(r"\s*\S+\s*$|\s*\S+|\s+")


@dataclass(slots=True)
class Speech:
    """What is said to a question; after `wait_after` words not before `go_on` is set."""

    text: str
    wait_after: int | None = None
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    tool_calls: tuple[ToolCall, ...] = ()


class Speaker:
    """Answers each question as it was taught, or repeats it."""

    name = "test:speaker"

    def __init__(self) -> None:
        self._taught: dict[str, Speech] = {}
        self.asked: list[str] = []

    def teach(
        self,
        question: str,
        text: str,
        *,
        wait_after: int | None = None,
        tool_calls: tuple[ToolCall, ...] = (),
    ) -> Speech:
        """Say this to that question."""
        speech = Speech(text, wait_after, tool_calls=tool_calls)
        self._taught[question] = speech
        return speech

    async def answer(self, prompt: Prompt) -> Answer:
        self.asked.append(prompt.messages[-1].text)
        return Answer(text="{}", model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        last = prompt.messages[-1]
        self.asked.append(last.text)
        speech = self._taught.get(last.text) or Speech(f"You said: {last.text}")
        if last.by == "tool":
            speech = Speech("I noted it.")
        for number, piece in enumerate(_PIECE.findall(speech.text)):
            if number == speech.wait_after:
                await speech.go_on.wait()
            yield piece
        usage = Usage(prompt_tokens=12, answer_tokens=7)
        yield Answer(text=speech.text, model=self.name, tool_calls=speech.tool_calls, usage=usage)

    async def close(self) -> None:
        pass
