"""Every request has an id: in the answer, in each problem, and in what is logged meanwhile."""

import os
import re
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.problems import request_id
from longterm.observe import log

_NAME = "X-Request-Id"
# What could break a log line, or fill it, is not taken over.
_SANE = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class RequestIds:
    """Takes over the id that a request comes with, or makes one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and send its id back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["began"] = time.monotonic()
        given = Headers(scope=scope).get(_NAME, "")
        chosen = given if _SANE.fullmatch(given) else os.urandom(16).hex()

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                # An answer that is passed on has the id that its server gave it.
                MutableHeaders(scope=message).setdefault(_NAME, chosen)
            await send(message)

        before, bound = request_id.set(chosen), log.bind(request_id=chosen)
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            log.unbind(bound)
            request_id.reset(before)
