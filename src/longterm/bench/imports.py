"""An export of ChatGPT taken in by `longterm import`: how fast, in how much memory, and once."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longterm.bench.data import ANSWER, QUESTION
from longterm.bench.processes import Finished, longterm_command
from longterm.bench.report import machine
from longterm.bench.speed import administer, own_database
from longterm.bench.timing import Progress
from longterm.errors import SetupError
from longterm.library import AsyncLongterm

FULL_MB = 200
QUICK_MB = 5
LEAST_PER_SECOND = 2_000
MOST_GROWTH = 1.5
_JUDGED_FROM_MB = 50
_TURNS = 30
_BEGUN = 1_700_000_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the command; `resident_mb` is what its process took at most."""

    what: str
    megabytes: float
    messages: int
    seconds: float
    added: int
    resident_mb: float

    @property
    def per_second(self) -> float:
        """Messages a second, also where all of them were known."""
        return self.messages / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A tenth of the size, all of it, and all of it once more."""

    machine: str
    postgres: str
    small: Run
    large: Run
    again: Run

    @property
    def growth(self) -> float:
        """How many times as much memory ten times as large a file takes."""
        return self.large.resident_mb / self.small.resident_mb

    def as_json(self) -> dict[str, object]:
        """Return the report for programs."""
        return {
            "machine": self.machine,
            "postgres": self.postgres,
            "runs": [_run_as_json(run) for run in (self.small, self.large, self.again)],
            "limits": [
                {"what": what, "value": value, "limit": limit, "met": met}
                for what, value, limit, met in self._limits()
            ],
        }

    def limits_told(self) -> list[tuple[str, str, str, str]]:
        """Return what was asked for and whether it was met, for people."""
        verdicts = {None: "", True: "met", False: "MISSED"}
        return [
            (what, f"{value:,.2f}".removesuffix(".00"), f"{limit:,}", verdicts[met])
            for what, value, limit, met in self._limits()
        ]

    def _limits(self) -> list[tuple[str, float, float, bool | None]]:
        rate = round(self.large.per_second)
        # Of a small file most of the time is the start of the command.
        fast = rate >= LEAST_PER_SECOND if self.large.megabytes >= _JUDGED_FROM_MB else None
        growth, added = round(self.growth, 2), self.again.added
        return [
            ("messages/s, at least", rate, LEAST_PER_SECOND, fast),
            ("memory against a tenth, at most", growth, MOST_GROWTH, growth <= MOST_GROWTH),
            ("messages that a second run adds, at most", added, 0, added == 0),
        ]


COLUMNS = ("run", "file", "messages", "added", "seconds", "messages/s", "resident at most")


def as_table(report: Report) -> list[tuple[str, ...]]:
    """Return the runs for people."""
    return [
        (
            run.what,
            f"{run.megabytes:,.1f} MB",
            f"{run.messages:,}",
            f"{run.added:,}",
            f"{run.seconds:,.1f}",
            f"{run.per_second:,.0f}",
            f"{run.resident_mb:,.0f} MB",
        )
        for run in (report.small, report.large, report.again)
    ]


def _run_as_json(run: Run) -> dict[str, object]:
    return {
        "what": run.what,
        "megabytes": round(run.megabytes, 2),
        "messages": run.messages,
        "added": run.added,
        "seconds": round(run.seconds, 2),
        "messages_per_second": round(run.per_second),
        "resident_mb": round(run.resident_mb, 1),
    }


async def run(server: str, folder: str, megabytes: int, progress: Progress) -> Report:
    """Measure in a database of its own, which goes at the end, with files in `folder`."""
    async with own_database(server) as conninfo, administer(conninfo) as admin:
        # The tables are made before anything is measured.
        async with AsyncLongterm(conninfo, llm="offline"):
            pass
        version = admin.info.parameter_status("server_version")
        small, large = Path(folder, "tenth.json"), Path(folder, "all.json")
        progress.start("import", 3)
        runs: list[Run] = []
        for what, path, size in (
            ("a tenth", small, megabytes / 10),
            ("all of it", large, megabytes),
            ("all of it, again", large, megabytes),
        ):
            written = await asyncio.to_thread(write, path, int(size * 1_000_000))
            runs.append(await _import(conninfo, folder, path, what, written))
            progress.step()
    return Report(
        machine=machine(),
        postgres=f"PostgreSQL {version}",
        small=runs[0],
        large=runs[1],
        again=runs[2],
    )


async def _import(conninfo: str, folder: str, path: Path, what: str, size: int) -> Run:
    done = await longterm_command(
        *("import", str(path), "--user", path.stem, "--json"), conninfo=conninfo, folder=folder
    )
    told = _told(done)
    return Run(
        what=what,
        megabytes=size / 1_000_000,
        messages=told["messages"] + told["known"],
        added=told["messages"],
        seconds=done.seconds,
        resident_mb=done.resident_bytes / 1_000_000,
    )


def _told(done: Finished) -> dict[str, Any]:
    if done.status != 0:
        raise SetupError(f"The import that was to be measured failed: {done.complaint}")
    return json.loads(done.said)


def write(path: Path, size: int) -> int:
    """Write an export of ChatGPT of about this many bytes, the same each time; returns how many."""
    with path.open("w", encoding="utf-8") as file:
        written = number = 0
        while written < size:
            talk = json.dumps(_talk(number))
            written += file.write(("[" if number == 0 else ",\n") + talk)
            number += 1
        return written + file.write("]")


def _talk(number: int) -> dict[str, Any]:
    id_ = f"{number:08x}-0000-4000-8000-000000000000"
    nodes = {one["id"]: one for one in _nodes(number)}
    return {
        "title": f"Moving house, {number}",
        "create_time": _BEGUN + number * 3600,
        "update_time": _BEGUN + number * 3600 + 2 * _TURNS,
        "mapping": nodes,
        "current_node": list(nodes)[-1],
        "conversation_id": id_,
        "id": id_,
    }


def _nodes(number: int) -> Iterator[dict[str, Any]]:
    """A chain of questions and answers, with what ChatGPT writes beside them."""
    parent = f"root-{number}"
    yield {"id": parent, "message": None, "parent": None, "children": []}
    for place in range(2 * _TURNS):
        role, words = ("user", QUESTION) if place % 2 == 0 else ("assistant", ANSWER)
        id_ = f"{number:08x}-{place:04x}-4000-8000-000000000001"
        message: dict[str, Any] = {
            "id": id_,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": _BEGUN + number * 3600 + place,
            "update_time": None,
            "content": {"content_type": "text", "parts": [f"{number}.{place}: {words}"]},
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": {"model_slug": "gpt-4o", "timestamp_": "absolute"},
            "recipient": "all",
        }
        yield {"id": id_, "message": message, "parent": parent, "children": []}
        parent = id_
