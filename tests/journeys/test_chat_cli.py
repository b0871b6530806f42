"""`longterm chat`, by hand on a terminal and through a pipe."""

import json
import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longterm.cli import app
from tests.journeys.programs import COMMAND, clean_environment

pytestmark = pytest.mark.xdist_group("chat_cli")
_LONGEST_S = 90.0


class Terminal:
    """A `longterm chat` on a terminal of its own."""

    def __init__(self, data_dir: Path) -> None:
        self._mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, "chat", "--user", "ada", "--data-dir", str(data_dir)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=clean_environment(TERM="xterm", COLUMNS="100"),
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = ""

    def waits_for(self, text: str) -> str:
        """Read until `text` came; returns what came before it."""
        end = time.monotonic() + _LONGEST_S
        while text not in self._seen:
            assert time.monotonic() < end, self._seen
            if select.select([self._mine], [], [], 1)[0]:
                self._seen += os.read(self._mine, 4096).decode(errors="replace")
        before, _, self._seen = self._seen.partition(text)
        return before

    def types(self, line: str) -> None:
        os.write(self._mine, f"{line}\n".encode())

    def presses(self, key: bytes) -> None:
        os.write(self._mine, key)

    def close(self) -> int:
        status = self.process.wait(timeout=_LONGEST_S)
        os.close(self._mine)
        return status


def test_a_talk_on_a_terminal(folder: Path) -> None:
    terminal = Terminal(folder)
    terminal.waits_for("Ctrl-D leaves.")
    terminal.types("My name is Ada and I live in Lisbon.")
    terminal.waits_for("offline")
    terminal.types("/nonsense")
    terminal.waits_for("There is no command /nonsense")
    terminal.types("/title Me")
    terminal.waits_for("It is called Me now.")
    terminal.types("/conversations")
    terminal.waits_for("Me ")
    terminal.types("/temporary")
    terminal.waits_for("temporary> ")
    terminal.types("/why")
    terminal.waits_for("used no memories")
    terminal.presses(b"\x03")
    terminal.waits_for("temporary> ")
    terminal.presses(b"\x04")
    assert terminal.close() == 0

    again = CliRunner().invoke(
        app, ["chat", "--user", "ada", "-m", "What is my name?", "--data-dir", str(folder)]
    )
    assert "name: Ada" in again.stdout


def test_what_comes_through_a_pipe_is_answered_line_by_line(folder: Path) -> None:
    result = CliRunner().invoke(
        app,
        ["chat", "--user", "bo", "--json", "--data-dir", str(folder)],
        input="I prefer tea.\n\nWhat do I prefer?\n",
    )

    decoder = json.JSONDecoder()
    first, end = decoder.raw_decode(result.stdout)
    second, _ = decoder.raw_decode(result.stdout[end:].lstrip())
    assert result.exit_code == 0
    assert first["conversation_id"] == second["conversation_id"]
    assert "I prefer tea." in second["answer"]
