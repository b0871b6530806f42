"""`longterm migrate`."""

import asyncio

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
from longterm.runtime import Runtime
from longterm.settings import Settings

app = new_app()


@app.command(
    epilog=examples(
        "longterm migrate",
        "longterm migrate --database-url postgresql://admin:secret@db.example/longterm",
    ),
)
def migrate(
    *, database_url: DatabaseUrl = None, data_dir: DataDir = None, as_json: AsJson = False
) -> None:
    """Bring the tables of the database up to date.

    Every start does this, too. It is a command for those who let only an administrator change
    tables; it can run while the service does, and many times.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Looking at the tables"):
        applied = asyncio.run(_migrate(settings))
    if as_json:
        output.say_json({"applied": applied})
    elif applied:
        output.say(f"Applied {', '.join(applied)}.")
    else:
        output.say("Nothing to do: the tables are up to date.")


async def _migrate(settings: Settings) -> list[str]:
    async with Runtime(settings) as runtime:
        return runtime.migrated
