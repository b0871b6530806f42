"""How results are shown: for people, or as JSON for programs."""

import json
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

# Wide enough for a line of a table: what is piped into a file should not be folded.
_UNFOLDED = 400
# A terminal obeys these, and what a user or a model said must not be obeyed.
_ORDERS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def say(*lines: str | Text) -> None:
    """Print lines for people."""
    for line in lines:
        told = line.copy() if isinstance(line, Text) else Text(line)
        told.plain = harmless(told.plain)
        console().print(told, soft_wrap=True)


def harmless(text: str) -> str:
    """Replace what a terminal would not show but do."""
    return text.translate(_ORDERS)


def say_json(value: Any) -> None:
    """Print a value for programs; records become objects, times RFC 3339."""
    sys.stdout.write(json.dumps(value, default=_plain, ensure_ascii=False, indent=2) + "\n")


def say_table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table for people."""
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(harmless(cell), overflow="fold") for cell in row))
    console().print(table)


def busy(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that something is going on."""
    return Console(stderr=True).status(what)


def counting(what: str) -> Progress:
    """Show on a terminal how many there are so far."""
    errors = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn(f"{{task.completed}} {what}"), TimeElapsedColumn())
    return Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)


def console() -> Console:
    """Standard output, with nothing but its own colours."""
    width = None if sys.stdout.isatty() else _UNFOLDED
    return Console(width=width, highlight=False, markup=False, emoji=False)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON.")
