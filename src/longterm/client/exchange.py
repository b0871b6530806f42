"""One request with its repetitions, without any I/O: the clients do what it asks for."""

import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlencode

import httpx

from longterm.client import problems
from longterm.client.events import Events
from longterm.client.request import Request, checked_user, given, plain
from longterm.errors import InvalidInputError, NotAllowedError, SetupError, UnavailableError
from longterm.records.ids import new_id

T = TypeVar("T")

# Longer than the server's own, so that it is the server who tells what took so long.
TIMEOUT_S = 100.0

# It was surely not done: nothing was sent, or it was refused for now.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_REFUSED = (429, 503)
_GATEWAYS = (502, 504)
# Waiting does not help here.
_LASTING = ("model_refused", "budget_spent")
_SHORTEST_S = 0.2
_LONGEST_S = 10.0
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Asks to send this, and for its answer or what went wrong on the way."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Pause:
    """Asks to wait for some seconds."""

    seconds: float


Outcome: TypeAlias = httpx.Response | httpx.RequestError
Steps: TypeAlias = Generator[Send | Pause, Outcome | None, T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server, and who asks there: with which key, in which tenant, for which user."""

    url: str
    key: str | None
    tenant: int | None
    user_id: str | None
    attempts: int

    def __post_init__(self) -> None:
        try:
            address = httpx.URL(self.url)
        except (httpx.InvalidURL, TypeError):
            raise InvalidInputError("url must be the address of a server.") from None
        if address.scheme not in ("http", "https") or not address.host:
            raise InvalidInputError("url must be an address such as http://127.0.0.1:8765.")
        if self.attempts < 1:
            raise InvalidInputError("attempts must be at least 1.")

    def prepare(self, request: Request[Any], *, streams: bool = False) -> Send:
        """Write a request down; the key that makes it safe to repeat is the same each time."""
        headers = {"Accept": "text/event-stream" if streams else "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.tenant is not None:
            headers["X-Longterm-Tenant"] = str(self.tenant)
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        if request.method == "POST" and request.repeatable:
            headers["Idempotency-Key"] = new_id()
        return Send(
            method=request.method,
            url=self.url.rstrip("/") + request.path + self._query(request),
            headers=headers,
            content=None if request.body is None else _json(request.body),
        )

    def _query(self, request: Request[Any]) -> str:
        members = given(**request.query, user_id=self._user(request))
        try:
            told = urlencode([(name, plain(value)) for name, value in members.items()])
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"This cannot be sent: {error}.") from None
        return f"?{told}" if told else ""

    def _user(self, request: Request[Any]) -> str | None:
        if request.user_id is None:
            return self.user_id
        named = checked_user(request.user_id)
        if self.user_id is not None and named != self.user_id:
            raise NotAllowedError("This client is for another user.")
        return named


def asking(target: Target, request: Request[T]) -> Steps[T]:
    """Ask until there is an answer, and read it."""
    send = target.prepare(request)
    return _asking(target, request, send, lambda answer: _read(request, answer))


def opening(target: Target, request: Request[Any]) -> Steps[httpx.Response]:
    """Ask until a stream begins, and return it."""
    send = target.prepare(request, streams=True)
    return _asking(target, request, send, lambda answer: answer)


def _asking(
    target: Target, request: Request[Any], send: Send, read: Callable[[httpx.Response], T]
) -> Steps[T]:
    attempt = 1
    while True:
        outcome = yield send
        if outcome is None:
            raise AssertionError("a request has an outcome")
        wait_s = _wait_s(outcome, attempt, repeatable=request.repeatable)
        if wait_s is None or wait_s > _LONGEST_S or attempt >= target.attempts:
            break
        yield Pause(wait_s)
        attempt += 1
    if isinstance(outcome, httpx.RequestError):
        raise broken(outcome) from outcome
    if outcome.is_success:
        return read(outcome)
    if request.absent is not None and problems.is_absent(outcome):
        return request.absent()
    raise problems.error_of(outcome)


def broken(error: httpx.RequestError) -> UnavailableError:
    """Make the error for a connection that fails."""
    why = str(error) or type(error).__name__
    return UnavailableError(f"The server does not answer ({why}).")


def read_events(request: Request[T], events: Events, data: bytes) -> list[T]:
    """Read the events that are whole with these bytes."""
    try:
        return [request.read(told) for told in events.feed(data)]
    except _UNREADABLE as error:
        raise SetupError(problems.NOT_OURS) from error


def cut_off() -> UnavailableError:
    """Make the error for a stream that stops before its end."""
    return UnavailableError("The stream ended before the answer did.")


def _wait_s(outcome: Outcome, attempt: int, *, repeatable: bool) -> float | None:
    """How long to wait before asking once more; None where that is no use, or no good."""
    if isinstance(outcome, httpx.RequestError):
        again = repeatable or isinstance(outcome, _NEVER_SENT)
        return _back_off_s(attempt) if again else None
    code = problems.problem_of(outcome).get("code") if outcome.is_error else None
    again = (
        (outcome.status_code in _REFUSED and code not in _LASTING)
        or (outcome.status_code in _GATEWAYS and repeatable)
        or code == "in_progress"
    )
    if not again:
        return None
    told = problems.retry_after_s(outcome)
    return _back_off_s(attempt) if told is None else told


def _back_off_s(attempt: int) -> float:
    # Not sharp: those who failed together should not come back together.
    return _SHORTEST_S * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)  # noqa: S311


def _json(body: object) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, default=plain)
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"This cannot be sent as JSON: {error}.") from None


def _read(request: Request[T], answer: httpx.Response) -> T:
    try:
        return request.read(answer.json() if answer.content else None)
    except _UNREADABLE as error:
        raise SetupError(problems.NOT_OURS) from error
