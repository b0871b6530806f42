"""The library's own switches."""

# pyright: reportPrivateUsage=false

import asyncio
import signal
import threading
from collections.abc import AsyncGenerator, Iterator

import pytest

from longterm import AsyncLongterm, InvalidInputError, Longterm, SetupError
from longterm.blocking import _BlockingStream as BlockingStream
from longterm.blocking import _Loop as Loop


async def test_an_unknown_model_is_refused_with_those_that_are_allowed() -> None:
    with pytest.raises(InvalidInputError, match="anthropic:MODEL"):
        await AsyncLongterm(llm="gpt").open()
    with pytest.raises(InvalidInputError, match="ollama:MODEL"):
        await AsyncLongterm(embedder="word2vec").open()


async def test_a_model_without_its_key_is_refused_with_the_variable_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY"):
        await AsyncLongterm(llm="anthropic:claude").open()


def test_a_library_can_be_opened_twice_in_a_row(conninfo: str) -> None:
    library = Longterm(conninfo, llm="offline", embedder="local")
    for _ in range(2):
        with library as lt:
            lt.tenant(1).count_messages("ada")


class _Slow:
    """Says something, and then nothing for a long time."""

    def __init__(self) -> None:
        self.closed = False

    async def stream(self) -> AsyncGenerator[str]:
        try:
            yield "Once"
            await asyncio.sleep(600)
        finally:
            await asyncio.sleep(0.05)
            self.closed = True


class _Blocked:
    def __init__(self) -> None:
        self.inner, self.loop = _Slow(), Loop()

    stream = BlockingStream(_Slow.stream)


def _press_ctrl_c() -> None:
    ident = threading.main_thread().ident
    assert ident is not None
    signal.pthread_kill(ident, signal.SIGINT)


def _interrupted(words: Iterator[str]) -> Iterator[str]:
    for one in words:
        yield one
        # While the next one is waited for.
        threading.Timer(0.3, _press_ctrl_c).start()


def test_ctrl_c_ends_a_stream_that_waits_and_gives_it_back() -> None:
    blocked = _Blocked()
    heard: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            heard.extend(_interrupted(blocked.stream()))
    finally:
        blocked.loop.close()

    assert heard == ["Once"]
    assert blocked.inner.closed


async def _moment() -> None:
    await asyncio.sleep(0)


def test_a_loop_that_is_closed_leaves_nothing_under_way() -> None:
    ended: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            ended.append("task")

    loop = Loop()
    loop.start(forever())
    loop.run(_moment())
    loop.close()

    assert ended == ["task"]
