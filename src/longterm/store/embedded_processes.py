"""The processes of the embedded server, and signals to them.

They are found by the server's name (`cluster_name`), which PostgreSQL puts into the title of every
process, and by their account. A remembered process id may belong to another program by now, and
the files that a process has open can't be read by the root of a container.
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longterm.store.binaries import ENVIRONMENT

_TITLE_OF_CHILD = "postgres: "


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """A process, told apart from a later one with the same id by the time of its start."""

    pid: int
    parent: int
    started: str
    title: str


def send(number: signal.Signals, name: str, *, uid: int) -> None:
    """Send a signal to every process of the server called `name`, orphans of a killed one included.

    SIGINT goes to the postmaster alone: to the checkpointer it means something else.
    """
    found = find(name, uid=uid)
    if number is signal.SIGINT:
        found = _without_children(found)
    for process in found:
        if _is_same(process, name, uid):
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)


def find(name: str, *, uid: int) -> list[ServerProcess]:
    """Every process of the server called `name`."""
    if sys.platform == "darwin":
        return _list_by_ps(name, uid)
    candidates = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return [found for pid in candidates if (found := _examine(pid, name, uid)) is not None]


def _without_children(found: list[ServerProcess]) -> list[ServerProcess]:
    # A child has the title of its parent until it sets its own.
    pids = {process.pid for process in found}
    return [
        process
        for process in found
        if process.parent not in pids and not process.title.startswith(_TITLE_OF_CHILD)
    ]


def _is_same(process: ServerProcess, name: str, uid: int) -> bool:
    if sys.platform == "darwin":
        now = _list_by_ps(name, uid)
    else:
        now = [_examine(process.pid, name, uid)]
    return any(each and (each.pid, each.started) == (process.pid, process.started) for each in now)


def _examine(pid: int, name: str, uid: int) -> ServerProcess | None:
    folder = Path(f"/proc/{pid}")
    try:
        if folder.stat().st_uid != uid:
            return None
        title = (folder / "cmdline").read_bytes().decode(errors="replace")
        # pid (program) state parent …: the 22nd field is the time of the start.
        program, _, rest = (folder / "stat").read_text().rpartition(")")
    except OSError:
        return None
    if name not in title or not program.endswith("(postgres"):
        return None
    fields = rest.split()
    return ServerProcess(pid=pid, parent=int(fields[1]), started=fields[19], title=title)


def _list_by_ps(name: str, uid: int) -> list[ServerProcess]:
    command = ["/bin/ps", "-axo", "pid=,ppid=,uid=,lstart=,command="]
    listed = subprocess.run(  # noqa: S603 (no word of it comes from a user)
        command, capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    # The time of the start is five words: Mon Nov 16 16:55:06 2026.
    pattern = rf"\s*(\d+)\s+(\d+)\s+{uid}\s+((?:\S+\s+){{5}})(\S*postgres.*{re.escape(name)}.*)"
    matches = (re.fullmatch(pattern, line) for line in listed.stdout.splitlines())
    return [
        ServerProcess(pid=int(m[1]), parent=int(m[2]), started=m[3].strip(), title=m[4])
        for m in matches
        if m
    ]
