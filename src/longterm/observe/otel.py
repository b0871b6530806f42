"""Traces by OpenTelemetry, sent as OTLP over HTTP; loaded only where that is configured.

Where to, how often and what share of them: OpenTelemetry's own environment variables.
"""

from collections.abc import Mapping
from contextvars import Token
from types import MappingProxyType, TracebackType
from typing import Self

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace import Tracer as Recorder

from longterm.observe import trace
from longterm.observe.trace import Trace
from longterm.observe.tracing import Kind, Value, Values

_KINDS: Mapping[Kind, SpanKind] = MappingProxyType(
    {
        "server": SpanKind.SERVER,
        "client": SpanKind.CLIENT,
        "consumer": SpanKind.CONSUMER,
        "internal": SpanKind.INTERNAL,
    }
)
_NO_VALUES: Values = MappingProxyType({})


class OtelTracer:
    """Sends what is recorded from a thread of its own, in batches."""

    def __init__(self) -> None:
        resource = Resource({"service.name": "longterm"}).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._recorder = self._provider.get_tracer("longterm")

    def begin(self, name: str, parent: Trace | None, *, kind: Kind) -> "_Recorded":
        """Go on with the trace that somebody else began, or begin one."""
        above = Context() if parent is None else _below(parent, is_remote=True)
        return _Recorded(self._recorder, name, _NO_VALUES, kind, above)

    def step(self, name: str, values: Values, *, kind: Kind = "internal") -> "_Recorded":
        """Record a step of the trace under way, which an application around us may have begun."""
        under_way = trace.current()
        above = None if under_way is None else _below(under_way, is_remote=False)
        return _Recorded(self._recorder, name, values, kind, above)

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class _Recorded:
    """A step under way; whatever begins meanwhile is a part of it."""

    __slots__ = ("_above", "_kind", "_name", "_recorder", "_span", "_token", "_values")

    _kind: Kind
    _span: Span
    _token: Token[Trace | None]

    def __init__(
        self,
        recorder: Recorder,
        name: str,
        values: Values,
        kind: Kind,
        above: Context | None,
    ) -> None:
        self._recorder = recorder
        self._name = name
        self._values = values
        self._kind = kind
        self._above = above

    def note(self, values: Values, *, name: str | None = None) -> None:
        """Add what became known of it."""
        self._span.set_attributes(_known(values))
        if name is not None:
            self._span.update_name(name)

    def __enter__(self) -> Self:
        self._span = self._recorder.start_span(
            self._name,
            context=self._above,
            kind=_KINDS[self._kind],
            attributes=_known(self._values),
        )
        own = self._span.get_span_context()
        self._token = trace.enter(
            Trace(
                format_trace_id(own.trace_id),
                format_span_id(own.span_id),
                own.trace_flags.sampled,
            )
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        trace.leave(self._token)
        if isinstance(error, Exception):
            # Its kind and not its text: that one may quote what a user said.
            self._span.set_attribute("error.type", type(error).__name__)
            self._span.set_status(StatusCode.ERROR)
        self._span.end()


def _known(values: Values) -> dict[str, Value]:
    return {name: value for name, value in values.items() if value is not None}


def _below(parent: Trace, *, is_remote: bool) -> Context:
    flags = TraceFlags(TraceFlags.SAMPLED if parent.sampled else TraceFlags.DEFAULT)
    context = SpanContext(
        int(parent.trace_id, 16), int(parent.span_id, 16), is_remote=is_remote, trace_flags=flags
    )
    return set_span_in_context(NonRecordingSpan(context), Context())
