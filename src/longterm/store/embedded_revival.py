"""A server of our own that died is started again, but not for ever: see `MOST`."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from longterm.errors import LongtermError
from longterm.observe.log import get_logger

# A server that dies again and again is broken: its log says how, and starting it hides that.
MOST = 5
WITHIN_S = 600.0

_log = get_logger(__name__)


class Revival:
    """Starts again what is gone, a few times in ten minutes at most."""

    def __init__(
        self, start: Callable[[], object], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`start` blocks; it joins a server that others started meanwhile."""
        self._start = start
        self._clock = clock
        self._attempts: deque[float] = deque()

    async def attempt(self) -> None:
        """Start it, unless that was tried too often."""
        now = self._clock()
        while self._attempts and self._attempts[0] < now - WITHIN_S:
            self._attempts.popleft()
        if len(self._attempts) >= MOST:
            return
        self._attempts.append(now)
        _log.warning("embedded database is started again", attempt=len(self._attempts), most=MOST)
        try:
            await asyncio.to_thread(self._start)
        except LongtermError as error:
            _log.error("embedded database did not start", error=str(error))
