"""A worker that ends on an error is started again, after a pause that grows."""

import asyncio
import contextlib
from collections.abc import Callable

from longterm.observe import log
from longterm.worker.loop import Worker

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0

_log = log.get_logger(__name__)


class LastingWorker:
    """Keeps a worker at work, whatever it ends on, until it is told to stop."""

    def __init__(self, make: Callable[[], Worker]) -> None:
        self._make = make
        self._worker: Worker | None = None
        self._stopped = asyncio.Event()
        self.is_at_work = False

    async def run(self) -> None:
        """Work until `stop`."""
        clock = asyncio.get_running_loop().time
        pause_s = FIRST_PAUSE_S
        while not self._stopped.is_set():
            begun = clock()
            if await self._ended_well():
                return
            if clock() - begun > LONGEST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._stopped.wait()
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def stop(self) -> None:
        """Take no more jobs, and let the ones under way come to their end."""
        self._stopped.set()
        if self._worker is not None:
            self._worker.stop()

    async def _ended_well(self) -> bool:
        self._worker = self._make()
        self.is_at_work = True
        try:
            await self._worker.run()
        except Exception as error:  # noqa: BLE001
            # The boundary of a worker: what it is will not go away by doing no work at all.
            # Its text is left out, because that of a foreign error may quote what a user said.
            _log.error("worker ended, and is started again", error=type(error).__name__)
            await self._worker.finish()
            return False
        finally:
            self.is_at_work = False
        return True
