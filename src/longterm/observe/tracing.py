"""The steps of a trace, for a collector of the operator's; without one, nothing is recorded."""

import os
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from types import TracebackType
from typing import Literal, Protocol, Self

from longterm.observe import log, trace
from longterm.observe.trace import Trace

Kind = Literal["server", "client", "consumer", "internal"]
Value = str | int | float | bool
# What is None is not told.
Values = Mapping[str, Value | None]

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

_log = log.get_logger(__name__)


class Step(Protocol):
    """A step under way."""

    def note(self, values: Values, *, name: str | None = None) -> None:
        """Add what became known of it: numbers and names, never what was said."""
        ...


class Tracer(Protocol):
    """Records the steps of traces."""

    def begin(self, name: str, parent: Trace | None, *, kind: Kind) -> AbstractContextManager[Step]:
        """Go on with the trace that somebody else began, or begin one; for doors and jobs."""
        ...

    def step(
        self, name: str, values: Values, *, kind: Kind = "internal"
    ) -> AbstractContextManager[Step]:
        """Record a step of the trace under way."""
        ...

    def close(self) -> None:
        """Send what is left; waits for the collector, so it is not for an event loop."""
        ...


class _Nothing:
    """A step that nobody records: one object for all, because most are made for nothing."""

    __slots__ = ()

    def note(self, values: Values, *, name: str | None = None) -> None:
        """Forget it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass


_NOTHING = _Nothing()


class _Off:
    """Ids for logs, jobs and servers that we call, and no more."""

    @contextmanager
    def begin(self, name: str, parent: Trace | None, *, kind: Kind) -> Generator[Step]:  # noqa: ARG002
        """Go on with a trace, or begin one."""
        with trace.within(parent or trace.new()):
            yield _NOTHING

    def step(
        self,
        name: str,  # noqa: ARG002
        values: Values,  # noqa: ARG002
        *,
        kind: Kind = "internal",  # noqa: ARG002
    ) -> AbstractContextManager[Step]:
        """Record nothing."""
        return _NOTHING

    def close(self) -> None:
        """There is nothing left."""


OFF: Tracer = _Off()


def choose(environ: Mapping[str, str] | None = None) -> Tracer:
    """Make the tracer that OpenTelemetry's usual variables ask for; reads files."""
    environ = os.environ if environ is None else environ
    if not _is_wanted(environ):
        return OFF
    try:
        return import_module("longterm.observe.otel").OtelTracer()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        _log.warning(
            "traces are not sent",
            operation="open",
            error="OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: "
            "pip install 'longterm[otel]'.",
        )
        return OFF


def _is_wanted(environ: Mapping[str, str]) -> bool:
    return (
        any(environ.get(name) for name in _ENDPOINTS)
        and environ.get("OTEL_SDK_DISABLED", "").strip().lower() != "true"
        and environ.get("OTEL_TRACES_EXPORTER", "otlp").strip() == "otlp"
    )
