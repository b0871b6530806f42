"""The text of a URL: UTF-8 without NUL, or the request is refused."""

from collections.abc import Awaitable
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from longterm.api.problems import problem


class UrlText:
    """Refuses a path or query that is not UTF-8, before anybody reads it with replacements.

    Two ids that differ only in bytes that are not UTF-8 would be one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or _is_text(scope):
            return self._app(scope, receive, send)
        refusal = problem(
            400, "The path and the query of a URL must be UTF-8, without NUL.", code="malformed"
        )
        return refusal(scope, receive, send)


def _is_text(scope: Scope) -> bool:
    url: bytes = (scope.get("raw_path") or b"") + b"?" + scope["query_string"]
    # Most have nothing to decode.
    if b"%" not in url and url.isascii():
        return b"\x00" not in url
    try:
        return "\x00" not in unquote_to_bytes(url).decode()
    except UnicodeDecodeError:
        return False
