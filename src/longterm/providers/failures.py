"""What went wrong with a vendor, said without the key, the prompt or the vendor's own words.

Vendors repeat what they were sent: a wrong key stands in OpenAI's 401, a refused message in its 400.
So nothing of theirs is kept but the status and how long to wait.
"""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from longterm.errors import ModelGoneError, ModelRefusedError

_LATER = {408, 409, 429}

_MEANING = {
    400: "it cannot use the request",
    401: "it does not accept the key",
    403: "the key may not use this model",
    404: "there is no such model at this address",
    408: "it took too long",
    413: "the request is too large",
    422: "it cannot use the request",
    429: "too many requests",
}


def from_status(
    name: str, status: int, *, retry_after_s: float | None = None
) -> ModelGoneError | ModelRefusedError:
    """The error that an HTTP status stands for."""
    meaning = _MEANING.get(status)
    message = f"{name} answered with status {status}" + (f": {meaning}." if meaning else ".")
    if status not in _LATER and status < 500:
        return ModelRefusedError(message)
    return ModelGoneError(message, retry_after_s=retry_after_s)


class TooSlowError(ModelGoneError):
    """The model did not answer in time."""


def too_slow(name: str) -> TooSlowError:
    """The error for a vendor that did not answer in time."""
    return TooSlowError(f"{name} did not answer in time.")


def no_connection(name: str) -> ModelGoneError:
    """The error for a connection that could not be made, or that broke."""
    return ModelGoneError(f"The connection to {name} failed or broke off.")


def not_understood(name: str, why: str) -> ModelGoneError:
    """The error for an answer that is not of the form that the vendor promises."""
    return ModelGoneError(f"{name} sent an answer that cannot be read ({why}).")


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long a vendor asks to wait; its `Retry-After` is seconds or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
