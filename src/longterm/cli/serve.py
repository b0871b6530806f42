"""`longterm serve`."""

from contextlib import ExitStack
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
from longterm.lifetime import run_until_told
from longterm.server import serve as run_server
from longterm.settings import Settings
from longterm.store.diagnose import place

app = new_app()


@app.command(
    epilog=examples(
        "longterm serve",
        "longterm serve --port 9000 --data-dir ./data",
        "longterm serve --database-url postgresql://me:secret@db.example/longterm --no-worker",
    ),
)
def serve(
    *,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on (or LONGTERM_HOST).",
            show_default="127.0.0.1",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            max=65535,
            help="The port to listen on, 0 for any that is free (or LONGTERM_PORT).",
            show_default="8765",
        ),
    ] = None,
    worker: Annotated[
        bool | None,
        typer.Option(
            "--worker/--no-worker",
            help="Whether background work runs in this process, too (or LONGTERM_WORKER).",
            show_default="--worker",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Run the server.

    Makes or finds the database, brings it up to date, and serves until Ctrl-C.
    """
    settings = read_settings(database_url, data_dir, host=host, port=port, worker=worker)
    log_to_stderr(settings)
    with ExitStack() as starting:
        starting.enter_context(output.busy("Starting the database"))

        def announce(url: str) -> None:
            starting.close()
            output.say(
                f"Longterm is running on {url}",
                f"Its data is in {_where(settings)}.",
                "Stop it with Ctrl-C.",
            )

        run_until_told(run_server(settings, announce=announce))


def _where(settings: Settings) -> str:
    if settings.database_url is not None:
        return place(settings.database_url)
    return f"{settings.data_dir.absolute()} (embedded PostgreSQL)"
