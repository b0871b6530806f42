"""Runs `longterm` as its users do: as a program of its own."""

import io
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from longterm.cli import main

COMMAND = (sys.executable, "-W", "error", "-m", "longterm")
StartServer = Callable[..., "Server"]
Result = subprocess.CompletedProcess[str]


def clean_environment(**more: str) -> dict[str, str]:
    """The environment of the tests, without the settings of whoever runs them."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LONGTERM_") and key != "DATABASE_URL"
    }
    return kept | {"LONGTERM_LOG_FORMAT": "json"} | more


def longterm(*arguments: str | os.PathLike[str], **environment: str) -> Result:
    """Run a command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=clean_environment(**environment),
    )


def longterm_here(*arguments: str | os.PathLike[str]) -> Result:
    """Run a command to its end in this process: starting one takes longer than its work."""
    out, err, root = io.StringIO(), io.StringIO(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["longterm", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    root.handlers[:] = handlers
    root.setLevel(level)
    return Result(arguments, int(ended.value.code or 0), out.getvalue(), err.getvalue())


def quiet_port() -> int:
    """A free port that the kernel gives to nobody who takes any: it can be used twice."""
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    quiet = [*range(10_000, first), *range(last + 1, 65_536)] or range(10_000, 65_536)
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", secrets.choice(quiet))) as free:
            return free.getsockname()[1]


class Server:
    """A `longterm` that runs until it is told to stop."""

    def __init__(
        self, *arguments: str | os.PathLike[str], log: Path | None = None, **environment: str
    ) -> None:
        """Start it; one that says much needs a file for its log, because nobody empties a pipe."""
        with ExitStack() as files:
            errors = subprocess.PIPE if log is None else files.enter_context(log.open("ab"))
            self.process = subprocess.Popen(
                [*COMMAND, *arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=clean_environment(**environment),
                start_new_session=True,
            )

    def url(self) -> str:
        """Wait for the first line of a server, and return the address in it."""
        line = self.says()
        assert line.startswith("Longterm is running on http://"), self.process.communicate()
        return line.split()[-1]

    def says(self) -> str:
        """Wait for one line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def told(self, number: signal.Signals) -> tuple[int, str, str]:
        """Send a signal; returns the exit status, and what it still had to say."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def kill(self) -> None:
        """Kill it and all that share its session, as a power failure would."""
        with self.process, suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def starting_servers() -> Generator[StartServer]:
    """Lend a function that starts servers; whoever is left at the end is killed."""
    servers: list[Server] = []

    def start(
        *arguments: str | os.PathLike[str], log: Path | None = None, **environment: str
    ) -> Server:
        servers.append(Server(*arguments, log=log, **environment))
        return servers[-1]

    yield start
    for each in servers:
        each.kill()
