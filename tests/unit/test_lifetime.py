"""Signals: the first asks, the second insists, the third ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

# Works until it was asked to stop and some more; says how it ended.
SCRIPT = """
import asyncio, sys
from longterm.lifetime import beside, run_until_told

def say(line):
    print(line, flush=True)

async def work(finish):
    say("at work")
    await finish.wait()
    if "stubborn" in sys.argv:
        say("finishing")
        await asyncio.sleep(600)
    say("finished")

async def main():
    try:
        finish = asyncio.Event()
        async with beside(work(finish), stop=finish.set) as task:
            await asyncio.shield(task)
    finally:
        say("closing")
        if "stuck" in sys.argv:
            await asyncio.shield(asyncio.sleep(600))
            await asyncio.sleep(600)
        say("closed")

run_until_told(main())
"""


class Program:
    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.says() == "at work"

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    made = Program(*getattr(request, "param", ()))
    yield made
    with made.process:
        made.process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_asked_to_stop_comes_to_its_end(program: Program, number: signal.Signals) -> None:
    program.process.send_signal(number)

    assert [program.says() for _ in range(3)] == ["finished", "closing", "closed"]
    assert program.process.wait(60) == 0


def test_ctrl_c_is_an_interrupt_to_the_caller(program: Program) -> None:
    program.process.send_signal(signal.SIGINT)

    assert [program.says() for _ in range(3)] == ["finished", "closing", "closed"]
    # Python's own end for a KeyboardInterrupt; the command line makes it 130.
    assert program.process.wait(60) == -signal.SIGINT


@pytest.mark.parametrize("program", [("stubborn",)], indirect=True)
def test_a_second_signal_does_not_wait_for_the_work(program: Program) -> None:
    program.process.send_signal(signal.SIGTERM)
    assert program.says() == "finishing"

    program.process.send_signal(signal.SIGTERM)

    assert [program.says() for _ in range(2)] == ["closing", "closed"]
    assert program.process.wait(60) == 0


@pytest.mark.parametrize("program", [("stubborn", "stuck")], indirect=True)
def test_a_third_signal_ends_it_at_once(program: Program) -> None:
    program.process.send_signal(signal.SIGTERM)
    assert program.says() == "finishing"
    program.process.send_signal(signal.SIGTERM)
    assert program.says() == "closing"

    program.process.send_signal(signal.SIGTERM)

    assert program.process.wait(60) == 128 + signal.SIGTERM


def test_what_nohup_ignores_is_not_counted() -> None:
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    with subprocess.Popen(
        [sys.executable, "-c", ignoring + SCRIPT, "stubborn", "stuck"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"

        # Different ones in turn: two equal signals that wait at the same time are one.
        process.send_signal(signal.SIGHUP)
        for number, answer in ((signal.SIGINT, "finishing"), (signal.SIGTERM, "closing")):
            process.send_signal(number)
            assert process.stdout.readline().strip() == answer
        process.send_signal(signal.SIGINT)

        assert process.wait(60) == 128 + signal.SIGINT
