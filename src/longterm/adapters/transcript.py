"""A conversation as the list of items that a framework takes it for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from longterm.errors import MemoryNotFoundError
from longterm.library import AsyncTenant
from longterm.records.ids import named_id
from longterm.records.message import Message, Role

# As many as `add_messages` and `get_messages` take at a time.
_PAGE = 1000

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a framework, as JSON, with the words in it and whose they are.

    Only what the user said has the role `user`: facts are learned from that.
    """

    role: Role
    words: str
    item: Item


class Transcript:
    """Keeps items as messages of one conversation, and gives them back unchanged.

    The words are the content of the message, so they are found and learned from; the item is in
    its `custom_payload`, beneath the name of the framework. Messages that came through another
    door are made into items by `plain`.
    """

    def __init__(
        self,
        tenant: AsyncTenant,
        user_id: str,
        session_id: str,
        *,
        framework: str,
        plain: Callable[[Role, str], Item],
    ) -> None:
        self._tenant = tenant
        self._user_id = user_id
        self._framework = framework
        self._plain = plain
        self.conversation_id = named_id(user_id, session_id)

    async def items(self, limit: int | None = None) -> list[Item]:
        """All items in their order, or the newest ones of them."""
        return [self._item(message) for message in await self._messages(limit)]

    async def add(self, entries: Sequence[Entry]) -> None:
        """Append items; the conversation is made by its first ones."""
        messages = [self._message(entry) for entry in entries]
        for start in range(0, len(messages), _PAGE):
            await self._append(messages[start : start + _PAGE])

    async def pop(self) -> Item | None:
        """Remove the newest item and return it."""
        for message in await self._messages(1):
            await self._tenant.delete_message(message.id)
            return self._item(message)
        return None

    async def clear(self) -> None:
        """Delete the conversation with its messages; facts that rest on it alone end."""
        await self._tenant.delete_conversation(self._user_id, self.conversation_id)

    async def _messages(self, limit: int | None) -> list[Message]:
        found: list[Message] = []
        before: str | None = None
        while limit is None or len(found) < limit:
            wanted = _PAGE if limit is None else min(_PAGE, limit - len(found))
            try:
                page = await self._tenant.get_messages(self.conversation_id, wanted, before)
            except MemoryNotFoundError:
                return []
            found = [*page.items, *found]
            before = page.next_cursor
            if before is None:
                break
        # Whoever names the id of another user's conversation finds nothing in it.
        return [message for message in found if message.user_id == self._user_id]

    async def _append(self, messages: list[dict[str, Any]]) -> None:
        try:
            await self._tenant.add_messages(self._user_id, self.conversation_id, messages)
        except MemoryNotFoundError:
            await self._tenant.create_conversation(
                self._user_id, conversation_id=self.conversation_id
            )
            await self._tenant.add_messages(self._user_id, self.conversation_id, messages)

    def _message(self, entry: Entry) -> dict[str, Any]:
        message: dict[str, Any] = {"role": entry.role, "content": entry.words}
        if not entry.words.strip():
            # Words may be missing only where tools are called.
            message |= {"content": "", "tool_calls": []}
        if entry.item != self._plain(entry.role, entry.words):
            message["custom_payload"] = {self._framework: entry.item}
        return message

    def _item(self, message: Message) -> Item:
        kept = message.custom_payload
        if isinstance(kept, dict) and self._framework in kept:
            return cast("Item", kept[self._framework])
        return self._plain(message.role, message.content)
