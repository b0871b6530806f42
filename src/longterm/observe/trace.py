"""Which trace is under way: an id that a request, its jobs and its model calls share.

As W3C's Trace Context has it: https://www.w3.org/TR/trace-context/.
"""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass

HEADER = "traceparent"

# A later version may have more at its end; `ff` is none.
_FORM = re.compile(r"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace, and the step of it that is under way."""

    trace_id: str
    span_id: str
    sampled: bool = True

    def __str__(self) -> str:
        """The trace as the header `traceparent`."""
        return f"00-{self.trace_id}-{self.span_id}-{int(self.sampled):02x}"


_current: ContextVar[Trace | None] = ContextVar("longterm_trace", default=None)


def new() -> Trace:
    """Begin a trace.

    Marked as sampled, though nothing may record it here: a server that we call would else leave
    out what it would have recorded without us.
    """
    drawn = os.urandom(24).hex()
    return Trace(drawn[:32], drawn[32:])


def read(header: str | None) -> Trace | None:
    """Return the trace of a `traceparent`; None where there is none or it is malformed."""
    found = _FORM.fullmatch(header or "")
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if (version == "00" and more) or not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return Trace(trace_id, span_id, bool(int(flags, 16) & _SAMPLED))


def current() -> Trace | None:
    """Return the trace under way; None where no door began one."""
    return _current.get()


def header() -> str | None:
    """Return the trace under way as `traceparent`."""
    under_way = _current.get()
    return None if under_way is None else str(under_way)


def enter(trace: Trace) -> Token[Trace | None]:
    """Make a trace the one under way."""
    return _current.set(trace)


def leave(token: Token[Trace | None]) -> None:
    """Go back to what was under way before."""
    _current.reset(token)


@contextmanager
def within(trace: Trace) -> Generator[None]:
    """Make a trace the one under way while inside."""
    token = enter(trace)
    try:
        yield
    finally:
        leave(token)
