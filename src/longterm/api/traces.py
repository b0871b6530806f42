"""Every request belongs to a trace: the one of its `traceparent`, or one that begins here."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import is_public
from longterm.api.process import Process
from longterm.observe import trace, tracing


class Traces:
    """Takes over the trace that a request comes with, or begins one."""

    def __init__(self, app: ASGIApp, *, process: Process) -> None:
        self._app = app
        self._runtime = process.runtime

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on inside its trace."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Who looks every few seconds whether we are well would fill the collector.
        tracer = tracing.OFF if is_public(scope["path"]) else self._runtime.tracer
        parent = trace.read(Headers(scope=scope).get(trace.HEADER))
        if tracer is tracing.OFF:
            before = trace.enter(parent or trace.new())
            try:
                await self._app(scope, receive, send)
            finally:
                trace.leave(before)
            return
        with tracer.begin(scope["method"], parent, kind="server") as step:

            async def send_watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    step.note({"http.response.status_code": message["status"]})
                await send(message)

            await self._app(scope, receive, send_watched)
            step.note({"http.request.method": scope["method"]}, name=_name(scope))


def _name(scope: Mapping[str, Any]) -> str:
    """The route and not the path, which may name a user."""
    route = getattr(scope.get("route"), "path", "")
    return f"{scope['method']} {route}".strip()
