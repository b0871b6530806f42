"""`/mcp`: the Model Context Protocol behind the same guards as everything else."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module

from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from longterm.api.auth import caller_of
from longterm.api.people import ME, USER_HEADER, Asked, in_header
from longterm.api.problems import status_of
from longterm.errors import InvalidInputError, LongtermError
from longterm.memory.tenant import Person

PATH = "/mcp"
# What scripts of web pages that speak the protocol send along.
HEADERS = (USER_HEADER, "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name")

_INVALID_REQUEST = -32600

Answer = Callable[[Person, Scope, Receive, Send], Awaitable[None]]


class Door:
    """Finds out for whom a request is, and has the protocol answer it."""

    def __init__(self) -> None:
        self._loaded: Answer | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; who can't be told for whom is told so in the protocol's own shape."""
        try:
            person = _person(Request(scope))
        except LongtermError as error:
            await _refusal(error)(scope, receive, send)
            return
        answer = self._loaded or await self._load()
        await answer(person, scope, receive, send)

    async def _load(self) -> Answer:
        # With the first request: a server without agents starts a sixth sooner.
        loaded = await asyncio.to_thread(import_module, "longterm.mcp.http")
        answer: Answer = loaded.answer
        self._loaded = answer
        return answer


def _person(request: Request) -> Person:
    named = in_header(request, USER_HEADER)
    caller = caller_of(request.scope)
    if named is None and caller is not None and caller.keyless:
        named = ME
    asked = Asked(request, named)
    if asked.id() is None:
        raise InvalidInputError(
            f"With this key, any user can be meant: name one in the header {USER_HEADER}."
        )
    return asked.of()


def _refusal(error: LongtermError) -> JSONResponse:
    told = {"code": _INVALID_REQUEST, "message": str(error)}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status_of(error))


# Without sessions there is nothing to listen to (GET) and nothing to end (DELETE).
route = Route(PATH, endpoint=Door(), methods=["POST"], name="mcp", include_in_schema=False)
