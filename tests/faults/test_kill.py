"""§3 "nothing lost between the steps": kill -9 of everything, in the middle of writing."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from longterm import Longterm

WRITER = Path(__file__).with_name("writer.py")
HOW_MANY = 1000
KILL_AFTER = 400


def test_every_acknowledged_write_is_there_once_after_a_kill_of_the_whole_tree(
    used_dir: Path,
) -> None:
    acknowledged = _write_and_kill(used_dir)

    with Longterm(data_dir=used_dir) as lt:
        mem = lt.tenant(1)
        stored = mem.get_recent_messages("ada", count=HOW_MANY)
        lt.drain()
        (conversation,) = mem.list_conversations("ada")
        mem.add_message("ada", "user", "after the kill")
        (newest,) = mem.get_recent_messages("ada", count=1)

    # One more than acknowledged may be there: stored, and killed before it could say so.
    contents = [message.content for message in stored]
    assert KILL_AFTER <= len(acknowledged) < HOW_MANY
    assert contents[: len(acknowledged)] == acknowledged
    assert len(stored) - len(acknowledged) in {0, 1}
    assert [message.turn for message in stored] == list(range(1, len(stored) + 1))
    assert newest.turn == len(stored) + 1
    assert conversation.title == "message 0"


def _write_and_kill(folder: Path) -> list[str]:
    command = [sys.executable, str(WRITER), str(folder), str(HOW_MANY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(KILL_AFTER)]
        for pid in (writer.pid, *_postgres_of(folder)):
            # Without its parent, a child may have ended by itself.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        lines += writer.stdout.readlines()
    return [f"message {line.split()[1]}" for line in lines if line.endswith("\n")]


def _postgres_of(folder: Path) -> list[int]:
    """The server and all its children."""
    postmaster = int(next(folder.glob("postgres-*/postmaster.pid")).read_text().split()[0])
    return [postmaster, *_children_of(postmaster)]


def _children_of(parent: int) -> list[int]:
    stats: list[str] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        # Somebody else's process may end meanwhile.
        with suppress(OSError):
            stats.append(path.read_text())
    # pid (name) state parent …: the name can hold blanks and brackets.
    fields = [(stat.split()[0], stat.rpartition(")")[2].split()[1]) for stat in stats]
    return [int(pid) for pid, its_parent in fields if int(its_parent) == parent]
