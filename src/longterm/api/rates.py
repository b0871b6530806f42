"""So many requests a minute and no more, for each key; counted in this process."""

import math
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from longterm.api.auth import caller_of
from longterm.api.problems import problem

_MINUTE_S = 60.0


class Rates:
    """Gives each key a bucket that holds a minute's requests and fills up evenly."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._most = per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or tell when to come again."""
        caller = caller_of(scope)
        wait_s = 0.0 if caller is None else self.take(caller.key_id)
        if wait_s == 0:
            await self._app(scope, receive, send)
            return
        refusal = problem(
            429,
            f"A key has {self._most} requests a minute.",
            headers={"Retry-After": str(math.ceil(wait_s))},
            code="too_many_requests",
        )
        await refusal(scope, receive, send)

    def take(self, key_id: str) -> float:
        """Take one request out of the bucket; else tell how long until there is one."""
        now = self._clock()
        left, at = self._buckets.get(key_id, (float(self._most), now))
        left = min(float(self._most), left + (now - at) * self._most / _MINUTE_S)
        if left < 1:
            self._buckets[key_id] = (left, now)
            return (1 - left) * _MINUTE_S / self._most
        self._buckets[key_id] = (left - 1, now)
        return 0.0
