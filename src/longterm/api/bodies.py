"""Bodies: read as a whole, within a limit, and only where they say that they are JSON."""

from collections.abc import Awaitable
from email.message import Message as Mail

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.problems import problem
from longterm.api.uploads import is_upload

_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class Bodies:
    """Reads the body before a route sees the request; it is counted while it comes."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on with its body in `state`, or refuse it."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY or is_upload(scope):
            return self._app(scope, receive, send)
        return self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if _declared(headers) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            return
        if len(body) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        if body and not _is_json(headers):
            refusal = problem(415, "A body must be JSON, with Content-Type: application/json.")
            await refusal(scope, receive, send)
            return
        scope.setdefault("state", {})["body"] = body
        await self._app(scope, _once(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """All of it, or one part too many; None when the client went away."""
        parts: list[bytes] = []
        size = 0
        while size <= self._max_bytes:
            message = await receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if not message.get("more_body", False):
                break
        return b"".join(parts)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The rest of it is not read, so the connection is of no use any more.
        refusal = problem(
            413,
            f"A body may have at most {self._max_bytes:,} bytes.",
            headers={"Connection": "close"},
        )
        await refusal(scope, receive, send)


def _declared(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else 0


def _is_json(headers: Headers) -> bool:
    mail = Mail()
    mail["content-type"] = headers.get("content-type", "")
    subtype = mail.get_content_subtype()
    return mail.get_content_maintype() == "application" and (
        subtype == "json" or subtype.endswith("+json")
    )


def _once(body: bytes, receive: Receive) -> Receive:
    """Hand the body over once, and then what really comes: that the client went away."""
    waiting = [body]

    async def receive_again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receive_again
