"""Pydantic AI: message history over a conversation, and tools for an agent's memory."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai import FunctionToolset, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.transcript import Entry, Item, Transcript
from longterm.errors import InvalidInputError
from longterm.memory.tool import DESCRIPTION, NAME, SCHEMA
from longterm.records.message import Role

_ARGUMENTS = frozenset(SCHEMA["properties"])


class LongtermHistory:
    """The messages of one conversation of a user; `session_id` is its id, or any name."""

    def __init__(self, tenant: AnyTenant, user_id: str, session_id: str) -> None:
        self._calls = Calls(tenant)
        self._transcript = Transcript(
            self._calls.tenant, user_id, session_id, framework="pydantic-ai", plain=_plain
        )

    async def messages(self, limit: int | None = None) -> list[ModelMessage]:
        """Every message, or the newest ones, for `message_history`."""
        return _loaded(await self._calls.run(self._transcript.items, limit))

    def messages_sync(self, limit: int | None = None) -> list[ModelMessage]:
        """Every message, or the newest ones, for `message_history`."""
        return _loaded(self._calls.wait(self._transcript.items, limit))

    async def add(self, messages: Sequence[ModelMessage]) -> None:
        """Append what a run has brought: `result.new_messages()`."""
        await self._calls.run(self._transcript.add, _entries(messages))

    def add_sync(self, messages: Sequence[ModelMessage]) -> None:
        """Append what a run has brought: `result.new_messages()`."""
        self._calls.wait(self._transcript.add, _entries(messages))

    async def clear(self) -> None:
        """Delete the conversation."""
        await self._calls.run(self._transcript.clear)


def memory_toolset(tenant: AnyTenant, user_id: str) -> FunctionToolset[Any]:
    """Tools with which an agent remembers and recalls what concerns one user."""
    calls = Calls(tenant)

    async def manage_user_memory(**arguments: Any) -> dict[str, Any]:
        # Nobody checks what a model made up: the user is not among what it may name.
        if unknown := arguments.keys() - _ARGUMENTS:
            return {"ok": False, "error": f"There is no {', '.join(sorted(unknown))} to give."}
        operation = arguments.pop("operation", None)
        return await calls.run(calls.tenant.manage_user_memory, user_id, operation, **arguments)

    async def remember(content: str) -> dict[str, Any]:
        """Remember one lasting fact about the user: a short sentence, no secrets."""
        return await calls.run(
            calls.tenant.manage_user_memory, user_id, "add_fact", content=content
        )

    async def recall(query: str) -> str:
        """Look up what is known about the user and what was said in earlier conversations."""
        try:
            found = await calls.run(calls.tenant.recall, user_id, query)
        except InvalidInputError as error:
            return str(error)
        return found.text or "Nothing is known about this."

    manage = Tool[Any].from_schema(
        manage_user_memory, name=NAME, description=DESCRIPTION, json_schema=SCHEMA
    )
    return FunctionToolset[Any]([manage, remember, recall])


def _entries(messages: Sequence[ModelMessage]) -> list[Entry]:
    items = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
    return [
        Entry(_role(message), "\n".join(_words(message)), item)
        for message, item in zip(messages, items, strict=True)
    ]


def _role(message: ModelMessage) -> Role:
    return (
        "user" if any(isinstance(part, UserPromptPart) for part in message.parts) else "assistant"
    )


def _words(message: ModelMessage) -> Iterator[str]:
    """The user's own words where there are some, else what a model or a tool said."""
    of_user = _role(message) == "user"
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            content = [part.content] if isinstance(part.content, str) else part.content
            yield from (piece for piece in content if isinstance(piece, str))
        elif isinstance(part, TextPart):
            yield part.content
        elif isinstance(part, ToolReturnPart) and not of_user:
            yield part.model_response_str()


def _plain(role: Role, words: str) -> Item:
    message = (
        ModelRequest(parts=[UserPromptPart(words)])
        if role == "user"
        else ModelResponse(parts=[TextPart(words)])
    )
    return ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]


def _loaded(items: list[Item]) -> list[ModelMessage]:
    return ModelMessagesTypeAdapter.validate_python(items)
