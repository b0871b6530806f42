"""A process that uses the journal: the tests start it, read what it says, and kill it.

    user.py FOLDER append NAME COUNT    says `id stream n` after each append returned
    user.py FOLDER replay FILE MOST     notes `id stream n` in FILE for every record it applies

The one leaves when its work is done, the other when its input ends and nothing is left; it stops
for good in the middle of the record after the first MOST.
"""

import asyncio
import os
import sys
from pathlib import Path

from longterm.journal import locks
from longterm.journal.group import AsyncJournal
from longterm.journal.journal import Journal
from longterm.journal.record import Record

STREAMS = 3


async def append(journal: AsyncJournal, name: str, count: int) -> None:
    async def one_after_the_other(stream: str) -> None:
        for n in range(count):
            record = {"stream": stream, "payload": {"n": n}}
            record_id = await journal.append(record)
            os.write(1, f"{record_id} {stream} {n}\n".encode())

    await asyncio.gather(*(one_after_the_other(f"{name}{at}") for at in range(STREAMS)))


async def replay(journal: AsyncJournal, file: Path, most: int) -> None:
    # Opened once: one write of a line is all or nothing, whenever this process is killed.
    fd = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    left = most

    async def apply(record: Record) -> None:
        nonlocal left
        os.write(fd, f"{record.id} {record.stream} {record.payload['n']}\n".encode())
        left -= 1
        if left < 0:
            await asyncio.Event().wait()

    told_to_end = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    while not told_to_end.done() or await journal.pending():
        await journal.replay(apply)
        await asyncio.sleep(0.005)


async def main() -> None:
    folder, what, where, how = sys.argv[1:]
    # Several processes on a machine that stands still for seconds.
    locks.GATE_PATIENCE_S = 60.0
    journal = AsyncJournal(
        Journal(Path(folder), max_bytes=10**8, max_records=10**6, segment_bytes=20_000)
    )
    os.write(1, b"ready\n")
    if what == "append":
        await append(journal, where, int(how))
    else:
        await replay(journal, Path(where), int(how))
    await journal.close()


if __name__ == "__main__":
    asyncio.run(main())
