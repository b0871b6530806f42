"""OpenAI Agents: a session over a conversation."""

from typing import Any, cast

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.extras import missing
from longterm.adapters.transcript import Entry, Item, Transcript
from longterm.records.message import Role

try:
    from agents import TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import SessionSettings, resolve_session_limit
except ModuleNotFoundError as error:
    raise missing("the OpenAI Agents SDK", "openai-agents") from error


class LongtermSession(SessionABC):
    """The items of one conversation of a user; `session_id` is its id, or any name."""

    def __init__(
        self,
        tenant: AnyTenant,
        user_id: str,
        session_id: str,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._calls = Calls(tenant)
        self._transcript = Transcript(
            self._calls.tenant, user_id, session_id, framework="openai-agents", plain=_plain
        )

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """All items in their order, or the newest ones of them."""
        wanted = resolve_session_limit(limit, self.session_settings)
        items = await self._calls.run(self._transcript.items, wanted)
        return cast("list[TResponseInputItem]", items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items."""
        entries = [_entry(cast("Item", item)) for item in items]
        await self._calls.run(self._transcript.add, entries)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it."""
        return cast("TResponseInputItem | None", await self._calls.run(self._transcript.pop))

    async def clear_session(self) -> None:
        """Delete the conversation."""
        await self._calls.run(self._transcript.clear)


def _entry(item: Item) -> Entry:
    words = _words(item.get("content") or item.get("output"))
    return Entry("user" if item.get("role") == "user" else "assistant", words, dict(item))


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [cast("Item", part).get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _plain(role: Role, words: str) -> Item:
    return {"role": role, "content": words}
