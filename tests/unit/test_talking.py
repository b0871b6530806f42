"""What a talk in the terminal does beside talking."""

# pyright: reportPrivateUsage=false

import io
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from rich.console import Console
from rich.text import Text

from longterm.cli import output
from longterm.cli.talk import Talk
from longterm.cli.talking import _End as End
from longterm.cli.talking import _show as show
from longterm.cli.talking import learning, piped
from longterm.records.chat import ChatEvent, ChatReply


class _Slow:
    """A Longterm whose first piece of background work takes its time."""

    def __init__(self) -> None:
        self.drained = 0
        self.begun, self.may_end = threading.Event(), threading.Event()

    def drain(self) -> None:
        self.drained += 1
        self.begun.set()
        self.may_end.wait(60)


def test_what_was_said_while_something_was_learned_is_learned_before_the_end() -> None:
    lt: Any = _Slow()
    with learning(lt) as learn:
        learn()
        assert lt.begun.wait(60)
        learn()
        threading.Timer(0.2, lt.may_end.set).start()

    assert lt.drained == 2


def test_of_an_answer_that_is_longer_than_the_screen_its_end_is_shown_while_it_comes() -> None:
    console = Console(file=io.StringIO(), width=40, height=10, force_terminal=True)
    text = "\n\n".join(f"paragraph {number}" for number in range(50))

    lines = console.render_lines(End(text), pad=False)

    shown = ["".join(segment.text for segment in line) for line in lines]
    assert len([line for line in shown if line.strip()]) <= 9
    assert "paragraph 49" in "".join(shown)
    assert "paragraph 1 " not in "".join(shown)


ORDERS = "\x1b]0;title\x07 \x1b[31m \x9b2J"


class _Hostile:
    """A talk in which a model says what a terminal would obey."""

    last = None

    def say(self, text: str) -> Iterator[ChatEvent]:
        yield ChatEvent(kind="delta", text=f"{text}{ORDERS}")


def test_a_terminal_obeys_nothing_of_what_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    output.say(f"a line{ORDERS}", Text(f"a coloured line{ORDERS}", "red"))
    output.say_table(("a", "table"), [("of", f"what was said{ORDERS}")])
    show(cast("Talk", _Hostile()), "an answer")

    told = capsys.readouterr().out
    assert [words for words in ("line", "coloured", "said", "answer") if words not in told] == []
    assert [sign for sign in "\x1b\x07\x9b" if sign in told] == []


class _Failing:
    """A memory whose model is away, and that is interrupted at the second question."""

    def __init__(self) -> None:
        self.asked = 0

    def stream(self, *_: object, **__: object) -> Iterator[ChatEvent]:
        self.asked += 1
        if self.asked == 1:
            reply = ChatReply(answer="From memory.", model="m", error="The model is away.")
            yield ChatEvent(kind="error", reply=reply)


def test_what_went_wrong_is_told_and_no_answer_is_shown_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    piped(Talk(cast("Any", _Failing()), "ada"), ["one", "two"], as_json=False)

    told = capsys.readouterr()
    assert told.out == "From memory.\n"
    assert told.err == "longterm: The model is away.\n"
