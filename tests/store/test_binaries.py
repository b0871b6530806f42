"""The PostgreSQL programs: found, refused, or copied to where they can be run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from longterm.errors import SetupError
from longterm.store import binaries
from longterm.store.embedded import EmbeddedPostgres
from tests.store.embedded_processes import (
    ask,
    fake_programs,
    only_linux,
    only_root,
    open_to_all,
    postmaster,
    watched,
)

pytestmark = only_linux


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield from watched(tmp_path / "data")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    yield from open_to_all()


def test_programs_too_old_for_the_locale_are_refused(open_folder: Path) -> None:
    programs = fake_programs(open_folder, version="16.9", initdb="exit")

    with pytest.raises(SetupError, match="needs 17 or newer"):
        binaries.find(programs)


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no `bin/postgres` in"):
        binaries.find(tmp_path)


def test_without_any_wheel_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "WHEELS", (("no_such_package", "pginstall"),))

    with pytest.raises(SetupError, match="DATABASE_URL"):
        binaries.find()


@only_root
def test_programs_that_the_account_cannot_reach_are_copied_once(
    data_dir: Path, tmp_path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = binaries.find().folder
    hidden = tmp_path / "venv"
    shutil.copytree(wheel, hidden / wheel.parent.name / wheel.name)
    libraries = f"{wheel.parent.name}.libs"
    shutil.copytree(wheel.parent.with_name(libraries), hidden / libraries)
    cache = open_folder / "cache"
    monkeypatch.setattr(binaries.reachable, "__kwdefaults__", {"cache": cache})

    for _ in range(2):
        programs = hidden / wheel.parent.name / wheel.name
        with EmbeddedPostgres(data_dir, binaries=programs) as postgres:
            ask(postgres.start(), "CREATE EXTENSION IF NOT EXISTS vector")
            server = Path(f"/proc/{postmaster(data_dir)}/exe").readlink()
            assert server.is_relative_to(cache)

    assert len(list(cache.iterdir())) == 1
