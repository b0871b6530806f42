"""What a run has found: a line for each comparison."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from longterm.bench.timing import Spread, spread

Unit = Literal["ms", "CPU ms"]
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two things that were measured in turn; without a `limit` it is for information."""

    what: str
    at: str
    against: str
    ours: Spread
    theirs: Spread
    unit: Unit = "ms"
    compared_by: Literal["ratio", "difference"] = "ratio"
    limit: float | None = None
    messages: int | None = None

    @property
    def value(self) -> float:
        """How many times as long ours takes; or by how many milliseconds longer."""
        ours, theirs = self.ours.median, self.theirs.median
        # Rounded here, so that nobody is told of 1.3 that it is more than 1.3.
        return round(ours / theirs if self.compared_by == "ratio" else ours - theirs, 3)

    @property
    def met(self) -> bool | None:
        """Whether the limit is kept."""
        return None if self.limit is None else self.value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All rows of one run, and where it took place."""

    machine: str
    postgres: str
    messages_in_table: int
    seconds: float
    rows: tuple[Row, ...]


def row(
    what: str,
    at: str,
    against: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    limit: float | None = None,
    messages: int | None = None,
) -> Row:
    """Compare two series of measurements."""
    return Row(
        what=what,
        at=at,
        against=against,
        ours=spread(ours),
        theirs=spread(theirs),
        limit=limit,
        messages=messages,
    )


def machine() -> str:
    """Describe where this runs."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def as_json(report: Report) -> dict[str, object]:
    """Return the report for programs."""
    return {
        "machine": report.machine,
        "postgres": report.postgres,
        "messages_in_table": report.messages_in_table,
        "seconds": round(report.seconds, 1),
        "rows": [_row_as_json(each) for each in report.rows],
    }


def _row_as_json(each: Row) -> dict[str, object]:
    return {
        "what": each.what,
        "at": each.at,
        "against": each.against,
        "unit": each.unit,
        "ours": _spread_as_json(each.ours),
        "theirs": _spread_as_json(each.theirs),
        "compared_by": each.compared_by,
        "value": each.value,
        "limit": each.limit,
        "met": each.met,
        "messages_per_second": _rate(each),
    }


def _spread_as_json(taken: Spread) -> dict[str, float | int]:
    return {
        "median": round(taken.median, 4),
        "q1": round(taken.q1, 4),
        "q3": round(taken.q3, 4),
        "measured": taken.measured,
    }


def _rate(each: Row) -> int | None:
    return None if each.messages is None else round(each.messages / each.ours.median * 1000)


COLUMNS = ("what", "at", "against", "ours", "theirs", "result", "at most", "")


def as_table(report: Report) -> list[tuple[str, ...]]:
    """Return the report for people, a line for each comparison."""
    return [
        (
            each.what,
            each.at,
            each.against,
            _told(each.ours, each.unit),
            _told(each.theirs, each.unit),
            _result(each),
            _limit(each),
            _verdict(each),
        )
        for each in report.rows
    ]


def in_markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table for `docs/benchmarks.md`."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _told(taken: Spread, unit: Unit) -> str:
    digits = 2 if taken.median < 100 else 0
    numbers = (f"{number:,.{digits}f}" for number in (taken.median, taken.q1, taken.q3))
    median, q1, q3 = numbers
    return f"{median} {unit} ({q1}–{q3})"


def _result(each: Row) -> str:
    if each.compared_by == "difference":
        return f"{each.value:+,.0f} {each.unit}"
    rate = _rate(each)
    return f"{each.value:.2f} {TIMES}" + ("" if rate is None else f", {rate:,} messages/s")


def _limit(each: Row) -> str:
    if each.limit is None:
        return ""
    return f"{each.limit:g} " + (TIMES if each.compared_by == "ratio" else each.unit)


def _verdict(each: Row) -> str:
    return {None: "", True: "met", False: "MISSED"}[each.met]
