"""Answers that are no success, as the errors of the library."""

import re
from collections.abc import Mapping
from typing import Any, cast

import httpx

from longterm import errors
from longterm.errors import (
    ConflictError,
    InvalidInputError,
    LongtermError,
    NotAllowedError,
    SetupError,
    UnavailableError,
)

NOT_OURS = "This server does not answer as Longterm does: check its address and its version."

# Of problems whose code is not that of an error. A path that is not there is no memory that is
# not there: the address is wrong, or the server older than the client.
_STATUSES: dict[int, type[LongtermError]] = {
    400: InvalidInputError,
    401: NotAllowedError,
    403: NotAllowedError,
    404: SetupError,
    405: SetupError,
    409: ConflictError,
    413: InvalidInputError,
    415: InvalidInputError,
    421: SetupError,
    422: InvalidInputError,
    429: UnavailableError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def error_of(answer: httpx.Response) -> LongtermError:
    """Make the error that an answer tells of: by its code, else by its status."""
    problem = problem_of(answer)
    if not problem:
        return _foreign(answer)
    return error_in_words(problem, answer.status_code, retry_after_s=retry_after_s(answer))


def error_in_words(
    problem: Mapping[str, Any], status: int = 500, *, retry_after_s: float | None = None
) -> LongtermError:
    """Make the error that a problem names."""
    kind = _CODES.get(str(problem.get("code"))) or _STATUSES.get(status) or LongtermError
    detail = str(problem.get("detail") or "") or None
    if issubclass(kind, UnavailableError):
        return kind(detail, retry_after_s=retry_after_s)
    return kind(detail)


def problem_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the problem of an answer; empty where it has none."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind.strip().lower() != "application/problem+json":
        return {}
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def is_absent(answer: httpx.Response) -> bool:
    """Whether what was named is not there; a path that is not there is something else."""
    return answer.status_code == 404 and problem_of(answer).get("code") == "memory_not_found"


def retry_after_s(answer: httpx.Response) -> float | None:
    """Return how long to wait, where the answer tells."""
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isascii() and told.isdecimal() else None


def _foreign(answer: httpx.Response) -> LongtermError:
    """Make the error for an answer that Longterm did not give: of a proxy, or another server."""
    status = answer.status_code
    if answer.has_redirect_location:
        # Not followed: a POST would become a GET, and the key go to somebody else.
        where = answer.headers["location"][:200]
        return SetupError(f"The server sends elsewhere, to {where}: give that address as url.")
    if status == 429 or status > 500:
        return UnavailableError(
            f"The server, or a proxy before it, cannot answer at the moment (status {status}).",
            retry_after_s=retry_after_s(answer),
        )
    if status in (401, 403, 407):
        return NotAllowedError(f"A proxy before the server refuses this (status {status}).")
    if status in (413, 414):
        return InvalidInputError(f"This is too large for a proxy before it (status {status}).")
    return SetupError(f"{NOT_OURS[:-1]} (status {status}).")


def _code(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Error")).lower()


# The first request is still under way: that is no contradiction, and asking again helps.
_CODES: dict[str, type[LongtermError]] = {"in_progress": UnavailableError} | {
    _code(name): kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, LongtermError)
}
