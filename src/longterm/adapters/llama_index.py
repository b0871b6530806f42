"""LlamaIndex: memory over a conversation, with what recall finds in front of it."""

from itertools import dropwhile
from typing import Any, Self

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.extras import missing
from longterm.adapters.transcript import Entry, Item, Transcript
from longterm.records.message import Role

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.memory.types import BaseMemory
except ModuleNotFoundError as error:
    raise missing("LlamaIndex", "llama-index") from error

_NEWEST = 50
_RECALL_TOKENS = 1000
_RECALLED = "longterm_recalled"


class LongtermMemory(BaseMemory):
    """One conversation of a user; `get` puts what is recalled in front of its newest part.

    Recall is asked for the input, or for what the user said last. `session_id` is the id of the
    conversation, or any name. With `recall_tokens=0` nothing is recalled.
    """

    _calls: Calls = PrivateAttr()
    _transcript: Transcript = PrivateAttr()
    _user_id: str = PrivateAttr()
    _newest: int = PrivateAttr()
    _recall_tokens: int = PrivateAttr()

    def __init__(
        self,
        tenant: AnyTenant,
        user_id: str,
        session_id: str,
        *,
        newest: int = _NEWEST,
        recall_tokens: int = _RECALL_TOKENS,
    ) -> None:
        super().__init__()
        self._calls = Calls(tenant)
        self._transcript = Transcript(
            self._calls.tenant, user_id, session_id, framework="llama-index", plain=_plain
        )
        self._user_id = user_id
        self._newest = newest
        self._recall_tokens = recall_tokens

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex knows it by."""
        return "LongtermMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """The same as the constructor."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002
        """What is recalled, and the newest messages."""
        return self._calls.wait(self._get, input)

    async def aget(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002
        """What is recalled, and the newest messages."""
        return await self._calls.run(self._get, input)

    def get_all(self) -> list[ChatMessage]:
        """Every message of the conversation."""
        return self._calls.wait(self._get_all)

    async def aget_all(self) -> list[ChatMessage]:
        """Every message of the conversation."""
        return await self._calls.run(self._get_all)

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """Append a message."""
        await self.aput_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages."""
        self._calls.wait(self._transcript.add, _entries(messages))

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages."""
        await self._calls.run(self._transcript.add, _entries(messages))

    def set(self, messages: list[ChatMessage]) -> None:
        """Make these the messages of the conversation."""
        self._calls.wait(self._set, messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        """Make these the messages of the conversation."""
        await self._calls.run(self._set, messages)

    def reset(self) -> None:
        """Delete the conversation."""
        self._calls.wait(self._transcript.clear)

    async def areset(self) -> None:
        """Delete the conversation."""
        await self._calls.run(self._transcript.clear)

    async def _get(self, query: str | None) -> list[ChatMessage]:
        newest = self._shown([_loaded(one) for one in await self._transcript.items(self._newest)])
        # Most callers put the question in before they ask, and leave the input out.
        asked = [one.content for one in newest if one.role == MessageRole.USER]
        return [*await self._recalled(query or (asked[-1] if asked else None)), *newest]

    def _shown(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        """The newest messages, as `get` gives them."""
        if len(messages) < self._newest:
            return messages
        # A history that begins in the middle of a tool call is refused by most models.
        return list(dropwhile(lambda one: one.role != MessageRole.USER, messages[-self._newest :]))

    async def _recalled(self, query: str | None) -> list[ChatMessage]:
        if not query or not query.strip() or not self._recall_tokens:
            return []
        found = await self._calls.tenant.recall(
            self._user_id, query, budget_tokens=self._recall_tokens
        )
        if not found.text:
            return []
        marked = {_RECALLED: True}
        return [ChatMessage(role=MessageRole.SYSTEM, content=found.text, additional_kwargs=marked)]

    async def _get_all(self) -> list[ChatMessage]:
        return [_loaded(item) for item in await self._transcript.items()]

    async def _set(self, messages: list[ChatMessage]) -> None:
        # Callers hand back the history with one more message: only that one is new. What they have
        # from `get` begins later, and what is before that is not theirs to lose.
        wanted = _entries(messages)
        items, there = [entry.item for entry in wanted], await self._transcript.items()
        shown = _dumped(self._shown([_loaded(item) for item in there]))
        known = next((known for known in (there, shown) if known == items[: len(known)]), None)
        if known is None or (there and not known):
            await self._transcript.clear()
            known = []
        await self._transcript.add(wanted[len(known) :])


def _entries(messages: list[ChatMessage]) -> list[Entry]:
    """What was said; what was recalled comes back with a history, and is nobody's words."""
    return [
        Entry(
            "user" if message.role == MessageRole.USER else "assistant",
            message.content or "",
            message.model_dump(mode="json"),
        )
        for message in messages
        if _RECALLED not in message.additional_kwargs
    ]


def _dumped(messages: list[ChatMessage]) -> list[Item]:
    return [message.model_dump(mode="json") for message in messages]


def _loaded(item: Item) -> ChatMessage:
    return ChatMessage.model_validate(item)


def _plain(role: Role, words: str) -> Item:
    return ChatMessage(role=MessageRole(role), content=words).model_dump(mode="json")
