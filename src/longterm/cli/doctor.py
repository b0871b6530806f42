"""`longterm doctor`."""

import asyncio
from typing import Annotated

import typer
from rich.text import Text

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
from longterm.doctor import Check, examine

app = new_app()


@app.command(
    epilog=examples(
        "longterm doctor",
        "longterm doctor --database-url postgresql://me:secret@db.example/longterm --json",
    ),
)
def doctor(
    *,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address that the server shall listen on.",
            show_default="127.0.0.1",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            max=65535,
            help="The port that the server shall listen on.",
            show_default="8765",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with this installation, and how to mend it.

    Changes nothing. An embedded database that is there but not running is started for the check,
    and stopped again. The language model, the embedder and the server behind /v1 are each asked
    once. The exit status is 1 when something failed; a warning is no failure.
    """
    settings = read_settings(database_url, data_dir, host=host, port=port)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Looking"):
        checks = asyncio.run(examine(settings))
    failed = sum(check.status == "failed" for check in checks)
    if as_json:
        items = [
            {"name": each.name, "status": each.status, "found": each.found, "mend": each.mend}
            for each in checks
        ]
        output.say_json({"ok": not failed, "checks": items})
    else:
        warnings = sum(check.status == "warning" for check in checks)
        output.say(*map(_line, checks), _verdict(failed, warnings))
    if failed:
        raise typer.Exit(1)


_MARKS = {
    "ok": Text("✓ ", "green"),
    "warning": Text("! ", "bold yellow"),
    "failed": Text("✗ ", "bold red"),
}


def _line(check: Check) -> Text:
    line = Text.assemble(_MARKS[check.status], (f"{check.name:<12}", "bold"), check.found)
    if check.mend is not None:
        line.append(f" → {check.mend}", "yellow")
    return line


def _verdict(failed: int, warnings: int) -> str:
    if failed:
        return f"\n{failed} of these must be mended."
    return f"\nAll is well, with {warnings} warnings." if warnings else "\nAll is well."
