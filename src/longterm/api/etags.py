"""ETags: who has an answer already is told that it still holds, and not all of it again."""

import hashlib

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CACHED = (
    "/api/changes",
    "/api/conversations",
    "/api/memories/document",
    "/api/templates",
    "/api/tools/",
)

_OF_BODY = (b"content-length", b"content-type")
# Asked again each time, so that it need not vary by who asks: another one's answer has another tag.
_KEPT = (b"cache-control", b"private, no-cache")


class ETags:
    """Marks answers that can be kept with a hash of what they say."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and compare."""
        if not is_cached(scope.get("method", ""), scope.get("path", "")):
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        await self._app(scope, receive, hold)
        for message in _compared(held, Headers(scope=scope).get("if-none-match")):
            await send(message)


def is_cached(method: str, path: str) -> bool:
    """Whether the answer to this can be kept by whoever asked."""
    return method == "GET" and path.startswith(CACHED)


def _compared(held: list[Message], known: str | None) -> list[Message]:
    if not held or held[0].get("status") != 200:
        return held
    body = b"".join([message.get("body", b"") for message in held[1:]])
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = [*held[0]["headers"], (b"etag", tag.encode()), _KEPT]
    if not matches(tag, known):
        return [{**held[0], "headers": headers}, *held[1:]]
    headers = [header for header in headers if header[0] not in _OF_BODY]
    start: Message = {"type": "http.response.start", "status": 304, "headers": headers}
    return [start, {"type": "http.response.body", "body": b""}]


def matches(tag: str, known: str | None) -> bool:
    """Whether an answer with this tag is at hand, by `If-None-Match`."""
    if known is None:
        return False
    tags = {one.strip().removeprefix("W/") for one in known.split(",")}
    return tag in tags or "*" in tags
