"""The command line. Each command is a file, loaded when it is called."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from longterm import __version__
from longterm.errors import InvalidInputError, LongtermError

# A new command is a line here and a file of this name, which has a Typer named `app`.
COMMANDS = {
    "serve": "Run the server.",
    "worker": "Run background work without a server.",
    "chat": "Talk with a memory, in the terminal.",
    "mcp": "Serve memory to agents over MCP, on standard input and output.",
    "tenants": "List and make tenants, and change their settings.",
    "keys": "Make, list and revoke keys of the HTTP API.",
    "migrate": "Bring the tables of the database up to date.",
    "cleanup": "Delete sessions that expired.",
    "jobs": "List background work, and retry what failed for good.",
    "recall": "Show what memory has to say to a query, and why.",
    "audit": "Show who changed what in memory.",
    "hygiene": "Check how clean memory is.",
    "rebuild": "Read messages again with the extractor of today.",
    "import": "Take in the conversations of another program, from a file.",
    "export": "Write everything of a user as JSON Lines.",
    "forget": "Forget a user, a conversation or a message, with a receipt.",
    "doctor": "Say what is wrong with this installation, and how to mend it.",
    "bench": "Measure Longterm on this machine.",
}


class _Commands(TyperGroup):
    """Knows all commands by name, and loads the one that is called.

    Settings, web framework and database driver take a second to load, which `--help` should not.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, about in COMMANDS.items():
            self.add_command(TyperCommand(name, help=about))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command that `args` begin with."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest


def load(name: str) -> Any:
    """Load a command with everything it needs."""
    return get_command(import_module(f"longterm.cli.{name}").app)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"longterm {__version__}")
        raise typer.Exit


@app.callback()
def longterm(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Self-hosted memory for LLM chat, on one PostgreSQL.

    Without a database of your own, an embedded one is made in your data folder.

    Settings are read from the environment too: DATABASE_URL, LONGTERM_DATA_DIR, LONGTERM_PORT, …
    """


def main() -> None:
    """Run the command line; what goes wrong is said in a sentence, never in a traceback."""
    try:
        app(prog_name="longterm")
    except InvalidInputError as error:
        _fail(str(error), status=2)
    except LongtermError as error:
        _fail(str(error))
    except Exception as error:  # noqa: BLE001
        # The boundary of the program: this is a defect of ours, and still not a traceback.
        _fail(f"unexpected {type(error).__name__}: {error}")


def _fail(message: str, *, status: int = 1) -> None:
    typer.echo(f"longterm: {message}", err=True)
    sys.exit(status)
