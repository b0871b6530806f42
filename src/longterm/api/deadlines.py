"""No request hangs: its answer begins in time, or says that it does not."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import is_openai
from longterm.api.problems import unavailable


class Deadlines:
    """Ends what takes too long; an answer that has begun may take its time."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and watch the clock."""
        # A model may think for minutes; who passes its answer on has a time limit of its own.
        if scope["type"] != "http" or is_openai(scope["path"]):
            await self._app(scope, receive, send)
            return
        deadline = asyncio.timeout(self._seconds)

        async def send_in_time(message: Message) -> None:
            if deadline.when() is not None:
                deadline.reschedule(None)
            await send(message)

        try:
            async with deadline:
                await self._app(scope, receive, send_in_time)
        except TimeoutError:
            if not deadline.expired():
                raise
            late = unavailable(f"This took longer than {self._seconds:g} seconds.", code="too_slow")
            await late(scope, receive, send)
