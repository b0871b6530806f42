"""Nobody waits for ever, and no lock is freed under a thread that still works."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from longterm.journal import locks
from longterm.journal.errors import JournalBrokenError
from longterm.journal.threads import in_thread
from tests.journal.samples import Database, a_journal, a_turn, replayed


def test_an_append_waits_for_the_gate_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "GATE_PATIENCE_S", 0.05)
    journal, database = a_journal(tmp_path), Database()

    with locks.gate(tmp_path):
        start = time.monotonic()
        with pytest.raises(JournalBrokenError, match="Another process") as refusal:
            journal.append(a_turn(n=0))
        waited_s = time.monotonic() - start
        with pytest.raises(JournalBrokenError):
            replayed(journal, database.apply)
    journal.append(a_turn(n=1))
    replayed(journal, database.apply)

    assert refusal.value.retry_after_s
    assert waited_s > 0.04
    assert database.streams == {"c1": [1]}


async def test_a_cancelled_caller_waits_for_its_thread() -> None:
    begun, ended = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(begun.set)
        time.sleep(0.05)
        ended.set()

    waiting = asyncio.create_task(in_thread(work))
    await begun.wait()
    waiting.cancel()
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert ended.is_set()
