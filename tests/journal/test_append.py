"""What `append` returned for is on disk; what does not fit is refused, clearly."""

import os
import resource
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest

from longterm.errors import InvalidInputError, UnavailableError
from longterm.journal import journal as journal_module
from longterm.journal.errors import JournalBrokenError, JournalFullError
from longterm.journal.lines import CHUNK_BYTES
from longterm.journal.record import Record
from tests.journal.samples import Database, a_journal, a_turn, names, replayed

# As nobody, because root can write everywhere; after the imports, which nobody may not read.
WRITER = """
import os, sys
from pathlib import Path
from longterm.errors import LongtermError
from tests.journal.samples import a_journal, a_turn
if os.geteuid() == 0:
    os.setuid(65534)
try:
    a_journal(Path(sys.argv[1])).append(a_turn())
except LongtermError as error:
    print(type(error).__name__, error)
"""


@contextmanager
def room_for(file_bytes: int) -> Generator[None]:
    """As on a disk that is nearly full: a write is cut short, the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_record_comes_back_as_it_was_given(tmp_path: Path) -> None:
    journal = a_journal(tmp_path)
    payload = {"a": [1, 2.5, None, True, {"ü": "\n\r\u2028\x00\ud800"}], "": "x" * CHUNK_BYTES * 2}
    said = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    came: list[Record] = []

    async def apply(record: Record) -> None:
        came.append(record)

    record_id = journal.append({"stream": "s", "payload": payload, "at": said})
    journal.append({"stream": "s", "payload": {}})
    replayed(journal, apply)

    assert came[0] == Record(id=record_id, at=said.astimezone(UTC), stream="s", payload=payload)
    assert came[1].at - datetime.now(UTC) < timedelta(minutes=1)


def test_ids_ascend_within_a_millisecond_across_processes_and_when_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = a_journal(tmp_path), a_journal(tmp_path)

    ids = [journal.append(a_turn()) for _ in range(50) for journal in (one, two)]
    ids += one.append_all([one.check(a_turn())] * 200)
    monkeypatch.setattr(journal_module, "new_id", lambda: "00000000-0000-7000-8000-000000000000")
    ids += [journal.append(a_turn()) for journal in (two, one, a_journal(tmp_path))]

    assert ids == sorted(set(ids))
    assert {UUID(record_id).version for record_id in ids} == {7}


def test_an_append_is_synced_with_all_its_bytes_before_it_returns(
    tmp_path: Path, synced: list[tuple[str, int]]
) -> None:
    folder = tmp_path / "journal"
    journal = a_journal(folder)

    journal.append(a_turn())
    (segment,) = names(folder, ".open")
    first = list(synced)
    journal.append(a_turn())

    assert [name for name, _ in first] == [tmp_path.name, segment.name, "journal"]
    assert first[1][1] > 0
    assert synced[3:] == [(segment.name, segment.stat().st_size)]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "journal"
    folder.mkdir(parents=True, mode=0o755)
    umask = os.umask(0)
    try:
        a_journal(folder).append(a_turn())
    finally:
        os.umask(umask)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("bounds", [{"max_records": 5}, {"max_bytes": 5 * 190}])
def test_a_full_journal_refuses_for_all_processes_and_recovers_after_a_replay(
    tmp_path: Path, bounds: dict[str, int]
) -> None:
    one, two = a_journal(tmp_path, **bounds), a_journal(tmp_path, **bounds)
    database = Database()
    kept = [journal.append(a_turn(n=n)) for n, journal in enumerate([one, two, one, two, one])]

    with pytest.raises(JournalFullError, match="full: 5 of") as refusal:
        two.append(a_turn(n=5))
    was_full = one.is_full
    report = replayed(two, database.apply)
    after = one.append(a_turn(n=6))

    assert isinstance(refusal.value, UnavailableError)
    assert refusal.value.retry_after_s
    assert was_full == ("max_records" in bounds)
    assert report.applied == len(kept)
    assert database.streams == {"c1": [0, 1, 2, 3, 4]}
    assert (one.pending(), two.pending()) == (1, 1)
    assert after > kept[-1]


def test_of_appends_together_those_that_fit_are_kept_from_the_first_on(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, max_bytes=800)
    small, large = journal.check(a_turn()), journal.check(a_turn("c" * 500))

    ids = journal.append_all([small, small, large, small])

    assert len(ids) == 2
    assert journal.pending() == 2


def test_segments_stay_small(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, segment_bytes=500)

    for n in range(12):
        journal.append(a_turn(n=n))

    sizes = [path.stat().st_size for path in names(tmp_path, ".open")]
    assert len(sizes) == 4
    assert max(sizes) < 700
    assert (journal.pending(), journal.bytes()) == (12, sum(sizes))


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"stream": "", "payload": {}},
        {"stream": 7, "payload": {}},
        {"stream": "s", "payload": []},
        {"stream": "s", "payload": {"x": float("nan")}},
        {"stream": "s", "payload": {"x": object()}},
        {"stream": "s", "payload": {}, "at": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"stream": "s", "payload": {}, "id": "mine"},
        {"stream": "s", "payload": {"x": "y" * 1000}},
    ],
)
def test_what_can_never_be_kept_is_bad_input(tmp_path: Path, record: dict[str, Any]) -> None:
    journal = a_journal(tmp_path / "journal", max_bytes=1000)

    with pytest.raises(InvalidInputError):
        journal.append(record)

    assert not (tmp_path / "journal").exists()


def test_without_room_on_disk_an_append_fails_clearly_and_leaves_nothing(tmp_path: Path) -> None:
    journal, database = a_journal(tmp_path), Database()
    journal.append(a_turn(n=0))

    with room_for(250), pytest.raises(JournalBrokenError, match="too large") as failure:
        journal.append(a_turn(n=1))
    pending = journal.pending()
    journal.append(a_turn(n=2))
    replayed(journal, database.apply)

    assert failure.value.retry_after_s
    assert pending == 1
    assert database.streams == {"c1": [0, 2]}


def test_an_append_that_could_not_be_synced_fails_and_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, database = a_journal(tmp_path), Database()
    journal.append(a_turn(n=0))

    def broken(fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(JournalBrokenError, match="Input/output"):
            journal.append(a_turn(n=1))
    journal.append(a_turn(n=2))
    segments = names(tmp_path, ".open")
    replayed(journal, database.apply)

    assert len(segments) == 2
    assert database.streams == {"c1": [0, 2]}


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()

    with pytest.raises(JournalBrokenError, match=r"cannot be used: Not a directory"):
        a_journal(in_the_way / "journal").append(a_turn())


def test_a_read_only_folder_is_a_clear_error() -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o500)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)

        command = [sys.executable, "-c", WRITER, folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert ran.stdout.startswith("JournalBrokenError The journal cannot be used"), ran.stderr
    assert folder not in ran.stdout
    assert folder in ran.stderr
    assert "Permission denied" in ran.stdout
