"""Errors as RFC 9457 problem details; their HTTP statuses are one table."""

import math
import re
from collections.abc import Mapping
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from longterm.errors import (
    ClosedError,
    ConflictError,
    HaltedError,
    InvalidInputError,
    LongtermError,
    MemoryNotFoundError,
    NotAllowedError,
    TemplateError,
    UnavailableError,
)

# Looked up along the class hierarchy: a new error has the status of the one it derives from.
STATUSES: dict[type[Exception], int] = {
    InvalidInputError: 422,
    TemplateError: 422,
    MemoryNotFoundError: 404,
    ConflictError: 409,
    HaltedError: 409,
    NotAllowedError: 403,
    UnavailableError: 503,
    ClosedError: 503,
    LongtermError: 500,
}
_RETRY_AFTER_S = 1.0

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request under way; every problem tells it."""


def install(app: FastAPI) -> None:
    """Answer every error of `app` with a problem."""
    app.exception_handler(LongtermError)(_longterm_error)
    app.exception_handler(RequestValidationError)(_invalid_request)
    app.exception_handler(HTTPException)(_http_error)


def problem(
    status: int,
    detail: str | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Response:
    """Make the answer for one error; `more` are members of its own."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
    }
    if detail is not None:
        body["detail"] = detail
    if (current := request_id.get()) is not None:
        body["request_id"] = current
    return JSONResponse(
        {**body, **more}, status, headers=headers, media_type="application/problem+json"
    )


def status_of(error: LongtermError) -> int:
    """Return the status of the nearest class that has one."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def unavailable(detail: str, *, retry_after_s: float | None = None, **more: object) -> Response:
    """Make the answer for a service that should be asked again soon."""
    seconds = math.ceil(retry_after_s or _RETRY_AFTER_S)
    return problem(503, detail, headers={"Retry-After": str(seconds)}, **more)


def answer(error: LongtermError) -> Response:
    """Make the answer for an error of ours."""
    code = code_of(error)
    if isinstance(error, UnavailableError):
        return unavailable(str(error), retry_after_s=error.retry_after_s, code=code)
    if isinstance(error, ClosedError):
        return unavailable("This server is stopping; try again shortly.", code="unavailable")
    return problem(status_of(error), str(error), code=code)


async def _longterm_error(_: Request, error: LongtermError) -> Response:
    return answer(error)


async def _invalid_request(_: Request, error: RequestValidationError) -> Response:
    # Where and why, but not what was sent: an answer does not repeat what may be a secret.
    found = error.errors()
    if found and found[0]["type"] == "json_invalid":
        return problem(400, "The body is not JSON.", code="malformed")
    errors = [
        {"where": ".".join(_step(step) for step in each["loc"]), "what": each["msg"]}
        for each in found
    ]
    return problem(422, _in_words(errors), code="invalid_request", errors=errors)


def _step(step: object) -> str:
    # A name that the caller made up may be half of a character pair, which no answer can hold.
    return str(step).encode(errors="replace").decode()[:100]


def _in_words(errors: list[dict[str, str]]) -> str:
    where, what = (errors[0]["where"], errors[0]["what"]) if errors else ("", "")
    return f"The request is not valid: {where}: {what}." if where else "The request is not valid."


async def _http_error(request: Request, error: HTTPException) -> Response:
    details = {
        400: "The body is not JSON.",
        404: f"There is nothing at {request.url.path}.",
        405: f"{request.method} is not possible at {request.url.path}.",
    }
    detail = details.get(error.status_code, error.detail)
    return problem(error.status_code, detail, headers=error.headers)


def code_of(error: LongtermError) -> str:
    """Return the name of an error for programs."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
