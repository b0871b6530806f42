"""One request with its repetitions, without any I/O: the clients do what it asks for."""

import random
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import httpx

from longterm.client import problems
from longterm.client.pieces import Pieces
from longterm.client.request import Request
from longterm.client.target import Send, Target
from longterm.errors import LongtermError, SetupError, UnavailableError

T = TypeVar("T")

# Longer than the server's own, so that it is the server who tells what took so long.
TIMEOUT_S = 100.0
CLOSED = "This client is closed: make a new one."

# It was surely not done: nothing was sent, or it was refused for now.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_REFUSED = (429, 503)
_GATEWAYS = (502, 504)
# It may have been done: ended for the time it took, or lost at COMMIT.
_BEGUN = ("too_slow", "outcome_unknown")
# Waiting does not help here.
_LASTING = ("model_refused", "budget_spent")
_SHORTEST_S = 0.2
_LONGEST_S = 10.0
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class Pause:
    """Asks to wait for some seconds."""

    seconds: float


Outcome: TypeAlias = httpx.Response | httpx.RequestError
Steps: TypeAlias = Generator[Send | Pause, Outcome | None, T]


def asking(target: Target, request: Request[T]) -> Steps[T]:
    """Ask until there is an answer, and read it."""
    send = target.prepare(request)
    return _asking(target, request, send, lambda answer: _read(request, answer))


def opening(target: Target, request: Request[Any]) -> Steps[httpx.Response]:
    """Ask until a stream begins, and return it."""
    send = target.prepare(request)
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
        raise broken(outcome, sends_file=request.file is not None) from outcome
    if outcome.is_success:
        return read(outcome)
    if request.absent is not None and problems.is_absent(outcome):
        return request.absent()
    raise problems.error_of(outcome)


def broken(error: httpx.RequestError, *, sends_file: bool = False) -> LongtermError:
    """Make the error for a connection that fails."""
    if isinstance(error, httpx.DecodingError):
        return SetupError(problems.NOT_OURS)
    why = str(error) or type(error).__name__
    if sends_file and not isinstance(error, _NEVER_SENT):
        return UnavailableError(f"The server cut it off ({why}): the file may be too large for it.")
    return UnavailableError(f"The server does not answer ({why}).")


def read_pieces(request: Request[T], pieces: Pieces, data: bytes) -> Iterator[T]:
    """Read what is whole with these bytes."""
    found = pieces.feed(data)
    while True:
        try:
            piece = request.read(next(found))
        except StopIteration:
            return
        except _UNREADABLE as error:
            raise SetupError(problems.NOT_OURS) from error
        yield piece


def last(pieces: Sequence[T]) -> T:
    """Return the last piece of a stream."""
    if not pieces:
        raise SetupError(problems.NOT_OURS)
    return pieces[-1]


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
        (
            outcome.status_code in _REFUSED
            and code not in _LASTING
            and (repeatable or code not in _BEGUN)
        )
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


def _read(request: Request[T], answer: httpx.Response) -> T:
    try:
        return request.read(answer.json() if answer.content else None)
    except _UNREADABLE as error:
        raise SetupError(problems.NOT_OURS) from error
