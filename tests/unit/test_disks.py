"""b9: a disk that runs full is told before it is."""

from pathlib import Path

from longterm import Settings
from longterm.observe.disks import LEAST_FREE_BYTES, Disk, measure
from longterm.runtime import Runtime


def test_a_folder_that_is_not_there_yet_is_measured_by_what_is_above_it(tmp_path: Path) -> None:
    (there,) = measure({"data": tmp_path})
    (later,) = measure({"data": tmp_path / "a" / "b"})

    assert there.folder == later.folder == "data"
    assert there.free_bytes > 0
    assert abs(there.free_share - later.free_share) < 0.1


def test_too_little_room_is_a_problem_and_said_in_a_sentence() -> None:
    enough = Disk(folder="journal", free_bytes=LEAST_FREE_BYTES, free_share=0.01)
    short = Disk(folder="journal", free_bytes=LEAST_FREE_BYTES - 1, free_share=0.9)

    assert enough.problem is None
    assert short.problem == "The disk of the journal folder has 255 MiB left; it needs 256 MiB."


def test_the_data_folder_is_looked_at_where_the_database_is_ours(tmp_path: Path) -> None:
    ours = Runtime(Settings(data_dir=tmp_path, database_url=None, journal_dir=None))
    elsewhere = Runtime(Settings(data_dir=tmp_path, database_url="postgresql://elsewhere"))

    assert list(ours.folders) == ["data", "journal"]
    assert list(elsewhere.folders) == ["journal"]
