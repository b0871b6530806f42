"""How a program of ours ends: the first signal asks, the second insists, the third ends it."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

# SIGHUP is what a closed terminal sends: the embedded database should not outlive it.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_until_told(work: Coroutine[Any, Any, None]) -> None:
    """Run `work`; a signal cancels it, so that it gives everything back.

    Raises KeyboardInterrupt after Ctrl-C; another signal was obeyed, which is no failure.
    """
    heard = asyncio.run(_listening(work))
    if signal.SIGINT in heard:
        raise KeyboardInterrupt


@asynccontextmanager
async def beside(
    work: Coroutine[Any, Any, None], *, stop: Callable[[], None]
) -> AsyncGenerator[asyncio.Task[None]]:
    """Run `work` while inside; at the end ask it to stop, and wait until it did."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        stop()
        # Not shielded: whoever is told a second time to stop does not wait any longer.
        await task


async def _listening(work: Coroutine[Any, Any, None]) -> list[int]:
    heard: list[int] = []
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(work)

    def hear(number: int) -> None:
        heard.append(number)
        if len(heard) > 2:
            os._exit(128 + number)
        task.cancel()

    # What is ignored stays so: nohup, and a shell that starts us in the background, want that.
    wanted = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in wanted:
        loop.add_signal_handler(number, hear, number)
    try:
        await task
    except asyncio.CancelledError:
        if not heard:
            raise
    finally:
        for number in wanted:
            loop.remove_signal_handler(number)
    return heard
