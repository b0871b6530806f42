"""What a listener has not heard yet of an answer."""

import asyncio
from collections import deque

from longterm.records.chat import ChatEvent

# From here on, words that wait become one event: who listens slowly holds the words, and not
# a hundred thousand events.
_MOST_APART = 64


class Events:
    """The events of one answer, between who makes it and who listens; never more than its text."""

    def __init__(self) -> None:
        self._waiting: deque[ChatEvent] = deque()
        self._words: list[str] = []
        self._arrived = asyncio.Event()
        self._is_heard = True

    def put(self, event: ChatEvent) -> None:
        """Hand on an event; nothing is kept for somebody who left."""
        if not self._is_heard:
            return
        if event.kind == "delta" and len(self._waiting) >= _MOST_APART:
            self._words.append(event.text)
        else:
            self._join_words()
            self._waiting.append(event)
        self._arrived.set()

    async def get(self) -> ChatEvent:
        """Wait for the next event."""
        while not self._waiting and not self._words:
            self._arrived.clear()
            await self._arrived.wait()
        if not self._waiting:
            self._join_words()
        return self._waiting.popleft()

    def leave(self) -> None:
        """Listen no longer."""
        self._is_heard = False
        self._waiting.clear()
        self._words.clear()

    def _join_words(self) -> None:
        if self._words:
            self._waiting.append(ChatEvent(kind="delta", text="".join(self._words)))
            self._words.clear()
