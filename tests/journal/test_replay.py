"""What was kept comes back in order, once each, whatever fails on the way."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from longterm.journal.errors import StopReplayError
from longterm.journal.locks import replay_lock
from longterm.journal.record import Record
from tests.journal.samples import Database, a_journal, a_turn, names, replayed
from tests.journal.test_append import room_for


def test_the_records_of_all_processes_come_in_the_order_they_were_appended(
    tmp_path: Path,
) -> None:
    journals = [a_journal(tmp_path, segment_bytes=600) for _ in range(3)]
    database = Database()
    for n in range(60):
        journals[n % 3].append(a_turn(f"c{n % 2}", n))

    report = replayed(journals[0], database.apply)

    assert (report.applied, report.failed, report.left, report.damaged) == (60, 0, 0, 0)
    assert database.streams == {"c0": list(range(0, 60, 2)), "c1": list(range(1, 60, 2))}
    assert {path.suffix for path in tmp_path.iterdir()} == {".lock"}
    assert [journal.pending() for journal in journals] == [0, 0, 0]


def test_a_record_that_fails_stops_its_stream_and_no_other(tmp_path: Path) -> None:
    journal, database = a_journal(tmp_path, segment_bytes=600), Database()
    for n in range(30):
        journal.append(a_turn(f"c{n % 3}", n))

    async def apply(record: Record) -> None:
        if record.payload["n"] == 10:
            raise ValueError("no")
        await database.apply(record)

    report = replayed(journal, apply)
    marks = names(tmp_path, ".done")
    journal.append(a_turn("c1", 31))
    pending = journal.pending()
    again = replayed(a_journal(tmp_path), database.apply)

    assert (report.applied, report.failed, report.left) == (23, 1, 7)
    assert (pending, marks) == (8, [])
    assert again.applied == 8
    assert database.streams["c1"] == [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31]
    assert set(database.came.values()) == {1}


def test_why_a_record_failed_is_logged_without_what_the_user_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = a_journal(tmp_path)
    record_id = journal.append(a_turn("conversation 7"))

    async def apply(record: Record) -> None:
        raise ValueError(f"Failing row contains {record.payload}")

    replayed(journal, apply)

    (logged,) = [record.getMessage() for record in caplog.records if "journal" in record.name]
    assert "ValueError" in logged
    assert record_id in logged
    assert "conversation 7" in logged
    assert "sie?" not in logged


def test_what_is_left_of_a_segment_is_on_disk_before_it_takes_its_place(
    tmp_path: Path, synced: list[tuple[str, int]]
) -> None:
    journal = a_journal(tmp_path)
    for stream in ("ada", "bob"):
        journal.append(a_turn(stream))

    journal.forget(lambda record: record.stream == "ada")

    (segment,) = names(tmp_path, ".sealed")
    rewritten = (f"{segment.stem}.new", segment.stat().st_size)
    assert rewritten in synced
    assert tmp_path.name in [name for name, _ in synced[synced.index(rewritten) :]]


def test_whoever_writes_back_can_stop_everything_at_once(tmp_path: Path) -> None:
    journal, asked = a_journal(tmp_path), list[str]()
    for n in range(5):
        journal.append(a_turn(f"c{n}", n))

    async def apply(record: Record) -> None:
        asked.append(record.stream)
        if record.stream == "c1":
            raise StopReplayError

    report = replayed(journal, apply)

    assert asked == ["c0", "c1"]
    assert (report.applied, report.failed, report.left) == (1, 0, 4)
    assert journal.pending() == 4


def test_two_never_write_back_at_once(tmp_path: Path) -> None:
    one, two, database = a_journal(tmp_path), a_journal(tmp_path), Database()
    one.append(a_turn())
    reports: list[bool] = []

    async def apply(record: Record) -> None:
        reports.append((await two.replay(database.apply)).ran)
        await database.apply(record)

    report = replayed(one, apply)

    assert reports == [False]
    assert (report.ran, report.applied) == (True, 1)
    assert (replayed(two, database.apply)).ran
    assert set(database.came.values()) == {1}


def test_records_appended_during_a_replay_come_with_the_next(tmp_path: Path) -> None:
    journal, database = a_journal(tmp_path), Database()
    journal.append(a_turn(n=0))

    async def apply(record: Record) -> None:
        await asyncio.to_thread(journal.append, a_turn(n=1))
        await database.apply(record)

    first = replayed(journal, apply)
    second = replayed(journal, database.apply)

    assert (first.applied, second.applied) == (1, 1)
    assert database.streams == {"c1": [0, 1]}


def test_a_cancelled_replay_goes_on_where_it_was(tmp_path: Path) -> None:
    journal, database, reached = a_journal(tmp_path), Database(), asyncio.Event()
    for n in range(10):
        journal.append(a_turn(n=n))

    async def apply(record: Record) -> None:
        if record.payload["n"] == 6:
            reached.set()
            await asyncio.sleep(60)
        await database.apply(record)

    async def cancelled() -> None:
        replaying = asyncio.create_task(journal.replay(apply))
        await reached.wait()
        replaying.cancel()
        await replaying

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    pending = journal.pending()
    report = replayed(journal, database.apply)

    assert (pending, report.applied) == (4, 4)
    assert database.streams == {"c1": list(range(10))}
    assert set(database.came.values()) == {1}


def test_room_is_free_again_before_a_long_replay_ends(tmp_path: Path) -> None:
    journal, pending = a_journal(tmp_path, segment_bytes=600), list[int]()
    for n in range(200):
        journal.append(a_turn(n=n))
    size = journal.bytes()

    async def apply(record: Record) -> None:
        if record.payload["n"] == 199:
            pending.append(await asyncio.to_thread(journal.pending))
            pending.append(await asyncio.to_thread(journal.bytes))

    replayed(journal, apply)

    assert pending[0] == 1
    assert pending[1] < size / 10


def test_a_full_disk_does_not_keep_the_journal_from_being_emptied(tmp_path: Path) -> None:
    journal, database = a_journal(tmp_path), Database()
    for n in range(5):
        journal.append(a_turn(n=n))

    with room_for(0):
        report = replayed(journal, database.apply)

    assert (report.applied, report.left) == (5, 0)
    assert set(database.came.values()) == {1}
    assert names(tmp_path, ".sealed") == []


def test_a_journal_that_was_never_used_has_nothing_to_replay(tmp_path: Path) -> None:
    journal = a_journal(tmp_path / "journal")

    assert (journal.pending(), journal.bytes(), journal.is_full) == (0, 0, False)
    assert (replayed(journal, Database().apply)).applied == 0


def test_what_a_kill_leaves_lying_about_is_swept_away(tmp_path: Path) -> None:
    journal, database = a_journal(tmp_path), Database()
    journal.append(a_turn())
    (tmp_path / "0198c3f2-0000-7000-8000-000000000000.done").write_text("gone\n")
    (tmp_path / "0198c3f2-0000-7000-8000-000000000000.new").write_text("half")
    (tmp_path / "0198c3f2-0000-7000-8000-000000000001.open").touch()

    replayed(journal, database.apply)

    assert {path.suffix for path in tmp_path.iterdir()} == {".lock"}
    assert database.streams == {"c1": [0]}


def test_forgetting_leaves_nothing_of_a_user_and_all_of_the_others(tmp_path: Path) -> None:
    one, two, database = a_journal(tmp_path, segment_bytes=600), a_journal(tmp_path), Database()
    for n in range(20):
        (one, two)[n % 3 == 0].append(a_turn(("ada", "bob")[n % 2], n))
    (damaged, *_) = names(tmp_path, ".open")
    text = bytearray(damaged.read_bytes())
    text[150] ^= 1
    damaged.write_bytes(bytes(text))

    forgotten = one.forget(lambda record: record.stream == "ada")
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    replayed(two, database.apply)

    assert forgotten in {9, 10}
    assert b'"ada"' not in content
    assert set(database.streams) == {"bob"}
    assert len(database.came) + forgotten == 19
    assert one.forget(lambda _: True) == 0


def test_forgetting_waits_for_a_replay(
    tmp_path: Path,
) -> None:
    journal, lock = a_journal(tmp_path), replay_lock(tmp_path)
    journal.append(a_turn())
    lock.acquire(0)

    with ThreadPoolExecutor() as threads:
        forgetting = threads.submit(journal.forget, lambda _: True)
        time.sleep(0.05)
        waited = not forgetting.done()
        lock.release()

    assert waited
    assert forgetting.result() == 1
