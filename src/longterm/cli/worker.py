"""`longterm worker`."""

from typing import Annotated

import typer

from longterm.cli import output
from longterm.cli.options import (
    DatabaseUrl,
    DataDir,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.lifetime import beside, run_until_told
from longterm.runtime import Runtime
from longterm.settings import Settings

app = new_app()


@app.command(
    epilog=examples(
        "longterm worker",
        "longterm worker --concurrency 16 --database-url postgresql://me:secret@db.example/longterm",
    ),
)
def worker(
    *,
    concurrency: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            max=64,
            help="How many jobs run at a time (or LONGTERM_WORKER_CONCURRENCY).",
            show_default="4",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Run background work without a server.

    Any number of workers can share one database, on any number of machines. Jobs that are under
    way when it is told to stop come to their end; a second Ctrl-C leaves them to another worker.
    """
    settings = read_settings(database_url, data_dir, worker_concurrency=concurrency)
    log_to_stderr(settings)
    run_until_told(_work(settings))


async def _work(settings: Settings) -> None:
    async with Runtime(settings, wait_for_database=True) as runtime:
        work = runtime.lasting_worker()
        async with beside(work.run(), stop=work.stop) as working:
            output.say("Longterm's worker is running. Stop it with Ctrl-C.")
            await runtime.run(working)
