"""The reference, made from the code: `python -m docs.generate`, or `make docs`."""

from collections.abc import Callable
from pathlib import Path

from docs.generate import commands, library, routes, settings

FOLDER = Path(__file__).parents[1]

PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings.page,
    "reference/cli.md": commands.page,
    "reference/http.md": routes.page,
    "reference/library.md": library.page,
}
