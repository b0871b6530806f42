"""`longterm bench`."""

import asyncio
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from longterm.bench import data, report, speed
from longterm.bench.timing import Progress, Silence
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
from longterm.settings import Settings
from longterm.store.embedded import EmbeddedPostgres

app = new_app()


@app.callback()
def bench() -> None:
    """Measure Longterm on this machine."""


@app.command(
    "speed",
    epilog=examples(
        "longterm bench speed",
        "longterm bench speed --quick",
        "longterm bench speed --json > speed.json",
    ),
)
def measure_speed(
    *,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="With small numbers, in half a minute.", show_default=False),
    ] = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Print the table as Markdown.", show_default=False),
    ] = False,
) -> None:
    """Compare Longterm with plain SQL: appends, reads, bulk import, start-up.

    It works in a database of its own, which is dropped at the end: on a temporary embedded server,
    or on the one that is named. All takes place in turn within one run, so the ratios can be
    compared between machines; the milliseconds can't.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    named = database_url is not None or data_dir is not None
    with _server(settings, named=named) as server, _progress() as progress:
        found = asyncio.run(speed.run(server, data.QUICK if quick else data.FULL, progress))
    if as_json:
        output.say_json(report.as_json(found))
        return
    output.say(
        f"{found.machine}, {found.postgres}, {found.messages_in_table:,} messages at the end, "
        f"{found.seconds:.0f} s. Medians and quartiles.",
        "",
    )
    if markdown:
        output.say(report.as_markdown(found))
    else:
        output.say_table(report.COLUMNS, report.as_table(found))


@contextmanager
def _server(settings: Settings, *, named: bool) -> Generator[str]:
    """Return how to reach the server that is named, or a temporary one."""
    if named and settings.database_url is not None:
        yield settings.database_url
        return
    with tempfile.TemporaryDirectory(prefix="longterm-bench-") as folder:
        data_dir = settings.data_dir if named else Path(folder)
        with EmbeddedPostgres(data_dir, binaries=settings.postgres_bin) as embedded:
            yield embedded.start()


class _Bars:
    """A bar for each thing that is measured."""

    def __init__(self, bars: Bar) -> None:
        self._bars = bars
        self._ids: dict[str, TaskID] = {}
        self._latest: TaskID | None = None

    def start(self, what: str, steps: int) -> None:
        if what not in self._ids:
            self._ids[what] = self._bars.add_task(what, total=0)
        self._latest = self._ids[what]
        total = self._bars.tasks[self._latest].total or 0
        self._bars.update(self._latest, total=total + steps)

    def step(self) -> None:
        if self._latest is not None:
            self._bars.advance(self._latest)


@contextmanager
def _progress() -> Generator[Progress]:
    if not sys.stderr.isatty():
        yield Silence()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        yield _Bars(bars)
