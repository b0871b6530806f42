"""Structured logs, through Python's own logging so that applications stay in charge of them."""

import logging
import sys
import traceback
from collections.abc import Generator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import MappingProxyType
from typing import Any, Literal

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import Processor

from longterm.observe import trace
from longterm.text import secrets

LogFormat = Literal["auto", "console", "json"]


# One for all values: structlog's own has one for each, which are set one by one.
_context: ContextVar[Mapping[str, object]] = ContextVar(
    "longterm_log", default=MappingProxyType({})
)


def _in_context(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {**_context.get(), **event}


def _masked(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Nobody means to log a secret; this is for the day when somebody does."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = secrets.mask(value)
    return event


def _traced(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    under_way = trace.current()
    if under_way is not None:
        event["trace_id"] = under_way.trace_id
    return event


_SHARED: list[Processor] = [
    _in_context,
    _traced,
    _masked,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def get_logger(name: str) -> BoundLogger:
    """Return a logger whose events carry the context of the operation under way."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[*_SHARED, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )


def last_frames(error: Exception) -> list[str]:
    """Where an error was raised, without its text, which may quote what a user said."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


Bound = Token[Mapping[str, object]]


def bind(**values: object) -> Bound:
    """Add to every event from here on: tenant, user, conversation, operation."""
    known = {key: value for key, value in values.items() if value is not None}
    return _context.set({**_context.get(), **known})


def unbind(bound: Bound) -> None:
    """Take back what `bind` added."""
    _context.reset(bound)


@contextmanager
def context(**values: object) -> Generator[None]:
    """Add to every event that is logged inside."""
    bound = bind(**values)
    try:
        yield
    finally:
        unbind(bound)


def configure(*, level: str = "INFO", log_format: LogFormat = "auto") -> None:
    """Send events to standard error; for programs of ours, a library leaves this alone."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _renderer(log_format),
            ],
        )
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for chatty in ("psycopg.pool", "uvicorn.access", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _renderer(log_format: LogFormat) -> Processor:
    readable = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    if readable:
        return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    return _as_json


def _as_json(
    logger: Any,
    name: str,
    event: MutableMapping[str, Any],
) -> str | bytes:
    return structlog.processors.JSONRenderer()(logger, name, event)
