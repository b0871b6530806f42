"""`longterm export`."""

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Annotated, TextIO

import typer

from longterm.cli import options, output
from longterm.errors import SetupError
from longterm.library import AsyncLongterm
from longterm.settings import Settings

app = options.new_app()

# Written at a time, by a thread: a pipe whose reader is slow would hold up the database.
_LINES = 100


@app.command(
    epilog=options.examples(
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
    tenant: options.TenantId = 1,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Write everything of a user as JSON Lines.

    Conversations with their messages, facts with all their versions, places, key-value memory,
    state, and the threads of LangGraph. `longterm import` reads it again. With --json, how many of
    what is printed too.
    """
    settings = options.quietly(database_url, data_dir)
    try:
        if into is None:
            asyncio.run(_export(settings, tenant, user, sys.stdout))
            sys.stdout.flush()
            return
        with _to(into) as file:
            counts = asyncio.run(_export(settings, tenant, user, file))
    except BrokenPipeError:
        # Who reads has enough.
        raise
    except OSError as error:
        name = into or "The output"
        raise SetupError(f"{name} can't be written: {error.strerror}.") from error
    if as_json:
        output.say_json({"file": str(into), "counts": counts})
    else:
        output.say(f"Wrote {sum(counts.values())} records to {into}.")


@contextmanager
def _to(into: Path) -> Generator[TextIO]:
    """A file that gets its name when it is whole; what is no file, such as a pipe, is written to."""
    if into.exists() and not into.is_file():
        with into.open("w", encoding="utf-8") as file:
            yield file
        return
    number, name = mkstemp(dir=into.parent, prefix=f".{into.name[:100]}.")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            yield file
        Path(name).replace(into)
    except BaseException:
        # Also on Ctrl-C: half a file under a hidden name would stay.
        Path(name).unlink(missing_ok=True)
        raise


async def _export(settings: Settings, tenant: int, user: str, file: TextIO) -> dict[str, int]:
    counts: Counter[str] = Counter()
    lines: list[str] = []
    with output.counting("records") as progress:
        task = progress.add_task("records", total=None)
        async with AsyncLongterm(settings=settings) as lt:
            async for record in lt.tenant(tenant).export_user(user):
                lines.append(json.dumps(record, ensure_ascii=False) + "\n")
                counts[str(record["type"])] += 1
                progress.advance(task)
                if len(lines) == _LINES:
                    await asyncio.to_thread(file.writelines, lines)
                    lines = []
            await asyncio.to_thread(file.writelines, lines)
    return dict(counts)
