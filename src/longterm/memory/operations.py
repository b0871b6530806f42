"""What every operation needs: the database, the rules, and somebody who watches."""

import time
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field

from longterm.errors import LongtermError
from longterm.memory.inputs import Limits
from longterm.observe import log
from longterm.observe.metrics import Metrics
from longterm.records.scope import Scope
from longterm.store.database import Conn, Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the installation decides: limits and defaults."""

    limits: Limits = field(default_factory=Limits)
    history_limit: int = 20
    session_ttl_hours: float = 24
    memory_tokens: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What operations work with, the same for all tenants of a running Longterm."""

    database: Database
    metrics: Metrics
    rules: Rules
    wake_worker: Callable[[], None]


class Operations:
    """The base of all operations: of one scope, each in transactions of its own, and watched."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope
        self._metrics = parts.metrics
        self._rules = parts.rules

    def _transaction(self) -> AbstractAsyncContextManager[Conn]:
        return self._parts.database.tenant(self._scope)

    @contextmanager
    def _operation(
        self, name: str, *, user_id: str | None = None, conversation_id: str | None = None
    ) -> Generator[None]:
        """Tell logs and metrics what is going on."""
        started = time.perf_counter()
        with log.context(
            operation=name,
            tenant=self._scope.tenant_id,
            user=user_id or self._scope.user_id,
            conversation=conversation_id,
        ):
            try:
                yield
            except LongtermError as error:
                self._metrics.operation_errors.labels(name, type(error).__name__).inc()
                raise
            finally:
                elapsed = time.perf_counter() - started
                self._metrics.operation_seconds.labels(name).observe(elapsed)
