"""Answers that are no success, as the errors of the library."""

import re
from typing import Any, cast

import httpx

from longterm import errors
from longterm.errors import (
    ConflictError,
    InvalidInputError,
    LongtermError,
    MemoryNotFoundError,
    NotAllowedError,
    SetupError,
    UnavailableError,
)

NOT_OURS = "This server does not answer as Longterm does: check its address and its version."

_STATUSES: dict[int, type[LongtermError]] = {
    400: InvalidInputError,
    401: NotAllowedError,
    403: NotAllowedError,
    404: MemoryNotFoundError,
    409: ConflictError,
    413: InvalidInputError,
    415: InvalidInputError,
    422: InvalidInputError,
    429: UnavailableError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def error_of(answer: httpx.Response) -> LongtermError:
    """Make the error that an answer tells of: by its code, else by its status."""
    problem = problem_of(answer)
    kind = _CODES.get(str(problem.get("code"))) or _STATUSES.get(answer.status_code)
    if not problem and kind is not UnavailableError:
        return SetupError(NOT_OURS)
    detail = str(problem.get("detail") or "") or None
    if kind is not None and issubclass(kind, UnavailableError):
        return kind(detail, retry_after_s=retry_after_s(answer))
    return (kind or LongtermError)(detail)


def problem_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the problem of an answer; empty where it has none."""
    if answer.headers.get("content-type") != "application/problem+json":
        return {}
    try:
        found = answer.json()
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def is_absent(answer: httpx.Response) -> bool:
    """Whether what was named is not there; a path that is not there is something else."""
    return answer.status_code == 404 and problem_of(answer).get("code") == "memory_not_found"


def retry_after_s(answer: httpx.Response) -> float | None:
    """Return how long to wait, where the answer tells."""
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isascii() and told.isdecimal() else None


def _code(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Error")).lower()


# The first request is still under way: that is no contradiction, and asking again helps.
_CODES: dict[str, type[LongtermError]] = {"in_progress": UnavailableError} | {
    _code(name): kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, LongtermError)
}
