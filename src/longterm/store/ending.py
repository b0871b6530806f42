"""Ending what runs beside and talks to the database."""

import asyncio

_AGAIN_S = 0.2


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel a task, and wait until it has ended.

    Again and again: who is just being given a connection may miss that it is cancelled. The pool
    waits with `wait_for`, which before Python 3.12 takes what comes at that moment.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_AGAIN_S)
