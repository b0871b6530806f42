"""`longterm export`."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from longterm.cli import output
from longterm.cli.options import (
    AsJson,
    DatabaseUrl,
    DataDir,
    TenantId,
    examples,
    log_to_stderr,
    new_app,
    read_settings,
)
from longterm.errors import SetupError
from longterm.library import AsyncLongterm
from longterm.settings import Settings

app = new_app()


@app.command(
    epilog=examples(
        "longterm export ada -o ada.jsonl",
        "longterm export ada --tenant 7 > ada.jsonl",
    ),
)
def export(
    user: Annotated[str, typer.Argument(help="Whose.", show_default=False)],
    *,
    into: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to.", show_default="stdout"),
    ] = None,
    tenant: TenantId = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write everything of a user as JSON Lines.

    Conversations with their messages, facts with all their versions, places, key-value memory
    and state. `longterm import` reads it again. With --json, how many of what is printed too.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    if into is None:
        asyncio.run(_export(settings, tenant, user, sys.stdout))
        return
    part = into.with_name(f"{into.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            counts = asyncio.run(_export(settings, tenant, user, file))
        part.replace(into)
    except OSError as error:
        raise SetupError(f"{into} can't be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    if as_json:
        output.say_json({"file": str(into), "counts": counts})
    else:
        output.say(f"Wrote {sum(counts.values())} records to {into}.")


async def _export(settings: Settings, tenant: int, user: str, file: TextIO) -> dict[str, int]:
    counts: dict[str, int] = {}
    columns = (SpinnerColumn(), TextColumn("{task.completed} records"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("records", total=None)
        async with AsyncLongterm(settings=settings) as lt:
            async for record in lt.tenant(tenant).export_user(user):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                kind = str(record["type"])
                counts[kind] = counts.get(kind, 0) + 1
                progress.advance(task)
    return counts
