"""Options that many commands have, and the settings they lead to."""

from pathlib import Path
from typing import Annotated

import typer

from longterm.observe import log
from longterm.settings import Settings

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="A PostgreSQL with pgvector, in place of the embedded one (or DATABASE_URL).",
        show_default=False,
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where the embedded database keeps its files (or LONGTERM_DATA_DIR).",
        show_default=False,
    ),
]
TenantId = Annotated[
    int, typer.Option("--tenant", min=0, help="Which tenant; 0 is the system.", show_default=True)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.", show_default=False)]


def read_settings(database_url: str | None, data_dir: Path | None, **others: object) -> Settings:
    """Return the settings of the environment, with the given options in their place."""
    given = {"data_dir": data_dir, "database_url": database_url, **others}
    chosen: dict[str, object] = {key: value for key, value in given.items() if value is not None}
    if data_dir is not None and database_url is None:
        # A folder that is named by hand comes before a database of the environment.
        chosen["database_url"] = None
    return Settings(**chosen)  # pyright: ignore[reportArgumentType]


def quietly(database_url: str | None, data_dir: Path | None) -> Settings:
    """Return the settings for a command that prints what it found: only warnings are logged."""
    settings = read_settings(database_url, data_dir)
    log_to_stderr(settings, level="WARNING")
    return settings


def new_app() -> typer.Typer:
    """Make the Typer of a command file."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


def examples(*commands: str) -> str:
    """Return the end of a help text."""
    # \b keeps the lines as they are.
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def log_to_stderr(settings: Settings, *, level: str | None = None) -> None:
    """Send what is logged to standard error."""
    log.configure(level=level or settings.log_level, log_format=settings.log_format)
