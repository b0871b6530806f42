"""b7 with real processes: kill -9 in the middle of appending and of writing back."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.journal.samples import Database, a_journal, names, replayed

USER = Path(__file__).with_name("user.py")
KILLS = 4
# Ample: it ends only those that hang.
LONGEST_S = 120
ALL = str(10**6)
Said = tuple[str, str, int]


def _start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, str(USER), str(folder), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def _said(lines: Iterable[str]) -> list[Said]:
    found = [line.split() for line in lines if line.endswith("\n") and line != "ready\n"]
    return [(record_id, stream, int(n)) for record_id, stream, n in found]


def _append_and_kill(folder: Path, name: str, after: int) -> list[Said]:
    with _start(folder, "append", name, "100000") as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(after)]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()
    return _said(lines)


def _in_order(said: Iterable[Said]) -> dict[str, list[int]]:
    streams: dict[str, list[int]] = {}
    for _, stream, n in said:
        streams.setdefault(stream, []).append(n)
    return streams


def test_what_was_acknowledged_before_a_kill_comes_back_in_order_once_each(tmp_path: Path) -> None:
    database = Database()
    acknowledged = [
        said
        for kill in range(KILLS)
        for said in _append_and_kill(tmp_path, f"{kill}-", after=30 + 41 * kill)
    ]

    report = replayed(a_journal(tmp_path), database.apply)

    assert {record_id for record_id, _, _ in acknowledged} <= set(database.came)
    assert set(database.came.values()) == {1}
    assert report.damaged == 0
    for stream, numbers in _in_order(acknowledged).items():
        # One more may be there: kept, and killed before it could say so.
        assert database.streams[stream] == list(range(len(database.streams[stream])))
        assert len(database.streams[stream]) - len(numbers) in {0, 1}
    assert names(tmp_path, ".open") == names(tmp_path, ".sealed") == []


def test_a_kill_in_the_middle_of_writing_back_repeats_at_most_the_record_under_way(
    tmp_path: Path,
) -> None:
    folder, applied = tmp_path / "journal", tmp_path / "applied"
    acknowledged = _append_and_kill(folder, "a", after=400)
    for kill in range(KILLS):
        # However late the kill comes, each leaves something to those after it.
        with _start(folder, "replay", str(applied), "90") as replaying:
            assert replaying.stdout is not None
            replaying.stdout.readline()
            seen = applied.stat().st_size if applied.exists() else 0
            while not applied.exists() or applied.stat().st_size < seen + 1000 + 777 * kill:
                assert replaying.poll() is None
                time.sleep(0.001)
            replaying.send_signal(signal.SIGKILL)

    killed_at = len(_said(applied.read_text().splitlines(keepends=True)))
    with _start(folder, "replay", str(applied), ALL) as replaying:
        replaying.communicate(timeout=LONGEST_S)

    came = _said(applied.read_text().splitlines(keepends=True))
    times = Counter(record_id for record_id, _, _ in came)
    first = list(dict.fromkeys(came))
    assert 0 < killed_at < len(came)
    assert {record_id for record_id, _, _ in acknowledged} <= set(times)
    assert sum(times.values()) - len(times) <= KILLS
    assert max(times.values()) <= 2
    assert _in_order(first) == {
        stream: list(range(len(numbers))) for stream, numbers in _in_order(first).items()
    }
    assert a_journal(folder).pending() == 0


def test_two_processes_append_while_two_others_write_back(tmp_path: Path) -> None:
    folder, applied = tmp_path / "journal", tmp_path / "applied"
    count = 150

    writers = [_start(folder, "append", name, str(count)) for name in "ab"]
    replaying = [_start(folder, "replay", str(applied), ALL) for _ in range(2)]
    acknowledged = [
        _said(writer.communicate(timeout=LONGEST_S)[0].splitlines(True)) for writer in writers
    ]
    for process in replaying:
        process.communicate(timeout=LONGEST_S)

    came = _said(applied.read_text().splitlines(keepends=True))
    assert [process.returncode for process in (*writers, *replaying)] == [0, 0, 0, 0]
    assert sorted(came) == sorted([*acknowledged[0], *acknowledged[1]])
    assert _in_order(came) == {f"{name}{at}": list(range(count)) for name in "ab" for at in "012"}
    assert a_journal(folder).pending() == 0
