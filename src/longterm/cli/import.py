"""`longterm import`."""

import asyncio
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from longterm.cli import options, output
from longterm.errors import InvalidInputError, LongtermError, SetupError
from longterm.library import AsyncLongterm
from longterm.memory.importing import as_json as told
from longterm.records.importing import ImportReport
from longterm.settings import Settings

app = options.new_app()

Given = Literal["auto", "chatgpt", "claude", "openwebui", "librechat", "mem0", "jsonl", "longterm"]


@app.command(
    "import",
    epilog=options.examples(
        "longterm import chatgpt-export.zip --user ada",
        "longterm import ada.jsonl --user ada --tenant 7 --format longterm --json",
        "longterm export ada | longterm import - --user ada --tenant 7",
    ),
)
def import_(
    file: Annotated[
        Path,
        typer.Argument(help="An export, as JSON or zip; - for standard input.", show_default=False),
    ],
    *,
    user: Annotated[str, typer.Option(help="Whose it becomes.", show_default=False)],
    format_: Annotated[Given, typer.Option("--format", help="What made it.")] = "auto",
    tenant: options.TenantId = 1,
    database_url: options.DatabaseUrl = None,
    data_dir: options.DataDir = None,
    as_json: options.AsJson = False,
) -> None:
    """Take in the conversations of another program, from a file.

    ChatGPT, Claude, Open WebUI, LibreChat, mem0, plain JSON Lines, and our own exports. Run
    again, it stores only what is new. What was said is learned from in the background.
    """
    settings = options.quietly(database_url, data_dir)
    with _to_read(file) as path:
        try:
            report = asyncio.run(_import(settings, tenant, user, path, format_))
        except InvalidInputError as error:
            # The file is wrong, not the way in which the command is used.
            raise LongtermError(str(error)) from error
    if as_json:
        output.say_json(told(report))
    else:
        _show(report)


@contextmanager
def _to_read(file: Path) -> Generator[Path]:
    """The file; standard input is written to one first, because it is read more than once."""
    if str(file) != "-":
        yield file
        return
    with TemporaryDirectory(prefix="longterm-import-") as folder:
        path = Path(folder, "standard input")
        try:
            with path.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
        except OSError as error:
            raise SetupError(f"Standard input can't be kept: {error.strerror}.") from error
        yield path


def _show(report: ImportReport) -> None:
    output.say(
        f"Read as {report.format}: {report.conversations} conversations with {report.messages} "
        f"messages, {report.facts} facts, {report.places} places, {report.memories} values, "
        f"{report.checkpoints} checkpoints.",
        f"{report.known} messages were there already, {report.left_out} were never shown.",
    )
    for one in report.unread:
        output.say(f"Not read, {one.where}: {one.reason}")
    if report.unread_count > len(report.unread):
        output.say(f"… and {report.unread_count - len(report.unread)} more.")


async def _import(
    settings: Settings, tenant: int, user: str, file: Path, format_: Given
) -> ImportReport:
    report: ImportReport | None = None
    with output.counting("messages") as progress:
        task = progress.add_task("messages", total=None)
        async with AsyncLongterm(settings=settings) as lt:
            reports = lt.tenant(tenant).import_stream(user, file, format=format_)
            async for report in reports:
                progress.update(task, completed=report.messages + report.known)
    if report is None:
        raise LongtermError("Nothing was read.")
    return report
