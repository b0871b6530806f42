"""Work that nobody waits for, such as counting what was used."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from longterm.errors import UnavailableError
from longterm.observe.log import get_logger

_log = get_logger(__name__)


class Aside:
    """Runs small pieces of work beside the answer, and waits for them at the end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin; that the database is away is logged and no more."""
        task = asyncio.create_task(_quietly(work))
        # The loop itself keeps no strong reference to a task.
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def finish(self) -> None:
        """Wait for what is under way."""
        if self._running:
            await asyncio.wait(set(self._running))

    async def abandon(self) -> None:
        """Stop what is under way where it stands, as a process does that dies."""
        for task in self._running:
            task.cancel()
        await self.finish()


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except UnavailableError as error:
        _log.warning("not counted", error=str(error))
