"""Ending what runs beside and talks to the database."""

import asyncio

_AGAIN_S = 0.2


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel a task, and wait until it has ended.

    Again and again: who is just being answered, or given a connection, may miss that it is
    cancelled. The driver waits with `wait_for`, which takes the answer then, before Python 3.12.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_AGAIN_S)
