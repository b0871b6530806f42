"""HEAD, OPTIONS, and which methods a path has."""

from collections.abc import Awaitable, Iterable, Sequence

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.problems import problem


class Methods:
    """Answers HEAD as GET without the body, and OPTIONS and wrong methods with what there is."""

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = [route for route in routes if isinstance(route, Route)]
        self._literal: dict[str, set[str]] = {}
        for route in self._routes:
            if not route.param_convertors:
                self._literal.setdefault(route.path, set()).update(route.methods or ())

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on as what it means."""
        if scope["type"] != "http":
            return self._app(scope, receive, send)
        if scope["method"] == "OPTIONS" and (allowed := self._allowed(scope["path"])):
            options = Response(status_code=204, headers={"Allow": ", ".join(allowed)})
            return options(scope, receive, send)
        if scope["method"] == "HEAD":
            return self._app({**scope, "method": "GET"}, receive, _without_body(send))
        if scope["path"] in self._literal and scope["method"] not in self._literal[scope["path"]]:
            # Else PUT …/memories/document would be told that `document` is no id of a memory.
            wrong = problem(405, f"{scope['method']} is not possible at {scope['path']}.")
            return wrong(scope, receive, self._with_allow(scope["path"], send))
        return self._app(scope, receive, self._with_allow(scope["path"], send))

    def _allowed(self, path: str) -> Sequence[str]:
        found = self._literal.get(path) or {
            method
            for route in self._routes
            if route.path_regex.match(path)
            for method in route.methods or ()
        }
        implied = {"OPTIONS", "HEAD"} if "GET" in found else {"OPTIONS"}
        return sorted(found | implied) if found else ()

    def _with_allow(self, path: str, send: Send) -> Send:
        # The framework tells the methods of one route, and a path has a route for each method.
        async def send_all(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 405:
                MutableHeaders(scope=message)["Allow"] = ", ".join(self._allowed(path))
            await send(message)

        return send_all


def _without_body(send: Send) -> Send:
    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head
