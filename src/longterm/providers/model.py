"""What Longterm asks of a language model, whoever makes it."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Speaker = Literal["user", "assistant", "tool"]

JsonSchema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool that the model wants to be run; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a prompt. What a tool answered names the call that it answers."""

    by: Speaker
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: ToolCall | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool that the model may call."""

    name: str
    description: str
    parameters: JsonSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Everything that a model is told for one answer.

    With `answer_schema` the answer is to be JSON of that form; a model may still fail at it, so
    who asks must check. `purpose` says what the answer is for when calls are counted.
    """

    instructions: str
    messages: tuple[Said, ...]
    tools: tuple[ToolSpec, ...] = ()
    answer_schema: JsonSchema | None = None
    max_tokens: int | None = None
    purpose: str = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an answer took."""

    prompt_tokens: int = 0
    answer_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.answer_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said; with an answer schema, `text` is the JSON."""

    text: str
    model: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)


class ChatModel(Protocol):
    """A language model.

    Both methods raise `ModelGoneError` for what may be better later (time-out, overload, no
    connection) and `ModelRefusedError` for what will not (a wrong key, an unknown model).
    """

    @property
    def name(self) -> str:
        """Vendor and model, such as `openai:gpt-5-mini`."""
        ...

    async def answer(self, prompt: Prompt) -> Answer:
        """Return the whole answer."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Yield the words as they come, and last of all the whole answer."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
