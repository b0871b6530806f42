"""An embedded server that is gone is started again, for as long as it takes."""

import asyncio
import time
from collections.abc import Callable

from longterm.errors import DatabaseGoneError, LongtermError
from longterm.observe.log import get_logger

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 4.0

_log = get_logger(__name__)


class Revival:
    """Starts a server again; after each failure it pauses twice as long, up to a limit."""

    def __init__(
        self, start: Callable[[], object], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`start` blocks; it joins a server that others started meanwhile."""
        self._start = start
        self._clock = clock
        self._pause_s = 0.0
        self._next_at = 0.0
        self._error: LongtermError | None = None

    async def attempt(self) -> DatabaseGoneError | None:
        """Start the server unless the last failure is too recent; returns why it is still gone."""
        if self._clock() >= self._next_at:
            await self._start_again()
        if isinstance(self._error, DatabaseGoneError):
            return self._error
        return None if self._error is None else DatabaseGoneError()

    async def _start_again(self) -> None:
        try:
            await asyncio.to_thread(self._start)
        except LongtermError as error:
            if str(error) != str(self._error):
                _log.error("embedded database did not start", error=str(error))
            self._error = error
            self._pause_s = min(max(2 * self._pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
            self._next_at = self._clock() + self._pause_s
        else:
            _log.warning("embedded database is back")
            self._error, self._pause_s = None, 0.0
