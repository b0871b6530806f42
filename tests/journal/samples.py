"""Records to journal, and somebody who writes them back and remembers what came."""

import asyncio
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from longterm.journal.journal import Journal
from longterm.journal.record import Record
from longterm.journal.replay import Apply, ReplayReport

ROOMY = 10_000_000


def a_journal(folder: Path, **bounds: int) -> Journal:
    return Journal(folder, **{"max_bytes": ROOMY, "max_records": ROOMY, **bounds})


def a_turn(stream: str = "c1", n: int = 0) -> dict[str, Any]:
    return {"stream": stream, "payload": {"n": n, "query": "wie heißt sie? 🙂\n", "answer": None}}


class Database:
    """Stores each record once by its id, as the real one must, and counts how often it came."""

    def __init__(self) -> None:
        self.came: Counter[str] = Counter()
        self.streams: defaultdict[str, list[Any]] = defaultdict(list)

    async def apply(self, record: Record) -> None:
        self.came[record.id] += 1
        if self.came[record.id] == 1:
            self.streams[record.stream].append(record.payload["n"])


def replayed(journal: Journal, apply: Apply) -> ReplayReport:
    """Replay in an event loop of its own, so that the test itself may block."""
    return asyncio.run(journal.replay(apply))


def names(folder: Path, suffix: str) -> list[Path]:
    return sorted(folder.glob(f"*{suffix}"))
