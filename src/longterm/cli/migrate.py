"""`longterm migrate`."""

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
from longterm.errors import SetupError
from longterm.runtime import Runtime
from longterm.settings import Settings
from longterm.store import distribute as tables

app = new_app()


@app.command(
    epilog=examples(
        "longterm migrate",
        "longterm migrate --database-url postgresql://admin:secret@db.example/longterm",
        "longterm migrate --distribute --dry-run",
    ),
)
def migrate(
    *,
    distribute: Annotated[
        bool,
        typer.Option(
            "--distribute",
            help="Spread the tables over a Citus cluster, by tenant.",
            show_default=False,
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="With --distribute: only show the statements.", show_default=False
        ),
    ] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Bring the tables of the database up to date.

    Every start does this, too. It is a command for those who let only an administrator change
    tables; it can run while the service does, and many times.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    if dry_run and not distribute:
        raise typer.BadParameter("--dry-run is for --distribute.")
    with output.busy("Looking at the tables"):
        applied = asyncio.run(_migrate(settings))
    if distribute:
        _distribute(settings, dry=dry_run, as_json=as_json)
        return
    if as_json:
        output.say_json({"applied": applied})
    elif applied:
        output.say(f"Applied {', '.join(applied)}.")
    else:
        output.say("Nothing to do: the tables are up to date.")


def _distribute(settings: Settings, *, dry: bool, as_json: bool) -> None:
    if settings.database_url is None:
        raise SetupError("--distribute needs a database of your own: the embedded one is alone.")
    found = asyncio.run(tables.distribute(settings.database_url, dry=dry))
    if as_json:
        output.say_json({"distributed": not dry, "steps": found})
        return
    for step in found:
        output.say(f"-- {step.why}", f"{step.sql};")
    if not dry:
        output.say("The tables are distributed.")


async def _migrate(settings: Settings) -> list[str]:
    async with Runtime(settings) as runtime:
        return runtime.migrated
