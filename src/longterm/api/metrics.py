"""Numbers for Prometheus."""

import math

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from longterm.api.health import STATES, database_status, disks
from longterm.api.process import CurrentProcess, Process

router = APIRouter(tags=["operation"])


@router.get("/metrics", response_class=Response)
async def metrics(process: CurrentProcess) -> Response:
    """Tell every metric in Prometheus' text format."""
    await _refresh_queue(process)
    await _refresh_disks(process)
    return Response(process.runtime.metrics.text(), media_type=CONTENT_TYPE_LATEST)


async def _refresh_disks(process: Process) -> None:
    numbers = process.runtime.metrics
    numbers.disk_free_bytes.clear()
    numbers.disk_free_share.clear()
    for disk in await disks(process):
        numbers.disk_free_bytes.labels(disk.folder).set(disk.free_bytes)
        numbers.disk_free_share.labels(disk.folder).set(disk.free_share)


async def _refresh_queue(process: Process) -> None:
    status = await database_status(process)
    numbers = process.runtime.metrics
    if status is None:
        # No number is better than an old one: Prometheus then shows a gap.
        numbers.jobs_waiting.clear()
        numbers.jobs_lag.set(math.nan)
        return
    for state in STATES:
        numbers.jobs_waiting.labels(state).set(status.jobs.get(state, 0))
    numbers.jobs_lag.set(status.lag_s)
