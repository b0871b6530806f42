"""`longterm jobs list` and `longterm jobs retry`."""

import asyncio
from typing import Annotated

import typer

from longterm.cli import output
from longterm.cli.options import (
    AsJson,
    DatabaseUrl,
    DataDir,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.library import AsyncLongterm
from longterm.records.job import Job, JobState
from longterm.settings import Settings

app = new_app()


@app.callback()
def jobs() -> None:
    """List background work, and retry what failed for good.

    A job that succeeded is gone. One that failed is tried again later and later; after its last
    attempt it is dead, and waits for `longterm jobs retry`.
    """


@app.command(
    "list",
    epilog=examples(
        "longterm jobs list",
        "longterm jobs list --state dead --json",
    ),
)
def list_(
    *,
    state: Annotated[
        JobState | None, typer.Option(help="Only jobs in this state.", show_default="all")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List jobs of all tenants, those due first at the top."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Reading the queue"):
        found = asyncio.run(_list(settings, state, limit))
    if as_json:
        output.say_json({"items": found})
    elif not found:
        output.say("There are no jobs." if state is None else f"There are no {state} jobs.")
    else:
        columns = ("tenant", "task", "key", "state", "attempts", "due", "last error")
        output.say_table(columns, map(_row, found))


@app.command(
    epilog=examples(
        "longterm jobs retry",
        "longterm jobs retry --tenant 1 --task digest",
    ),
)
def retry(
    *,
    tenant: Annotated[int | None, typer.Option(help="Only jobs of this tenant.")] = None,
    task: Annotated[str | None, typer.Option(help="Only jobs of this task.")] = None,
    key: Annotated[str | None, typer.Option(help="Only the job with this key.")] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Queue dead jobs once more: all of them, or the ones chosen."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Queueing jobs"):
        retried = asyncio.run(_retry(settings, tenant, task, key))
    if as_json:
        output.say_json({"retried": retried})
    else:
        output.say(f"Queued {retried} dead jobs once more.")


async def _list(settings: Settings, state: JobState | None, limit: int) -> list[Job]:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.list_jobs(state, limit)


async def _retry(settings: Settings, tenant: int | None, task: str | None, key: str | None) -> int:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.retry_jobs(tenant, task, key)


def _row(job: Job) -> tuple[str, ...]:
    return (
        str(job.tenant_id),
        job.task,
        job.key or "-",
        job.state,
        str(job.attempts),
        job.due_at.isoformat(sep=" ", timespec="seconds"),
        job.last_error or "",
    )
