"""This process, as its routes see it: a running Longterm and its worker."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Request

from longterm.lifetime import beside
from longterm.memory.keys import Keyring
from longterm.providers.local import LocalEmbedder
from longterm.proxy import upstream
from longterm.proxy.upstream import Upstream
from longterm.runtime import Runtime
from longterm.store.migrate import migrations
from longterm.worker.lasting import LastingWorker

WorkerState = Literal["running", "off", "ended"]


class Process:
    """A Longterm that runs since `started_at`, with a worker if the settings say so."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.started_at = datetime.now(UTC)
        self.newest_migration = 0
        self._worker: LastingWorker | None = None
        self._keyring: Keyring | None = None
        self.upstream: Upstream | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Open the database and work on the queue while inside."""
        self.newest_migration = (await asyncio.to_thread(migrations))[-1].version
        async with self.runtime:
            self._keyring = Keyring(self.runtime.parts, self.runtime.known_keys)
            await self._keyring.open()
            # It reads files.
            self.upstream = await asyncio.to_thread(upstream.find, self.runtime.settings)
            self._prepare()
            try:
                async with self._working():
                    yield
            finally:
                await self._keyring.save()
                if self.upstream is not None:
                    # Answers that nobody waits for any more are kept before their server is let go.
                    await self.runtime.parts.aside.finish()
                    await self.upstream.close()

    def _prepare(self) -> None:
        """Load our embedder: the proxy's first request would not wait for that, and be without."""
        embedder = self.runtime.parts.embedders.current
        if self.upstream is not None and isinstance(embedder, LocalEmbedder):
            self.runtime.parts.aside.run(_warm(embedder))

    @asynccontextmanager
    async def _working(self) -> AsyncGenerator[None]:
        if not self.runtime.settings.worker:
            yield
            return
        self._worker = self.runtime.lasting_worker()
        async with beside(self._worker.run(), stop=self._worker.stop):
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
        return "running" if self._worker.is_at_work else "ended"


async def _warm(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"])


async def current(request: Request) -> Process:
    """Return the process that answers this request."""
    return request.app.state.process


CurrentProcess = Annotated[Process, Depends(current)]
