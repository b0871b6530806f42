"""Runs `longterm` as its users do: as a program of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import suppress

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


class Server:
    """A `longterm` that runs until it is told to stop."""

    def __init__(self, *arguments: str | os.PathLike[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
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

    def start(*arguments: str | os.PathLike[str], **environment: str) -> Server:
        servers.append(Server(*arguments, **environment))
        return servers[-1]

    yield start
    for each in servers:
        each.kill()
