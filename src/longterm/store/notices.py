"""What one process tells all others through the database: that there is more to read."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg

from longterm.postgres.pool import Database
from longterm.postgres.transaction import Conn
from longterm.store.ending import ended

CHANNEL = "longterm_answers"

NOTIFY = f"SELECT pg_notify('{CHANNEL}', %(topic)s)"
LISTEN = f"LISTEN {CHANNEL}"

# How often somebody looks who is told, in case a notice was lost, and somebody who is not told:
# through a pooler that shares connections nobody can listen.
_TOLD_LOOK_EVERY_S = 2.0
_LOOK_EVERY_S = 0.2


async def tell(conn: Conn, topic: str) -> None:
    """Wake who waits for news of a topic, in any process, once this transaction is committed."""
    await conn.value(NOTIFY, topic=topic)


class News:
    """News of one topic."""

    def __init__(self, notices: "Notices") -> None:
        self._notices = notices
        self._come = asyncio.Event()

    def come(self) -> None:
        """Let who waits go on."""
        self._come.set()

    async def wait(self) -> None:
        """Wait for news since the last wait, or until it is time to look without any."""
        every = _TOLD_LOOK_EVERY_S if self._notices.are_heard else _LOOK_EVERY_S
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(every):
                await self._come.wait()
        self._come.clear()


class Notices:
    """Listens on one connection of its own, for as long as somebody waits for something."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[str, set[News]] = {}
        self._listening: asyncio.Task[None] | None = None
        self.are_heard = False

    @asynccontextmanager
    async def about(self, topic: str) -> AsyncGenerator[News]:
        """Wait for news of a topic while inside."""
        news = News(self)
        self._waiting.setdefault(topic, set()).add(news)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        try:
            yield news
        finally:
            self._waiting[topic].discard(news)
            if not self._waiting[topic]:
                del self._waiting[topic]
            if not self._waiting:
                await self.close()

    async def close(self) -> None:
        """Listen no longer."""
        listening, self._listening = self._listening, None
        if listening is not None:
            await ended(listening)

    async def _listen(self) -> None:
        try:
            async with self._database.direct_connection() as raw:
                await raw.execute(LISTEN)
                self.are_heard = True
                # What was told before is not told again: everybody looks once.
                self._wake_all()
                async for notice in raw.notifies():
                    self._wake(notice.payload)
        except psycopg.Error:
            # Who waits looks oftener from now on; the next who comes tries to listen again.
            return
        finally:
            self.are_heard = False
            self._wake_all()

    def _wake_all(self) -> None:
        for topic in self._waiting:
            self._wake(topic)

    def _wake(self, topic: str) -> None:
        for news in self._waiting.get(topic, ()):
            news.come()
