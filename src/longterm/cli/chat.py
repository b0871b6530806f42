"""`longterm chat`."""

import sys
from typing import Annotated

import typer

from longterm.blocking import Longterm
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
from longterm.cli.talk import Talk
from longterm.cli.talking import learning, piped, typed

app = new_app()


@app.command(
    epilog=examples(
        "longterm chat",
        "longterm chat --user ada --temporary",
        'longterm chat --user ada --message "Where did I go hiking?"',
        "longterm chat --user ada --json < questions.txt",
    ),
)
def chat(
    *,
    user: Annotated[str, typer.Option(help="Who talks.")] = "me",
    tenant: TenantId = 1,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", help="Say this, and leave.", show_default=False),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new conversation.", show_default=False)
    ] = False,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Keep nothing of it.", show_default=False)
    ] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Talk with a memory, in the terminal.

    `/help` tells what else can be done. Ctrl-C stops listening to an answer, Ctrl-D leaves. What
    comes through a pipe is answered line by line.
    """
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    with output.busy("Opening memory"):
        lt = Longterm(settings=settings)
        lt.open()
    try:
        talk = Talk(lt.tenant(tenant), user, temporary=temporary)
        if new:
            talk.begin()
        with learning(lt) as learn:
            if message is not None:
                piped(talk, [message], as_json=as_json)
            elif sys.stdin.isatty() and not as_json:
                typed(talk, learn)
            else:
                piped(talk, sys.stdin, as_json=as_json)
    finally:
        lt.close()
