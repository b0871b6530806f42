"""A circuit breaker: what failed again and again is left alone for a while."""

import time
from collections.abc import Callable


class Breaker:
    """Open after `failures` in a row, for `open_s`; then one call may try.

    One event loop uses it, so it needs no lock.
    """

    def __init__(
        self,
        *,
        failures: int = 5,
        open_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allowed = failures
        self._open_s = open_s
        self._clock = clock
        self._failed = 0
        self._closed_at = 0.0
        self._trying = False

    def wait_s(self) -> float:
        """For how long no call may be made; 0 when one may."""
        if self._failed < self._allowed:
            return 0.0
        left = self._closed_at - self._clock()
        if left > 0:
            return left
        # While one call tries, nobody knows how long it takes: a second is a fair guess.
        return 1.0 if self._trying else 0.0

    def begin(self) -> None:
        """A call is made."""
        self._trying = self._failed >= self._allowed

    def succeed(self) -> None:
        """The vendor answered."""
        self._failed = 0
        self._trying = False

    def fail(self) -> None:
        """The vendor did not answer."""
        self._failed += 1
        self._trying = False
        if self._failed >= self._allowed:
            self._closed_at = self._clock() + self._open_s

    def abandon(self) -> None:
        """The call ended before anything was known."""
        self._trying = False
