"""Work that nobody waits for, such as counting what was used."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from longterm.errors import UnavailableError
from longterm.observe.log import get_logger

T = TypeVar("T")

_log = get_logger(__name__)


class Aside:
    """Runs small pieces of work beside the answer, and waits for them at the end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin; that the database is away is logged and no more."""
        return self._begin(_quietly(work))

    async def within(self, work: Coroutine[Any, Any, T], *, seconds: float) -> T:
        """Wait so long and no longer; then it is told to end, and raises `TimeoutError`.

        Not `asyncio.timeout`: that waits until a statement has ended, and with a server that is
        silent this takes ten seconds.
        """
        task = self._begin(work)
        task.add_done_callback(_let_go)
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
        finally:
            task.cancel()
        if not done:
            raise TimeoutError
        return task.result()

    async def finish(self) -> None:
        """Wait for what is under way."""
        if self._running:
            await asyncio.wait(set(self._running))

    async def abandon(self) -> None:
        """Stop what is under way where it stands, as a process does that dies."""
        for task in self._running:
            task.cancel()
        await self.finish()

    def _begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.create_task(work)
        # The loop itself keeps no strong reference to a task.
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task


def _let_go(task: "asyncio.Task[Any]") -> None:
    """Look at how it ended, so that nobody is told that nobody looked."""
    if not task.cancelled():
        task.exception()


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except UnavailableError as error:
        _log.warning("not counted", error=str(error))
