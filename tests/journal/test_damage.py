"""A torn write is cut off; a flipped byte costs its own record, and is reported."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.journal.samples import Database, a_journal, a_turn, names, replayed

RECORDS = 3


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for thousands of replays."""
    with asyncio.Runner() as runner:
        yield runner


def _written(folder: Path) -> tuple[Path, bytes, list[int]]:
    """A segment with a few records, and where each of them ends."""
    journal = a_journal(folder)
    ends: list[int] = []
    for n in range(RECORDS):
        journal.append(a_turn(n=n))
        ends.append(journal.bytes())
    (segment,) = names(folder, ".open")
    return segment, segment.read_bytes(), ends


def test_a_write_cut_off_at_any_byte_costs_only_itself(
    tmp_path: Path, runner: asyncio.Runner
) -> None:
    segment, content, ends = _written(tmp_path)

    for size in range(ends[-2] - 1, len(content) + 1):
        segment.write_bytes(content[:size])
        journal, database = a_journal(tmp_path), Database()
        report = runner.run(journal.replay(database.apply))

        # The last byte of a line is only its break.
        whole = [n for n, end in enumerate(ends) if end - 1 <= size]
        assert database.streams.get("c1", []) == whole
        assert (report.damaged, report.left, journal.bytes()) == (0, 0, 0)
        assert names(tmp_path, ".damaged") == []


def test_a_flipped_byte_anywhere_costs_only_its_record_and_is_put_aside(
    tmp_path: Path, runner: asyncio.Runner
) -> None:
    segment, content, ends = _written(tmp_path)

    for at in range(ends[0] - 1, ends[1]):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        segment.write_bytes(bytes(damaged))
        database = Database()
        report = runner.run(a_journal(tmp_path).replay(database.apply))

        hit = next(n for n, end in enumerate(ends) if at < end)
        others = [n for n in range(RECORDS) if n != hit]
        aside = b"".join(path.read_bytes() for path in names(tmp_path, ".damaged"))
        if database.streams["c1"] != others:
            # Only the break after a record can be damaged without harm.
            assert (at, database.streams["c1"]) == (ends[hit] - 1, list(range(RECORDS)))
        elif report.damaged:
            assert len(aside) == ends[hit] - ([0, *ends][hit])
        else:
            pytest.fail(f"byte {at} was lost without a word")
        for path in names(tmp_path, ".damaged"):
            path.unlink()


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    flips=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from([0x01, 0x0A, 0x20, 0xFF])),
        max_size=3,
    ),
    cut=st.integers(0, 40),
    zeros=st.sampled_from([0, 0, 512]),
)
def test_whatever_happens_to_a_segment_the_rest_comes_in_order_and_nothing_is_made_up(
    tmp_path: Path, flips: list[tuple[float, int]], cut: int, zeros: int
) -> None:
    segment, content, ends = _written(tmp_path)
    damaged = bytearray(content[: len(content) - cut] + bytes(zeros))
    for share, flip in flips:
        damaged[int(share * len(damaged))] ^= flip
    segment.write_bytes(bytes(damaged))
    database = Database()

    replayed(a_journal(tmp_path), database.apply)

    came = database.streams.get("c1", [])
    untouched = [
        n
        for n, (start, end) in enumerate(zip([0, *ends], ends, strict=False))
        # The break before a record is its own, too: two flips can merge it with a damaged one.
        if bytes(damaged[max(0, start - 1) : end]) == content[max(0, start - 1) : end]
    ]
    assert came == sorted(set(came))
    assert set(untouched) <= set(came) <= set(range(RECORDS))
    assert names(tmp_path, ".sealed") == []


def test_damage_is_logged_once_and_kept_from_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    segment, content, _ = _written(tmp_path)
    segment.write_bytes(content.replace(b'"n":1', b'"n":7'))
    database, refused = Database(), Database()

    async def refuse(record: object) -> None:
        raise RuntimeError("not yet")

    with caplog.at_level(logging.WARNING, logger="longterm.journal.segments"):
        first = replayed(a_journal(tmp_path), refuse)
        second = replayed(a_journal(tmp_path), database.apply)

    (aside,) = names(tmp_path, ".damaged")
    reported = [record for record in caplog.records if "damaged" in record.getMessage()]
    assert (first.damaged, first.left, second.damaged) == (1, 2, 0)
    assert database.streams == {"c1": [0, 2]}
    assert b'"n":7' in aside.read_bytes()
    assert aside.stat().st_mode & 0o777 == 0o600
    assert len(reported) == 1
    assert "heißt" not in str(reported)
    assert not refused.came
