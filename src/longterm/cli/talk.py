"""A talk in the terminal: who talks, in which conversation, and what was shown last."""

from collections.abc import Iterator
from typing import TypeVar

from longterm.blocking import Tenant
from longterm.errors import MemoryNotFoundError
from longterm.records.chat import ChatEvent, ChatReply
from longterm.records.conversation import Conversation
from longterm.records.fact import Fact

T = TypeVar("T")

_LISTED = 20


class Talk:
    """One person at a terminal."""

    def __init__(self, memory: Tenant, user_id: str, *, temporary: bool = False) -> None:
        self.memory = memory
        self.user_id = user_id
        self.temporary = temporary
        self.conversation_id: str | None = None
        self.last: ChatReply | None = None
        self.facts: list[Fact] = []
        self.conversations: list[Conversation] = []

    def say(self, text: str) -> Iterator[ChatEvent]:
        """Say something, and yield what comes back."""
        self.last = None
        for event in self.memory.stream(
            self.user_id, text, conversation_id=self.conversation_id, temporary=self.temporary
        ):
            self.conversation_id = event.ids.get("conversation_id") or self.conversation_id
            if event.reply is not None:
                self.last = event.reply
            yield event

    def begin(self, *, temporary: bool = False) -> None:
        """Begin a new conversation."""
        self.temporary = temporary
        self.conversation_id = None
        if not temporary:
            self.conversation_id = self.memory.create_conversation(self.user_id).id

    def open(self, number: int) -> Conversation:
        """Go on in a conversation that was listed."""
        found = _numbered(self.conversations, number, "/conversations")
        self.temporary, self.conversation_id = False, found.id
        return found

    def list_conversations(self) -> list[Conversation]:
        """The ones used last."""
        page = self.memory.list_conversations(self.user_id, limit=_LISTED)
        self.conversations = list(page.items)
        return self.conversations

    def list_facts(self) -> list[Fact]:
        """What is known."""
        self.facts = self.memory.get_active_facts(self.user_id)
        return self.facts

    def fact(self, number: int) -> Fact:
        """A fact that was listed."""
        return _numbered(self.facts, number, "/facts")

    def said_before(self) -> list[str]:
        """What this person said last, oldest first: for the arrow keys."""
        recent = self.memory.get_recent_messages(self.user_id, 100)
        return [message.content for message in recent if message.role == "user"]


def _numbered(listed: list[T], number: int, command: str) -> T:
    if not 1 <= number <= len(listed):
        raise MemoryNotFoundError(f"There is no number {number}: {command} lists them.")
    return listed[number - 1]
