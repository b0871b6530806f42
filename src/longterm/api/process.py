"""This process, as its routes see it: a running Longterm and its worker."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Request

from longterm.lifetime import beside
from longterm.memory.keys import Keyring
from longterm.observe.log import get_logger
from longterm.proxy import upstream
from longterm.proxy.upstream import Upstream
from longterm.runtime import Runtime
from longterm.store.migrate import migrations

WorkerState = Literal["running", "off", "ended"]

_log = get_logger(__name__)


class Process:
    """A Longterm that runs since `started_at`, with a worker if the settings say so."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.started_at = datetime.now(UTC)
        self.newest_migration = 0
        self._worker: asyncio.Task[None] | None = None
        self._keyring: Keyring | None = None
        self.upstream: Upstream | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Open the database and work on the queue while inside."""
        self.newest_migration = (await asyncio.to_thread(migrations))[-1].version
        async with self.runtime:
            self._keyring = Keyring(self.runtime.parts)
            # It reads files.
            self.upstream = await asyncio.to_thread(upstream.find, self.runtime.settings)
            try:
                async with self._working():
                    yield
            finally:
                if self.upstream is not None:
                    # Answers that nobody waits for any more are kept before their server is let go.
                    await self.runtime.parts.aside.finish()
                    await self.upstream.close()

    @asynccontextmanager
    async def _working(self) -> AsyncGenerator[None]:
        if not self.runtime.settings.worker:
            yield
            return
        worker = self.runtime.worker()
        async with beside(worker.run(), stop=worker.stop) as self._worker:
            self._worker.add_done_callback(_log_failure)
            yield

    @property
    def keyring(self) -> Keyring:
        """Who tells whose key it is; only while running."""
        if self._keyring is None:
            raise RuntimeError("The process is not running.")
        return self._keyring

    @property
    def worker_state(self) -> WorkerState:
        """Whether background work is done here."""
        if self._worker is None:
            return "off"
        return "ended" if self._worker.done() else "running"


def _log_failure(worker: "asyncio.Task[None]") -> None:
    error = None if worker.cancelled() else worker.exception()
    if error is not None:
        _log.error("worker ended", error=type(error).__name__)


def current(request: Request) -> Process:
    """Return the process that answers this request."""
    return request.app.state.process


CurrentProcess = Annotated[Process, Depends(current)]
