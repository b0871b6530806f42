"""Errors beneath /v1 have OpenAI's shape, whoever found them: its clients read nothing else."""

import json
from collections.abc import Awaitable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longterm.api.auth import is_openai

AS_IT_IS = "as_it_is"
"""In the state of a request: its answer is the model's server's own, whatever it looks like."""

_PROBLEM = "application/problem+json"
# By our code, where OpenAI has another status for it, or its clients would try again in vain.
_STATUSES = {
    "budget_spent": 429,
    "halted": 403,
    "upstream_gone": 502,
    "upstream_slow": 504,
}
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}

_OFFERED = (
    "What is offered is POST /v1/chat/completions, GET /v1/models[/MODEL] and POST /v1/embeddings; "
    "applications that use /v1/responses have to be told to use chat completions."
)


class OpenAIErrors:
    """Turns problem details into OpenAI's errors."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Pass the request on, and watch what is answered."""
        if scope["type"] != "http" or not is_openai(scope["path"]):
            return self._app(scope, receive, send)
        return self._watch(scope, receive, send)

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None
        body = b""

        async def translated(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                if kind.startswith(_PROBLEM) and AS_IT_IS not in scope.get("state", {}):
                    start = message
                    return
            elif start is not None:
                body += message.get("body", b"")
                if message.get("more_body", False):
                    return
                start, message = None, await _send_start(start, body, send)
            await send(message)

        await self._app(scope, receive, translated)


async def _send_start(start: Message, body: bytes, send: Send) -> Message:
    """Begin the answer, and return its body."""
    # An answer to HEAD has none.
    problem: dict[str, Any] = json.loads(body or b"{}")
    status: int = _STATUSES.get(str(problem.get("code")), int(start["status"]))
    # OpenAI knows no 422: what is not valid is a bad request.
    status = 400 if status == 422 else status
    told = json.dumps(_error(status, problem), ensure_ascii=False).encode() if body else b""
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"] = "application/json"
    headers["content-length"] = str(len(told))
    await send({**start, "status": status, "headers": headers.raw})
    return {"type": "http.response.body", "body": told}


def _error(status: int, problem: dict[str, Any]) -> dict[str, Any]:
    usual = "server_error" if status >= 500 else "invalid_request_error"
    message = problem.get("detail") or problem.get("title")
    # Without a code it is the address that is not there.
    if status == 404 and "code" not in problem:
        message = f"{message} {_OFFERED}"
    return {
        "error": {
            "message": message,
            "type": _TYPES.get(status, usual),
            "param": None,
            "code": problem.get("code"),
        }
    }
