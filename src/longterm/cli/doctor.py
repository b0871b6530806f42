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
    and stopped again. The exit status is 1 when something is wrong.
    """
    settings = read_settings(database_url, data_dir, host=host, port=port)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Looking"):
        checks = asyncio.run(examine(settings))
    wrong = sum(not check.ok for check in checks)
    if as_json:
        items = [
            {"name": each.name, "ok": each.ok, "found": each.found, "mend": each.mend}
            for each in checks
        ]
        output.say_json({"ok": not wrong, "checks": items})
    else:
        output.say(*map(_line, checks), _verdict(wrong))
    if wrong:
        raise typer.Exit(1)


def _line(check: Check) -> Text:
    mark = Text("✓ ", "green") if check.ok else Text("✗ ", "bold red")
    line = Text.assemble(mark, (f"{check.name:<12}", "bold"), check.found)
    if check.mend is not None:
        line.append(f"\n  {'':<12}→ {check.mend}", "yellow")
    return line


def _verdict(wrong: int) -> str:
    return f"\n{wrong} of these must be mended." if wrong else "\nAll is well."
