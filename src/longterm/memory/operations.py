"""What every operation needs: the database, the rules, and somebody who watches."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import TracebackType

from longterm.errors import LongtermError, UnavailableError
from longterm.memory.aside import Aside
from longterm.memory.inputs import Limits
from longterm.memory.outage import Outage
from longterm.memory.speakers import Speakers
from longterm.memory.template_renderer import TemplateRenderer
from longterm.memory.temporary import TemporaryTalks
from longterm.observe import log
from longterm.observe.metrics import Metrics
from longterm.observe.tracing import Tracer
from longterm.postgres.pool import Database
from longterm.postgres.transaction import Conn
from longterm.providers.embedders import Embedders
from longterm.providers.model import ChatModel
from longterm.recall.fuse import WEIGHTS, Weights
from longterm.records.scope import Scope
from longterm.records.usage import Price
from longterm.store.notices import Notices

_log = log.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the installation decides: limits and defaults."""

    limits: Limits = field(default_factory=Limits)
    history_limit: int = 20
    session_ttl_hours: float = 24
    memory_tokens: int = 10_000
    model_calls_per_day: int | None = None
    model_tokens_per_day: int | None = None
    model_prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    weights: Weights = WEIGHTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What operations work with, the same for all tenants of a running Longterm."""

    database: Database
    notices: Notices
    metrics: Metrics
    tracer: Tracer
    rules: Rules
    wake_worker: Callable[[], None]
    model: ChatModel | None
    embedders: Embedders
    aside: Aside
    speakers: Speakers
    temporary: TemporaryTalks
    window: TemporaryTalks
    outage: Outage
    templates: TemplateRenderer
    # Tenants that were last seen without memory: during an outage nobody can look it up.
    stateless: set[int] = field(default_factory=set[int])


class Operations:
    """The base of all operations: of one scope, each in transactions of its own, and watched."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope
        self._metrics = parts.metrics
        self._rules = parts.rules

    def _transaction(self) -> AbstractAsyncContextManager[Conn]:
        return self._parts.database.tenant(self._scope)

    def _read_only(self) -> AbstractAsyncContextManager[Conn]:
        return self._parts.database.tenant(self._scope, read_only=True)

    def _operation(
        self, name: str, *, user_id: str | None = None, conversation_id: str | None = None
    ) -> "_Watched":
        """Tell logs and metrics what is going on."""
        return _Watched(
            self._parts,
            name,
            tenant=self._scope.tenant_id,
            user=user_id or self._scope.user_id,
            conversation=conversation_id,
        )


class _Watched:
    """One operation under way; a class, because a generator here costs 1 % of a read."""

    __slots__ = ("_context", "_name", "_parts", "_started", "_step", "_tokens")

    def __init__(self, parts: Parts, name: str, **context: int | str | None) -> None:
        self._parts = parts
        self._name = name
        self._context = context

    def __enter__(self) -> None:
        self._tokens = log.bind(operation=self._name, **self._context)
        self._step = self._parts.tracer.step(self._name, self._context)
        self._step.__enter__()
        self._started = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        elapsed = time.perf_counter() - self._started
        metrics = self._parts.metrics
        metrics.operation_seconds.labels(self._name).observe(elapsed)
        if isinstance(error, LongtermError):
            metrics.operation_errors.labels(self._name, type(error).__name__).inc()
        if isinstance(error, UnavailableError):
            _log.error("operation failed", error=str(error))
        self._step.__exit__(kind, error, traceback)
        log.unbind(self._tokens)
