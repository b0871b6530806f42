"""A process dies before every single thing that it does to a file: nothing is lost or doubled."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from longterm.journal.journal import Journal
from longterm.journal.record import Record
from tests.journal.samples import Database, a_journal, a_turn, names, replayed

STEPS = ("open", "write", "fsync", "rename", "unlink", "ftruncate")
TURNS = 6


class Death(BaseException):
    """The process is gone; BaseException, because nothing in the product may catch it."""


class Fate:
    """Counts steps, and ends the process before one of them."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.steps = 0

    def __call__(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.steps += 1
            # A dead process does nothing more, whatever its code would do on the way out.
            if self.steps >= self.last:
                raise Death
            return step(*args, **kwargs)

        return counted


def _survives(
    work: Callable[[Journal], object], folder: Path, last: int, patch: pytest.MonkeyPatch
) -> bool:
    """Do it, until death at that step; tells whether it got to its end before."""
    journal, fate = a_journal(folder, segment_bytes=600), Fate(last)
    with patch.context() as dying, suppress(Death):
        for step in STEPS:
            dying.setattr(os, step, fate(getattr(os, step)))
        work(journal)
    return fate.steps < last


def _fill(folder: Path) -> None:
    journals = [a_journal(folder, segment_bytes=600) for _ in range(2)]
    for n in range(TURNS):
        journals[n % 2].append(a_turn("ada" if n % 3 else "bob", n))
    (damaged, *_) = names(folder, ".open")
    damaged.write_bytes(damaged.read_bytes() + b"what is this?\n" + b"torn")


@pytest.mark.parametrize("stuck", ["nobody", "ada"])
def test_a_replay_can_die_at_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stuck: str
) -> None:
    for last in range(1, 500):
        folder, database = tmp_path / str(last), Database()
        _fill(folder)

        async def apply(record: Record, database: Database = database) -> None:
            if record.stream == stuck:
                raise ValueError("not yet")
            await database.apply(record)

        survived = _survives(lambda j, apply=apply: replayed(j, apply), folder, last, monkeypatch)
        pending = a_journal(folder).pending()
        report = replayed(a_journal(folder), database.apply)

        assert database.streams == {"bob": [0, 3], "ada": [1, 2, 4, 5]}
        assert sum(database.came.values()) <= TURNS + 1
        assert pending == report.applied + report.damaged
        assert (report.left, a_journal(folder).bytes()) == (0, 0)
        assert len(names(folder, ".damaged")) == 1
        if survived:
            assert last > 30
            return
    pytest.fail("it never got to its end")


def test_forgetting_can_die_at_every_step_and_be_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for last in range(1, 500):
        folder, database = tmp_path / str(last), Database()
        _fill(folder)

        survived = _survives(
            lambda j: j.forget(lambda record: record.stream == "ada"), folder, last, monkeypatch
        )
        a_journal(folder).forget(lambda record: record.stream == "ada")
        content = b"".join(path.read_bytes() for path in folder.iterdir())
        replayed(a_journal(folder), database.apply)

        assert b'"ada"' not in content
        assert database.streams == {"bob": [0, 3]}
        if survived:
            assert last > 20
            return
    pytest.fail("it never got to its end")


def test_an_append_can_die_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for last in range(1, 100):
        folder, database = tmp_path / str(last), Database()
        a_journal(folder).append(a_turn(n=0))

        survived = _survives(lambda j: j.append(a_turn(n=1)), folder, last, monkeypatch)
        a_journal(folder).append(a_turn(n=2))
        replayed(a_journal(folder), database.apply)

        assert database.streams["c1"] in ([0, 2], [0, 1, 2])
        assert not survived or 1 in database.streams["c1"]
        if survived:
            assert last > 3
            return
    pytest.fail("it never got to its end")
