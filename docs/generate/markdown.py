"""The few forms that the reference has."""

import re
from collections.abc import Iterable, Sequence

MADE = "<!-- Made from the code by `make docs`: change it there. -->"


def join(*parts: str) -> str:
    """Paragraphs, without those that are empty."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, or nothing when it has no rows."""
    lines = [_row([cell.replace("|", "\\|") for cell in row]) for row in rows]
    return "\n".join([_row(columns), _row(["---"] * len(columns)), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    """A name or a value; an empty one is nothing."""
    return f"`{text}`" if text else ""


def block(text: str) -> str:
    """Lines to look at."""
    return f"```text\n{text}\n```"


def told(docstring: str | None) -> str:
    """A docstring as paragraphs, one line each."""
    paragraphs = re.split(r"\n\s*\n", (docstring or "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def line(docstring: str | None) -> str:
    """A docstring in one line."""
    return " ".join((docstring or "").split())
