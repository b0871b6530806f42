"""The journal of an event loop: nothing blocks, and those who wait together share one sync."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longterm.errors import InvalidInputError
from longterm.journal import locks
from longterm.journal.errors import JournalBrokenError, JournalFullError
from longterm.journal.group import AsyncJournal
from longterm.journal.journal import Journal
from longterm.journal.locks import FileLock
from tests.journal.samples import ROOMY, Database, a_journal, a_turn, names

APPENDS = 320


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[AsyncJournal]:
    opened = AsyncJournal(a_journal(tmp_path))
    yield opened
    await opened.close()


async def test_appends_at_the_same_time_share_a_sync_and_keep_their_order(
    journal: AsyncJournal, synced: list[tuple[str, int]]
) -> None:
    database = Database()

    async def append(n: int) -> tuple[str, int]:
        return await journal.append(a_turn(n=n)), len(synced)

    kept = await asyncio.gather(*(append(n) for n in range(100)))
    after_append = len(synced)
    pending = await journal.pending()
    report = await journal.replay(database.apply)

    ids = [record_id for record_id, _ in kept]
    assert ids == sorted(set(ids))
    # The first may go alone, the others go together; a new segment costs its folder, too.
    assert after_append <= 4
    assert min(syncs for _, syncs in kept) >= 1
    assert (pending, report.applied, await journal.bytes()) == (100, 100, 0)
    assert database.streams == {"c1": list(range(100))}


async def test_of_those_who_wait_some_are_kept_and_the_rest_refused(tmp_path: Path) -> None:
    journal = AsyncJournal(Journal(tmp_path, max_bytes=ROOMY, max_records=7))
    database = Database()

    answers = await asyncio.gather(
        *(journal.append(a_turn(n=n)) for n in range(20)), return_exceptions=True
    )
    is_full = await journal.is_full()
    await journal.replay(database.apply)
    after = await journal.append(a_turn(n=20))
    await journal.close()

    assert [isinstance(answer, str) for answer in answers] == [True] * 7 + [False] * 13
    assert {type(answer) for answer in answers[7:]} == {JournalFullError}
    assert is_full
    assert database.streams == {"c1": list(range(7))}
    assert after


async def test_a_disk_that_fails_is_an_error_for_everybody_who_waits_and_then_works_again(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "journal"
    folder.touch()
    journal = AsyncJournal(a_journal(folder))

    answers = await asyncio.gather(
        *(journal.append(a_turn(n=n)) for n in range(5)), return_exceptions=True
    )
    folder.unlink()
    kept = await journal.append(a_turn())
    await journal.close()

    assert {type(answer) for answer in answers} == {JournalBrokenError}
    assert kept


async def test_bad_input_is_refused_for_its_own_caller_only(journal: AsyncJournal) -> None:
    good, bad = await asyncio.gather(
        journal.append(a_turn()), journal.append({"stream": ""}), return_exceptions=True
    )

    assert isinstance(good, str)
    assert isinstance(bad, InvalidInputError)


async def test_a_caller_who_goes_away_harms_nobody(
    journal: AsyncJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine that stands still must not look like somebody who keeps the gate shut.
    monkeypatch.setattr(locks, "GATE_PATIENCE_S", 60.0)
    database, gate = Database(), FileLock(tmp_path / "gate.lock")
    await asyncio.to_thread(gate.acquire, 0)
    tasks = [asyncio.create_task(journal.append(a_turn(n=n))) for n in range(20)]
    # By then these wait for the gate, in a thread.
    await asyncio.sleep(0.02)
    tasks += [asyncio.create_task(journal.append(a_turn(n=n))) for n in range(20, 40)]
    await asyncio.sleep(0)

    for gone in tasks[::2]:
        gone.cancel()
    gate.release()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    await journal.replay(database.apply)

    assert [isinstance(answer, str) for answer in answers] == [False, True] * 20
    # Those of the first twenty were on their way; those of the others were never written.
    assert database.streams["c1"] == [*range(20), *range(21, 40, 2)]
    assert names(tmp_path, ".open") == []


async def test_forgetting_does_not_block(journal: AsyncJournal) -> None:
    await asyncio.gather(*(journal.append(a_turn(f"c{n % 2}", n)) for n in range(10)))

    assert await journal.forget(lambda record: record.stream == "c1") == 5
    assert await journal.pending() == 5


async def test_together_appends_wait_for_the_disk_far_less_often_than_alone(
    journal: AsyncJournal, synced: list[tuple[str, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    async def append(times: int) -> None:
        for n in range(times):
            await journal.append(a_turn(n=n))

    async def timed(clients: int) -> float:
        start = time.perf_counter()
        await asyncio.gather(*(append(APPENDS // clients) for _ in range(clients)))
        return APPENDS / (time.perf_counter() - start)

    alone = await timed(1)
    syncs_alone = len(synced)
    together = await timed(32)

    with capsys.disabled():
        print(f"\njournal: {alone:.0f} appends/s alone, {together:.0f} with 32 at once")  # noqa: T201
    # Counted, not timed: a machine that stands still for a moment does so in one of the two.
    assert syncs_alone >= APPENDS
    assert len(synced) - syncs_alone <= APPENDS / 8
