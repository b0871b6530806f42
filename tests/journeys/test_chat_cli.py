"""`longterm chat`, by hand on a terminal and through a pipe."""

import json
import os
import pty
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longterm.cli import app
from tests.journeys.programs import COMMAND, clean_environment

pytestmark = pytest.mark.xdist_group("chat_cli")
_LONGEST_S = 90.0


class Terminal:
    """A `longterm chat` on a terminal of its own."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self._mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, "chat", "--user", "ada", "--data-dir", str(data_dir)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=clean_environment(TERM="xterm", COLUMNS="100", **environment),
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = ""

    def waits_for(self, text: str, *, urge: Callable[[], None] | None = None) -> str:
        """Read until `text` came; returns what came before it. Silence is answered by `urge`."""
        end = time.monotonic() + _LONGEST_S
        while text not in self._seen:
            assert time.monotonic() < end, self._seen
            if select.select([self._mine], [], [], 1)[0]:
                self._seen += os.read(self._mine, 4096).decode(errors="replace")
            elif urge is not None:
                urge()
        before, _, self._seen = self._seen.partition(text)
        return before

    def types(self, line: str) -> None:
        os.write(self._mine, f"{line}\n".encode())

    def presses_ctrl_c(self) -> None:
        # Its terminal is nobody's controlling one, which would turn the key into the signal.
        self.process.send_signal(signal.SIGINT)

    def presses_ctrl_d(self) -> None:
        os.write(self._mine, b"\x04")

    def waits_until_it_ends(self) -> str:
        """Read the rest, however it ends."""
        with suppress(OSError):
            while part := os.read(self._mine, 4096):
                self._seen += part.decode(errors="replace")
        self.close()
        return self._seen

    def close(self) -> int:
        status = self.process.wait(timeout=_LONGEST_S)
        os.close(self._mine)
        return status


class _Slow(BaseHTTPRequestHandler):
    """Says word after word, for some seconds, and for as long as somebody wants to hear them."""

    enough = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        choice = {"index": 0, "delta": {"role": "assistant", "content": "word "}}
        told = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        event = f"data: {json.dumps({**told, 'choices': [choice]})}\n\n".encode()
        with suppress(OSError):
            said = 0
            while said < 60 or not self.enough.is_set():
                self.wfile.write(event)
                self.wfile.flush()
                time.sleep(0.05)
                said += 1

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def slow_model() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_talk_on_a_terminal(used_dir: Path) -> None:
    terminal = Terminal(used_dir)
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
    terminal.waits_for("temporary> ")
    terminal.presses_ctrl_c()
    # Python misses a signal that comes just before it waits for a key: people press again, too.
    terminal.waits_for("temporary> ", urge=terminal.presses_ctrl_c)
    terminal.presses_ctrl_d()
    assert terminal.close() == 0

    with slow_model() as url:
        listening = Terminal(
            used_dir, LONGTERM_LLM="openai-compatible:m", LONGTERM_LLM_BASE_URL=url
        )
        listening.waits_for("> ")
        listening.types("Tell me a story.")
        listening.waits_for("word")
        listening.presses_ctrl_c()
        listening.waits_for("Not listening any more; the answer is kept.")
        _Slow.enough.set()
        listening.types("/conversations")
        listening.waits_for("Me ")
        listening.waits_for("> ")
        listening.presses_ctrl_d()
        listening.waits_for("Learning from it", urge=listening.presses_ctrl_d)
        listening.presses_ctrl_c()
        told = listening.waits_until_it_ends()
    assert "Traceback" not in told

    again = CliRunner().invoke(
        app, ["chat", "--user", "ada", "-m", "What is my name?", "--data-dir", str(used_dir)]
    )
    assert "name: Ada" in again.stdout


def test_what_comes_through_a_pipe_is_answered_line_by_line(used_dir: Path) -> None:
    result = CliRunner().invoke(
        app,
        ["chat", "--user", "bo", "--json", "--data-dir", str(used_dir)],
        input="I prefer tea.\n\nWhat do I prefer?\n",
    )

    decoder = json.JSONDecoder()
    first, end = decoder.raw_decode(result.stdout)
    second, _ = decoder.raw_decode(result.stdout[end:].lstrip())
    assert result.exit_code == 0
    assert first["conversation_id"] == second["conversation_id"]
    assert "I prefer tea." in second["answer"]
