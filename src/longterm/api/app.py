"""Puts the HTTP application together."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute

from longterm import __version__
from longterm.api import health, mcp, metrics, page, problems, site
from longterm.api.auth import TENANT_HEADER, Authentication, is_loopback
from longterm.api.bodies import Bodies
from longterm.api.deadlines import Deadlines
from longterm.api.etags import ETags
from longterm.api.guards import LOOPBACK_NAMES, KnownHosts, LastResort, SafeHeaders, ShortHeads
from longterm.api.methods import Methods
from longterm.api.openai_errors import OpenAIErrors
from longterm.api.openapi import complete
from longterm.api.origins import Origins
from longterm.api.process import Process
from longterm.api.rates import Rates
from longterm.api.repeats import HEADER, REPLAYED, Repeats
from longterm.api.request_ids import RequestIds
from longterm.api.routes import (
    admin,
    audit,
    changes,
    chat,
    conversations,
    demo,
    history,
    insight,
    me,
    memories,
    messages,
    openai,
    ownership,
    places,
    recall,
    sessions,
    templates,
    tools,
    users,
)
from longterm.api.slashes import Slashes
from longterm.api.traces import Traces
from longterm.api.urls import UrlText
from longterm.api.wire.openai import OPENAI_ANSWERS, OPENAI_HEADERS, STAINLESS_HEADERS
from longterm.runtime import Runtime
from longterm.web import site as web

# Looked through from the first to the last: what is asked most often comes first.
ROUTERS = (
    messages.router,
    chat.router,
    conversations.router,
    ownership.router,
    history.router,
    sessions.router,
    memories.router,
    audit.router,
    places.router,
    recall.router,
    users.router,
    me.router,
    changes.router,
    insight.router,
    demo.router,
    templates.router,
    tools.router,
    admin.router,
    openai.router,
    health.router,
    metrics.router,
    page.router,
    site.router,
)


class Api(FastAPI):
    """The application, whose description tells of its guards, too."""

    def openapi(self) -> dict[str, Any]:
        """Describe every operation, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = complete(super().openapi())
        return self.openapi_schema


def create_app(runtime: Runtime) -> FastAPI:
    """Make the application; its lifespan opens and closes `runtime`."""
    app = Api(
        title="Longterm",
        version=__version__,
        summary="Self-hosted memory for LLM chat.",
        lifespan=_lifespan,
        # Their pages load scripts from elsewhere; /openapi.json is there.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    process = Process(runtime)
    app.state.process = process
    # Not included as routers: each would look through its routes twice for every request.
    app.router.routes += _routes()
    problems.install(app)
    _guard(app, process)
    return app


def _routes() -> list[BaseRoute]:
    return [*(route for each in ROUTERS for route in each.routes), mcp.route]


def _guard(app: FastAPI, process: Process) -> None:
    """Put the guards around the routes; the last one added is the first to see a request."""
    settings = process.runtime.settings
    app.add_middleware(ETags)
    app.add_middleware(Repeats, process=process)
    app.add_middleware(Bodies, max_bytes=settings.max_body_bytes)
    app.add_middleware(Methods, routes=_routes())
    app.add_middleware(Slashes)
    app.add_middleware(UrlText)
    if settings.requests_per_minute is not None:
        app.add_middleware(Rates, per_minute=settings.requests_per_minute)
    app.add_middleware(Authentication, process=process)
    app.add_middleware(Deadlines, seconds=settings.request_timeout_s)
    app.add_middleware(LastResort)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=("GET", "HEAD", "POST", "PUT", "DELETE"),
            allow_headers=(
                *("Authorization", "If-None-Match", "X-Request-Id", "traceparent"),
                *(HEADER, TENANT_HEADER, *mcp.HEADERS, *OPENAI_HEADERS, *STAINLESS_HEADERS),
            ),
            expose_headers=("ETag", "Retry-After", "X-Request-Id", REPLAYED, *OPENAI_ANSWERS),
        )
    app.add_middleware(Origins, allowed=settings.cors_origins)
    # Who listens to other machines has names that are not known here, and always asks for a key.
    if is_loopback(settings.host):
        names = (*LOOPBACK_NAMES, settings.host, *settings.allowed_hosts)
        app.add_middleware(KnownHosts, names=names)
    app.add_middleware(OpenAIErrors)
    app.add_middleware(RequestIds)
    app.add_middleware(Traces, process=process)
    app.add_middleware(ShortHeads)
    app.add_middleware(SafeHeaders)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    process: Process = app.state.process
    await asyncio.to_thread(page.load)
    await asyncio.to_thread(web.load)
    async with process.running():
        yield
