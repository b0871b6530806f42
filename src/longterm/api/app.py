"""Puts the HTTP application together."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from longterm import __version__
from longterm.api import health, metrics, page, problems
from longterm.api.guards import LOOPBACK_NAMES, KnownHosts, LastResort, SafeHeaders
from longterm.api.process import Process
from longterm.runtime import Runtime


def create_app(runtime: Runtime) -> FastAPI:
    """Make the application; its lifespan opens and closes `runtime`."""
    app = FastAPI(
        title="Longterm",
        version=__version__,
        summary="Self-hosted memory for LLM chat.",
        lifespan=_lifespan,
        # Their pages load scripts from elsewhere; /openapi.json is there.
        docs_url=None,
        redoc_url=None,
    )
    app.state.process = Process(runtime)
    for router in (health.router, metrics.router, page.router):
        app.include_router(router)
    problems.install(app)
    # The last one added is the first to see a request.
    app.add_middleware(LastResort)
    app.add_middleware(KnownHosts, names=(*LOOPBACK_NAMES, runtime.settings.host))
    app.add_middleware(SafeHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    process: Process = app.state.process
    await asyncio.to_thread(page.load)
    async with process.running():
        yield
