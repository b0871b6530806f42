"""Other web sites get no answer: a browser would send their requests to this machine, too."""

from collections.abc import Awaitable, Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from longterm.api.problems import problem


class Origins:
    """Refuses what a page of another origin asks for, unless that origin is allowed."""

    def __init__(self, app: ASGIApp, *, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(origin.lower().rstrip("/") for origin in allowed)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or self._is_ours(scope, Headers(scope=scope)):
            return self._app(scope, receive, send)
        refusal = problem(403, "This server does not answer to pages of other web sites.")
        return refusal(scope, receive, send)

    def _is_ours(self, scope: Scope, headers: Headers) -> bool:
        origins = headers.getlist("origin")
        if origins:
            return all(self._is_known(origin, headers) for origin in origins)
        if headers.get("sec-fetch-site", "").lower() != "cross-site":
            return True
        # Somebody who follows a link to the page is welcome; the other site sees nothing of it.
        return (
            headers.get("sec-fetch-mode") == "navigate"
            and scope["method"] == "GET"
            and not scope["path"].startswith("/api/")
        )

    def _is_known(self, origin: str, headers: Headers) -> bool:
        origin = origin.lower()
        if origin in self._allowed:
            return True
        try:
            split = urlsplit(origin)
        except ValueError:
            return False
        return split.scheme in ("http", "https") and _place(split.netloc, split.scheme) == _place(
            headers.get("host", "").lower(), split.scheme
        )


def _place(netloc: str, scheme: str) -> str:
    # A browser leaves the port out where it is the usual one.
    return netloc.removesuffix(":443" if scheme == "https" else ":80")
