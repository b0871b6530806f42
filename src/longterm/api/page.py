"""The page at `/status`: says what is running."""

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from longterm import __version__
from longterm.api.health import Readiness, database_status, readiness
from longterm.api.process import CurrentProcess, Process
from longterm.store.diagnose import Status, place

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A template, and what its browser is told to allow: its own style, and nothing else."""

    template: Template
    policy: str


@cache
def load() -> Page:
    """Read the page once."""
    environment = Environment(
        loader=PackageLoader("longterm", "web"),
        autoescape=True,
        undefined=StrictUndefined,
        # Looking for changes would read the disk for every request.
        auto_reload=False,
    )
    style = environment.get_template("status.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return Page(
        template=environment.get_template("status.html"),
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )


@router.get("/status", response_class=HTMLResponse)
async def page(process: CurrentProcess) -> HTMLResponse:
    """Show what is running."""
    status = await database_status(process)
    loaded = load()
    return HTMLResponse(
        loaded.template.render(_values(process, readiness(process, status), status)),
        headers={"Content-Security-Policy": loaded.policy},
    )


def _values(process: Process, ready: Readiness, status: Status | None) -> dict[str, object]:
    settings = process.runtime.settings
    folder = settings.data_dir.absolute()
    url = settings.database_url
    return {
        "version": __version__,
        "ready": ready,
        "tenants": status.tenants if status else None,
        "started_at": process.started_at,
        "uptime": in_words(datetime.now(UTC) - process.started_at),
        "data": str(folder) if url is None else place(url),
        "example": f"data_dir={json.dumps(str(folder))}" if url is None else '"postgresql://…"',
    }


def in_words(span: timedelta) -> str:
    """Say how long something takes, in its largest unit."""
    seconds = int(span.total_seconds())
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return _counted(seconds // size, unit)
    return _counted(seconds, "second")


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
