"""`longterm cleanup`."""

import asyncio

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
from longterm.records.report import CleanupResult
from longterm.settings import Settings

app = new_app()


@app.command(
    epilog=examples(
        "longterm cleanup",
        "longterm cleanup --json",
    ),
)
def cleanup(
    *, database_url: DatabaseUrl = None, data_dir: DataDir = None, as_json: AsJson = False
) -> None:
    """Delete sessions that expired.

    Workers do this every CLEANUP_INTERVAL_HOURS; this does it now, for all tenants.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Deleting what expired"):
        result = asyncio.run(_cleanup(settings))
    if as_json:
        output.say_json(result)
    else:
        output.say(
            f"Deleted {result.sessions_deleted} sessions with {result.turns_deleted} turns "
            f"in {result.execution_time:.2f} s.",
            *(f"Not all could be deleted: {error}" for error in result.errors),
        )
    if result.errors:
        raise typer.Exit(1)


async def _cleanup(settings: Settings) -> CleanupResult:
    async with AsyncLongterm(settings=settings) as lt:
        return await lt.cleanup()
