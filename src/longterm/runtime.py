"""Puts the parts together: settings, database, operations, worker."""

import asyncio
from datetime import timedelta
from types import TracebackType
from typing import Self

from longterm.memory.inputs import Limits
from longterm.memory.operations import Parts, Rules
from longterm.memory.tenant import AsyncTenant
from longterm.observe.metrics import Metrics
from longterm.records.scope import Scope
from longterm.settings import Settings
from longterm.store.database import Database
from longterm.store.embedded import EmbeddedPostgres
from longterm.store.migrate import migrate
from longterm.worker.loop import Worker
from longterm.worker.tasks import all_tasks


class Runtime:
    """A running Longterm: open it, use it, close it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.wake = asyncio.Event()
        self.migrated: list[str] = []
        self._embedded: EmbeddedPostgres | None = None
        self._parts: Parts | None = None

    async def open(self) -> None:
        """Start or find the database, bring its schema up to date, and connect."""
        try:
            # Inside, because a start that is cancelled goes on in its thread: it has to be undone.
            conninfo = await self._conninfo()
            self.migrated = await migrate(conninfo)
            database = Database(
                conninfo,
                pool_size=self.settings.pool_size,
                connect_timeout_s=self.settings.connect_timeout_s,
                statement_timeout_s=self.settings.statement_timeout_s,
            )
            await database.open()
        except BaseException:
            # Cancelled or failed, a server that was started for us must not stay behind.
            await self._stop_embedded()
            raise
        self._parts = Parts(
            database=database,
            metrics=self.metrics,
            rules=_rules(self.settings),
            wake_worker=self.wake.set,
        )

    async def close(self) -> None:
        """Disconnect, and stop the embedded database unless others use it."""
        if self._parts is not None:
            await self._parts.database.close()
            self._parts = None
        await self._stop_embedded()

    @property
    def parts(self) -> Parts:
        """What operations work with; only while open."""
        if self._parts is None:
            raise RuntimeError("Longterm is not open: use it as a context manager.")
        return self._parts

    def tenant(self, scope: Scope) -> AsyncTenant:
        """Return the memory of one tenant, or of one user of it."""
        return AsyncTenant(self.parts, scope)

    def worker(self) -> Worker:
        """Make a worker for all tasks."""
        every = timedelta(hours=self.settings.cleanup_interval_hours)
        return Worker(
            self.parts,
            all_tasks(cleanup_every=every),
            wake=self.wake,
            concurrency=self.settings.worker_concurrency,
        )

    async def _conninfo(self) -> str:
        if self.settings.database_url is not None:
            return self.settings.database_url
        self._embedded = EmbeddedPostgres(
            self.settings.data_dir, binaries=self.settings.postgres_bin
        )
        return await asyncio.to_thread(self._embedded.start)

    async def _stop_embedded(self) -> None:
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.stop)
            self._embedded = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


def _rules(settings: Settings) -> Rules:
    return Rules(
        limits=Limits(message_bytes=settings.max_message_bytes, json_bytes=settings.max_json_bytes),
        history_limit=settings.conversation_history_limit,
        session_ttl_hours=settings.conversation_ttl_hours,
        memory_tokens=settings.memory_tokens,
    )
