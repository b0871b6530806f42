"""LangChain: a chat history over a conversation."""

from collections.abc import Sequence

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.extras import missing
from longterm.adapters.transcript import Entry, Item, Transcript
from longterm.records.message import Role

try:
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        HumanMessage,
        message_to_dict,
        messages_from_dict,
    )
except ModuleNotFoundError as error:
    raise missing("LangChain", "langchain") from error


class LongtermChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation of a user; `session_id` is its id, or any name."""

    def __init__(self, tenant: AnyTenant, user_id: str, session_id: str) -> None:
        super().__init__()
        self._calls = Calls(tenant)
        self._transcript = Transcript(
            self._calls.tenant, user_id, session_id, framework="langchain", plain=_plain
        )

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Every message, oldest first."""
        return messages_from_dict(self._calls.wait(self._transcript.items))

    async def aget_messages(self) -> list[BaseMessage]:
        """Every message, oldest first."""
        return messages_from_dict(await self._calls.run(self._transcript.items))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        self._calls.wait(self._transcript.add, _entries(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        await self._calls.run(self._transcript.add, _entries(messages))

    def clear(self) -> None:
        """Delete the conversation."""
        self._calls.wait(self._transcript.clear)

    async def aclear(self) -> None:
        """Delete the conversation."""
        await self._calls.run(self._transcript.clear)


def _entries(messages: Sequence[BaseMessage]) -> list[Entry]:
    return [
        Entry(
            "user" if isinstance(message, HumanMessage) else "assistant",
            str(message.text),
            message_to_dict(message),
        )
        for message in messages
    ]


def _plain(role: Role, words: str) -> Item:
    return message_to_dict(
        HumanMessage(content=words) if role == "user" else AIMessage(content=words)
    )
