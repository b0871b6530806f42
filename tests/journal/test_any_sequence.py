"""b7 for any sequence of appends, crashes and failures: in order, once each, nothing lost."""

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from longterm.journal.errors import StopReplayError
from longterm.journal.journal import Journal
from longterm.journal.lines import line
from longterm.journal.record import Record
from longterm.records.ids import new_id
from tests.journal.samples import Database, a_journal, a_turn, names, replayed

PROCESSES = 2


class Death(BaseException):
    """The process is gone; BaseException, because nothing in the product may catch it."""


Fate = Literal["fails", "stops", "dies before", "dies after"]
processes = st.integers(0, PROCESSES - 1)
steps = st.one_of(
    st.tuples(st.just("append"), processes, st.lists(st.sampled_from("abc"), max_size=4)),
    st.tuples(st.just("append"), processes, st.lists(st.sampled_from("abc"), max_size=4)),
    st.tuples(st.just("die_in_a_write"), processes, st.floats(0, 0.99)),
    st.tuples(
        st.just("replay"),
        processes,
        st.dictionaries(
            st.integers(0, 8),
            st.sampled_from(["fails", "stops", "dies before", "dies after"]),
            max_size=2,
        ),
    ),
)


class World:
    """Two processes, their folder, and the database that forgets nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journals = [self._start() for _ in range(PROCESSES)]
        self.database = Database()
        self.kept: dict[str, list[int]] = {}
        self.count = 0
        self.again = 0

    def _start(self) -> Journal:
        return a_journal(self.folder, segment_bytes=500)

    def append(self, process: int, streams: list[str]) -> None:
        journal = self.journals[process]
        bodies: list[bytes] = []
        for stream in streams:
            self.count += 1
            bodies.append(journal.check(a_turn(stream, self.count)))
            self.kept.setdefault(stream, []).append(self.count)
        assert len(journal.append_all(bodies)) == len(streams)

    def die_in_a_write(self, process: int, share: float) -> None:
        """Leave a part of a line at the end of a segment, as a process that was killed does."""
        raw = line(new_id(), self.journals[process].check(a_turn("a", -1)))
        part = raw[: int(share * (len(raw) - 1))]
        segments = names(self.folder, ".open")
        torn = segments[-1] if segments else self.folder / f"{new_id()}.open"
        with torn.open("ab") as file:
            file.write(part)
        # Whoever wrote it is dead; the others never append to a segment that is not theirs.
        self.journals = [self._start() for _ in range(PROCESSES)]

    def replay(self, process: int, fates: dict[int, Fate]) -> None:
        came = 0

        async def apply(record: Record) -> None:
            nonlocal came
            came += 1
            match fates.get(came):
                case "fails":
                    raise ValueError("no")
                case "stops":
                    raise StopReplayError
                case "dies before":
                    raise Death
                case "dies after":
                    self.again += 1
                    await self.database.apply(record)
                    raise Death
                case None:
                    await self.database.apply(record)

        with suppress(Death):
            replayed(self.journals[process], apply)


@settings(max_examples=100)
@given(st.lists(steps, max_size=14))
def test_any_sequence_of_crashes_gives_back_what_was_kept_in_order_once_each(
    done: list[tuple[str, int, Any]],
) -> None:
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        for step, process, what in done:
            getattr(world, step)(process, what)
            waiting = sum(map(len, world.kept.values())) - len(world.database.came)
            assert waiting <= world.journals[0].pending() <= waiting + world.again

        report = asyncio.run(world.journals[0].replay(world.database.apply))

        assert world.database.streams == {k: v for k, v in world.kept.items() if v}
        # Once more only where a process died between applying and marking.
        assert sum(world.database.came.values()) <= world.count + world.again
        assert (report.left, report.damaged, world.journals[1].bytes()) == (0, 0, 0)
        assert {path.suffix for path in world.folder.iterdir()} <= {".lock"}
