"""`longterm bench`."""

import asyncio
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from longterm.bench import cost, data, http, imports, loads, recall, report, speed
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
from longterm.library import AsyncLongterm
from longterm.settings import Settings
from longterm.store.embedded import EmbeddedPostgres

app = new_app()

Quick = Annotated[
    bool,
    typer.Option("--quick", help="With small numbers, in half a minute.", show_default=False),
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Print the table as Markdown.", show_default=False)
]


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
    quick: Quick = False,
    markdown: Markdown = False,
) -> None:
    """Compare Longterm with plain SQL: appends, reads, bulk import, start-up.

    It works in a database of its own, which is dropped at the end: on a temporary embedded server,
    or on the one that is named. All takes place in turn within one run, so the ratios can be
    compared between machines; the milliseconds can't.
    """
    with _server(database_url, data_dir) as server, _progress() as progress:
        found = asyncio.run(speed.run(server, data.QUICK if quick else data.FULL, progress))
    if as_json:
        output.say_json(report.as_json(found))
        return
    _say_where(found)
    _say_table(report.COLUMNS, report.as_table(found), markdown=markdown)


def _say_where(found: report.Report) -> None:
    output.say(
        f"{found.machine}, {found.postgres}, {found.messages_in_table:,} messages at the end, "
        f"{found.seconds:.0f} s. Medians and quartiles.",
        "",
    )


def _say_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool) -> None:
    if markdown:
        output.say(report.in_markdown(columns, rows))
    else:
        output.say_table(columns, rows)


@app.command(
    "http",
    epilog=examples(
        "longterm bench http",
        "longterm bench http --quick",
        "longterm bench http --json > http.json",
    ),
)
def measure_http(
    *,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    quick: Quick = False,
    markdown: Markdown = False,
) -> None:
    """Compare the HTTP server with the library, and with many clients at once.

    The server is a `longterm serve` of its own, without a language model and without a worker, on
    a database that is dropped at the end.
    """
    sizes = data.QUICK if quick else data.FULL
    with (
        _server(database_url, data_dir) as server,
        tempfile.TemporaryDirectory(prefix="longterm-bench-") as folder,
        _progress() as progress,
    ):
        found = asyncio.run(http.run(server, folder, sizes, progress))
    if as_json:
        output.say_json(found.as_json())
        return
    _say_where(found.report)
    _say_table(report.COLUMNS, report.as_table(found.report), markdown=markdown)
    output.say("")
    _say_table(loads.COLUMNS, loads.as_table(found.loads), markdown=markdown)


@app.command(
    "recall",
    epilog=examples(
        "longterm bench recall --data questions.json",
        "longterm bench recall --data questions.json --json > recall.json",
    ),
)
def measure_recall(
    *,
    data_file: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="FILE",
            help="Conversations with questions, as JSON.",
            show_default=False,
        ),
    ],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    ablate: Annotated[
        bool,
        typer.Option(
            "--ablate", help="Ask once more without each part of the ranking.", show_default=False
        ),
    ] = False,
) -> None:
    """Measure how much of the evidence recall finds among its first 5, 10 and 20 messages.

    Each conversation of the file is stored as a fresh user, in a database of its own that is
    dropped at the end; no language model is used.
    """
    told = recall.read(data_file)
    with _server(database_url, data_dir) as server, _progress() as progress:
        settings = read_settings(database_url, data_dir)
        found = asyncio.run(_recall(server, settings, told, progress, ablate=ablate))
    if as_json:
        output.say_json(found)
        return
    output.say(
        f"{found.messages:,} messages, indexed at {found.indexed_per_s:,.0f} a second "
        f"({', '.join(f'{task} {rate:,.0f}' for task, rate in found.background.items())}). "
        f"Recall took {found.p50_ms:.1f} ms (p50), {found.p95_ms:.1f} ms (p95).",
        "",
    )
    output.say_table(
        ("category", "questions", *(f"recall@{cut}" for cut in recall.CUTS), "MRR"),
        (
            (
                score.category,
                str(score.questions),
                *(f"{score.recall[cut]:.3f}" for cut in recall.CUTS),
                f"{score.mrr:.3f}",
            )
            for score in (
                *found.scores,
                *(replace(each, category=f"without {each.category}") for each in found.without),
            )
        ),
    )


@app.command(
    "import",
    epilog=examples(
        "longterm bench import",
        "longterm bench import --quick",
        "longterm bench import --megabytes 1000 --json",
    ),
)
def measure_import(
    *,
    megabytes: Annotated[
        int, typer.Option(min=1, metavar="N", help="How large the file is.")
    ] = imports.FULL_MB,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    quick: Quick = False,
    markdown: Markdown = False,
) -> None:
    """Take in a made-up export of ChatGPT: how fast, in how much memory, and nothing twice.

    The command `longterm import` runs as a process of its own, for a tenth of the size, for all of
    it, and once more. The database and the files are deleted at the end.
    """
    size = imports.QUICK_MB if quick else megabytes
    with (
        _server(database_url, data_dir) as server,
        tempfile.TemporaryDirectory(prefix="longterm-bench-") as folder,
        _progress() as progress,
    ):
        found = asyncio.run(imports.run(server, folder, size, progress))
    if as_json:
        output.say_json(found.as_json())
        return
    output.say(f"{found.machine}, {found.postgres}.", "")
    _say_table(imports.COLUMNS, imports.as_table(found), markdown=markdown)
    output.say("")
    _say_table(("", "measured", "limit", ""), found.limits_told(), markdown=markdown)


@app.command("cost", epilog=examples("longterm bench cost", "longterm bench cost --json"))
def measure_cost(
    *, database_url: DatabaseUrl = None, data_dir: DataDir = None, as_json: AsJson = False
) -> None:
    """Count what learning would cost with a language model: calls and tokens.

    No model is called: one that only counts stands in its place.
    """
    with _server(database_url, data_dir, level="ERROR") as server, output.busy("Talking to nobody"):
        found = asyncio.run(_cost(server))
    if as_json:
        output.say_json(found)
        return
    output.say(f"A conversation of {found.turns} turns.", "")
    output.say_table(
        ("messages come", "purpose", "calls", "prompt tokens", "beyond the messages, at most"),
        (
            (how, one.purpose, str(one.calls), f"{one.prompt_tokens:,}", f"{one.beyond_messages:,}")
            for how, costs in (("one by one", found.one_by_one), ("all at once", found.at_once))
            for one in costs
        ),
    )


async def _cost(server: str) -> cost.Report:
    async with speed.own_database(server) as conninfo:
        return await cost.run(conninfo)


async def _recall(
    server: str, settings: Settings, told: list[recall.Told], progress: Progress, *, ablate: bool
) -> recall.Report:
    async with (
        speed.own_database(server) as conninfo,
        AsyncLongterm(conninfo, llm="offline", settings=settings) as lt,
    ):
        return await recall.run(lt, told, progress, ablate=ablate)


@contextmanager
def _server(
    database_url: str | None, data_dir: Path | None, *, level: str = "WARNING"
) -> Generator[str]:
    """Return how to reach the server that is named, or a temporary one; logs go to stderr."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level=level)
    named = database_url is not None or data_dir is not None
    if named and settings.database_url is not None:
        yield settings.database_url
        return
    with tempfile.TemporaryDirectory(prefix="longterm-bench-") as folder:
        place = settings.data_dir if named else Path(folder)
        with EmbeddedPostgres(place, binaries=settings.postgres_bin) as embedded:
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
