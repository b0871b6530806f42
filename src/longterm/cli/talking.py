"""How a talk in the terminal goes: line by line, by hand or through a pipe."""

import readline
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import asdict

import typer
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.segment import SegmentLines
from rich.text import Text

from longterm.blocking import Longterm
from longterm.cli import output, slash
from longterm.cli.talk import Talk
from longterm.errors import ClosedError, LongtermError, UnavailableError
from longterm.records.chat import ChatReply

_WELCOME = "Talk to your memory. /help tells what else there is, Ctrl-D leaves."


@contextmanager
def learning(lt: Longterm) -> Generator[Callable[[], None]]:
    """Lend a function that learns from what was said, beside the talk; at the end all is learned."""
    due, over = threading.Event(), threading.Event()

    def work() -> None:
        ends = False
        while not ends:
            due.wait()
            due.clear()
            # Looked at before, so that what was said last is learned, too.
            ends = over.is_set()
            # What can't be learned now is learned by whoever comes next, also after Ctrl-C.
            with suppress(UnavailableError, ClosedError):
                lt.drain()

    thread = threading.Thread(target=work, name="learning", daemon=True)
    thread.start()
    try:
        yield due.set
    finally:
        over.set()
        due.set()
        with output.busy("Learning from it"):
            thread.join()


def typed(talk: Talk, learn: Callable[[], None]) -> None:
    """Talk with a person."""
    output.say(_WELCOME)
    # Kept in memory alone: what somebody forgets must not stay in a file of ours.
    for line in talk.said_before():
        readline.add_history(line.replace("\n", " "))
    while (line := _line(talk)) is not None:
        try:
            if line.startswith("/"):
                if not slash.run(talk, line):
                    return
            elif line:
                _show(talk, line)
                learn()
        except LongtermError as error:
            output.say(Text(str(error), style="red"))
        except KeyboardInterrupt:
            output.say(Text("Not listening any more; the answer is kept.", style="dim"))


def piped(talk: Talk, lines: Iterable[str], *, as_json: bool) -> None:
    """Answer line by line."""
    for line in lines:
        if not line.strip():
            continue
        for _ in talk.say(line.strip()):
            pass
        if talk.last is None:
            continue
        if as_json:
            output.say_json(asdict(talk.last))
        else:
            output.say(talk.last.answer)
            if talk.last.error is not None:
                typer.echo(f"longterm: {talk.last.error}", err=True)


def _line(talk: Talk) -> str | None:
    mark = "temporary> " if talk.temporary else "> "
    try:
        return input(mark).strip()
    except EOFError:
        sys.stdout.write("\n")
        return None
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        return ""


def _show(talk: Talk, line: str) -> None:
    console = output.console()
    text = ""
    with Live(console=console, refresh_per_second=12) as live:
        live.update(Text("…", style="dim"))
        for event in talk.say(line):
            if event.kind == "delta":
                text += event.text
            elif event.reply is not None:
                text = event.reply.answer
            if text:
                live.update(_End(output.harmless(text)))
        live.update(Markdown(output.harmless(text)))
    if talk.last is not None:
        if talk.last.error is not None:
            output.say(Text(talk.last.error, style="red"))
        output.say(Text(_about(talk.last), style="dim"))


class _End:
    """The end of a text that grows: what is longer than the screen can't be drawn anew on it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(Markdown(self._text), options, pad=False)
        yield SegmentLines(lines[1 - console.height :], new_lines=True)


def _about(reply: ChatReply) -> str:
    told = [reply.model]
    if reply.memories is not None and reply.memories.items:
        told.append(f"{len(reply.memories.items)} memories (/why)")
        told.append(f"{reply.memories.timings_ms.get('total', 0):.0f} ms")
    if reply.degraded:
        told.append("degraded")
    return " · ".join(told)
