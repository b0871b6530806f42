"""Whether this process is up, and whether it can do its work."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from starlette.responses import Response

from longterm import __version__
from longterm.api.problems import unavailable
from longterm.api.process import CurrentProcess, Process, WorkerState
from longterm.errors import UnavailableError
from longterm.observe.disks import Disk, measure
from longterm.records.job import JobState
from longterm.store import diagnose
from longterm.store.diagnose import Status

STATES: tuple[JobState, ...] = ("queued", "running", "dead")

# Who asks whether we are ready seldom waits longer.
_PATIENCE_S = 3.0

router = APIRouter(tags=["operation"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """The process is up."""

    status: Literal["ok"] = "ok"
    service: Literal["longterm"] = "longterm"
    version: str = __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseHealth:
    """Which database it is, and whether it answers."""

    kind: Literal["embedded", "external"]
    answers: bool
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueHealth:
    """How many jobs there are by state, and how late the oldest due one is."""

    queued: int
    running: int
    dead: int
    lag_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationHealth:
    """The newest migration that the database has, and the newest that this version knows."""

    applied: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalHealth:
    """How many messages wait on disk for the database to come back."""

    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHealth:
    """Which models are configured; whether they answer is known when they are asked."""

    llm: str
    embedder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What the work depends on; `problems` is empty when all of it is there.

    While it is `ready` but `degraded`, chat is answered: messages are kept on disk if need be.
    """

    ready: bool
    degraded: bool
    database: DatabaseHealth
    journal: JournalHealth
    models: ModelHealth
    worker: WorkerState
    queue: QueueHealth | None = None
    migrations: MigrationHealth | None = None
    disks: list[Disk] = field(default_factory=list[Disk])
    problems: list[str] = field(default_factory=list[str])


@router.get("/healthz")
async def healthz() -> Liveness:
    """Tell that the process is up; nothing else is looked at."""
    return Liveness()


@router.get(
    "/readyz",
    response_model=Readiness,
    responses={503: {"description": "Cannot serve; the same fields, and what is wrong."}},
)
async def readyz(process: CurrentProcess) -> Response:
    """Tell whether this server can answer, and whether something that it needs is away."""
    status, room = await asyncio.gather(database_status(process), disks(process))
    found = readiness(process, status, room)
    if not found.ready:
        return unavailable(" ".join(found.problems), **asdict(found))
    return JSONResponse(asdict(found))


async def database_status(process: Process) -> Status | None:
    """Ask the database how it is; None when it does not answer in time."""
    try:
        async with (
            asyncio.timeout(_PATIENCE_S),
            process.runtime.parts.database.system() as conn,
        ):
            return await diagnose.status(conn)
    except (UnavailableError, TimeoutError):
        return None


async def disks(process: Process) -> list[Disk]:
    """Look how much room is left; nothing where a disk does not answer in time."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await asyncio.to_thread(measure, process.runtime.folders)
    except (OSError, TimeoutError):
        return []


def readiness(process: Process, status: Status | None, room: Sequence[Disk]) -> Readiness:
    """Judge what was found."""
    parts, known = process.runtime.parts, process.newest_migration
    failures = _failures(process, status, room)
    problems = list(failures)
    if status is None:
        problems.append("The database does not answer.")
    if process.worker_state == "ended":
        problems.append("The worker ended: the log says why, and it is started again shortly.")
    problems += [disk.problem for disk in room if disk.problem is not None]
    embedded = process.runtime.settings.database_url is None
    return Readiness(
        ready=not failures,
        degraded=parts.outage.is_on or bool(problems),
        journal=JournalHealth(pending=parts.outage.pending),
        models=ModelHealth(
            llm="offline" if parts.model is None else parts.model.name,
            embedder=parts.embedders.current.name,
        ),
        database=DatabaseHealth(
            kind="embedded" if embedded else "external",
            answers=status is not None,
            version=status.version if status else None,
        ),
        worker=process.worker_state,
        queue=_queue(status) if status else None,
        migrations=MigrationHealth(applied=status.migration, known=known) if status else None,
        disks=list(room),
        problems=problems,
    )


def _failures(process: Process, status: Status | None, room: Sequence[Disk]) -> list[str]:
    """Why nothing can be served at all."""
    if status is not None:
        if status.migration < process.newest_migration:
            return ["The database lacks migrations: run `longterm migrate`."]
        return []
    failures: list[str] = []
    if not process.keyring.is_known:
        failures.append("No key can be checked before the database was reached once.")
    if process.runtime.parts.outage.is_full or any(
        disk.folder == "journal" and disk.is_unusable for disk in room
    ):
        failures.append("Messages cannot be kept on disk.")
    return failures


def _queue(status: Status) -> QueueHealth:
    counts = {state: status.jobs.get(state, 0) for state in STATES}
    return QueueHealth(**counts, lag_s=round(status.lag_s, 3))
