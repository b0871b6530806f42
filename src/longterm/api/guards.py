"""What stands between the network and the routes, as plain ASGI.

Those that mostly pass on return what is awaited: one coroutine less beneath every request.
"""

from collections.abc import Awaitable, Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import caller_of
from longterm.api.problems import answer, problem
from longterm.errors import LongtermError
from longterm.observe.log import get_logger, last_frames

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_MOST_HEADERS = 200
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

_log = get_logger(__name__)


class KnownHosts:
    """Answers only to names of this machine.

    A web page can make its own name mean 127.0.0.1 and read what listens there; its requests
    then carry that name (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or _name(Headers(scope=scope)) in self._names:
            return self._app(scope, receive, send)
        names = ", ".join(sorted(self._names))
        refusal = problem(421, f"This server answers only to these hosts: {names}.")
        return refusal(scope, receive, send)


def _name(headers: Headers) -> str:
    host = headers.get("host", "").lower()
    end = host.find("]") + 1 if host.startswith("[") else host.find(":")
    return host[:end] if end > 0 else host


class ShortHeads:
    """Refuses a request with more headers than anybody has a use for.

    Their bytes are limited below us, but only where they come in pieces.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or len(scope["headers"]) <= _MOST_HEADERS:
            return self._app(scope, receive, send)
        detail = f"A request may have at most {_MOST_HEADERS} headers."
        return problem(431, detail, headers={"Connection": "close"})(scope, receive, send)


class SafeHeaders:
    """Tells browsers to allow nothing that an answer does not allow itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers that the answer has not."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in _HEADERS if header[0] not in told),
                ]
            await send(message)

        await self._app(scope, receive, send_safely)


class LastResort:
    """Turns what nobody expected into a plain answer, and into a log entry without its text."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the caller learns nothing about the inside."""
        started = False

        async def send_watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        except LongtermError as error:
            # Raised before a route was reached: who it is could not be found out, for example.
            if not started:
                await answer(error)(scope, receive, send)
        except Exception as error:  # noqa: BLE001
            # The boundary of a request. The text of a foreign error may quote what a user said.
            caller = caller_of(scope)
            _log.error(
                "request failed",
                tenant=caller and caller.tenant_id,
                user=caller and caller.user_id,
                operation=getattr(scope.get("endpoint"), "__name__", None),
                path=scope.get("path"),
                error=type(error).__name__,
                where=last_frames(error),
            )
            if not started:
                await problem(500, "Something unexpected went wrong here.")(scope, receive, send)
