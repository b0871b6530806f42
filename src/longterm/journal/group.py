"""The journal for an event loop: appends that wait at the same time share one sync."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from longterm.journal.journal import Journal
from longterm.journal.record import Body, Record
from longterm.journal.replay import Apply, ReplayReport
from longterm.journal.threads import in_thread

# A batch of more would make a segment much larger than it should be.
MAX_BATCH_BYTES = 1024 * 1024

_Waiting = tuple[Body, asyncio.Future[str]]


class AsyncJournal:
    """A journal whose blocking parts run in threads; belongs to one event loop."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: deque[_Waiting] = deque()
        self._writing: asyncio.Task[None] | None = None
        # One of its own: during an outage the shared threads wait for a database that is away.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")

    async def append(self, record: Mapping[str, Any]) -> str:
        """Keep a record and return its id; it is on disk when this returns."""
        body = self._journal.check(record)
        kept: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((body, kept))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await kept

    async def pending(self) -> int:
        """How many records wait to be written back."""
        return await in_thread(self._journal.pending)

    async def waits(self, stream: str) -> bool:
        """Whether something of this stream waits to be written back."""
        return await in_thread(self._journal.waits, stream)

    async def bytes(self) -> int:
        """How much room the segments take on disk."""
        return await in_thread(self._journal.bytes)

    async def is_full(self) -> bool:
        """Whether not even the smallest record would be taken."""
        return await in_thread(lambda: self._journal.is_full)

    async def replay(self, apply: Apply) -> ReplayReport:
        """Write back what is there; see `Journal.replay`."""
        return await self._journal.replay(apply)

    async def forget(self, belongs: Callable[[Record], bool]) -> int:
        """Delete the records that belong to somebody; see `Journal.forget`."""
        return await in_thread(self._journal.forget, belongs)

    async def close(self) -> None:
        """Wait for the appends under way, and end the thread."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
        self._thread.shutdown(wait=False)

    async def _write(self) -> None:
        try:
            while batch := self._next_batch():
                await self._keep(batch)
        finally:
            self._writing = None

    def _next_batch(self) -> list[_Waiting]:
        """Who waits, in the order they came; those who went away before are left out."""
        batch: list[_Waiting] = []
        size = 0
        while self._waiting and (not batch or size < MAX_BATCH_BYTES):
            body, kept = self._waiting.popleft()
            if not kept.done():
                batch.append((body, kept))
                size += len(body)
        return batch

    async def _keep(self, batch: list[_Waiting]) -> None:
        loop = asyncio.get_running_loop()
        bodies = [body for body, _ in batch]
        try:
            answers = await loop.run_in_executor(self._thread, self._answers, bodies)
        except asyncio.CancelledError:
            for _, kept in batch:
                kept.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - a boundary: those who wait must hear of it
            answers = [error] * len(batch)
        for (_, kept), answer in zip(batch, answers, strict=True):
            if kept.done():
                continue
            if isinstance(answer, str):
                kept.set_result(answer)
            else:
                kept.set_exception(answer)

    def _answers(self, bodies: list[Body]) -> list[str | Exception]:
        """An id for everybody whose record fits, and a refusal for the others."""
        ids = self._journal.append_all(bodies)
        refused = len(bodies) - len(ids)
        return [*ids, *([self._journal.full()] * refused if refused else [])]
