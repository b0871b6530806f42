"""Blocking work beside the event loop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run in a thread, and wait for its end even when cancelled.

    A thread cannot be stopped: its caller must not free a lock while it still works under it.
    """
    # A future and no task: every chat asks the journal.
    context = copy_context()
    running = asyncio.get_running_loop().run_in_executor(
        None, lambda: context.run(work, *args, **kwargs)
    )
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        raise
