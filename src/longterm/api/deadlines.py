"""No request hangs: its answer begins in time, or says that it does not."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import is_openai
from longterm.api.problems import unavailable
from longterm.api.uploads import is_upload


class Deadlines:
    """Ends what takes too long; an answer that has begun may take its time, and so may a file."""

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
        waits_for_file = is_upload(scope)

        async def send_in_time(message: Message) -> None:
            nonlocal waits_for_file
            waits_for_file = False
            if deadline.when() is not None:
                deadline.reschedule(None)
            await send(message)

        async def receive_in_time() -> Message:
            message = await receive()
            if waits_for_file:
                deadline.reschedule(asyncio.get_running_loop().time() + self._seconds)
            return message

        try:
            async with deadline:
                await self._app(scope, receive_in_time, send_in_time)
        except TimeoutError:
            if not deadline.expired():
                raise
            late = unavailable(f"This took longer than {self._seconds:g} seconds.", code="too_slow")
            await late(scope, receive, send)
