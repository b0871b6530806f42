"""Renders templates in processes of their own, which have limits and can be killed."""

import asyncio
import contextlib
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import IO, Any

from longterm.errors import TemplateError
from longterm.text.templates import LENGTH_BYTES, MAX_CPU_S, MAX_MEMORY_BYTES

# A render takes about a millisecond, and one beyond its limits half a second.
_MOST_PROCESSES = 2
# The process ends itself after its processor time. This is for a system where it can't.
_LONGEST_WAIT_S = 30.0

_TOO_MUCH = (
    f"The template needs more than {MAX_CPU_S:g} s of processor time "
    f"or {MAX_MEMORY_BYTES // 1024**2} MiB of memory."
)


class TemplateRenderer:
    """Processes that render templates, started at first use and used again."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(_MOST_PROCESSES)
        self._idle: list[_Process] = []

    async def check(self, body: str) -> None:
        """Raise TemplateError when the body is not a template."""
        await self._answer((body, None))

    async def render(self, body: str, variables: Mapping[str, Any]) -> str:
        """Fill a template in; raises TemplateError when that can't be done within the limits."""
        return await self._answer((body, dict(variables)))

    async def close(self) -> None:
        """End the processes."""
        while self._idle:
            await asyncio.to_thread(self._idle.pop().kill)

    async def _answer(self, request: tuple[str, Mapping[str, Any] | None]) -> str:
        sent = await asyncio.to_thread(_pickled, request)
        async with self._slots:
            process = self._idle.pop() if self._idle else None
            if process is None or not process.is_alive:
                process = await asyncio.to_thread(_Process)
            try:
                async with asyncio.timeout(_LONGEST_WAIT_S):
                    answer = await asyncio.to_thread(process.answer, sent)
            except (TimeoutError, EOFError, OSError):
                await asyncio.to_thread(process.kill)
                raise TemplateError(_TOO_MUCH) from None
            except BaseException:
                # The caller has gone: what is still rendered must not be the next one's answer.
                process.kill()
                raise
            self._idle.append(process)
        if answer.startswith("-"):
            raise TemplateError(answer[1:])
        return answer[1:]


class _Process:
    """A process that renders one template after the other."""

    def __init__(self) -> None:
        # -P: a file in the working directory must not stand in for a module of ours.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "longterm.text.templates"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked; the system may have ended it."""
        return self._process.poll() is None

    def answer(self, request: bytes) -> str:
        """Send a request and wait for its answer; raises EOFError when the process ends."""
        requests, answers = self._pipes
        requests.write(len(request).to_bytes(LENGTH_BYTES) + request)
        requests.flush()
        length = int.from_bytes(_read(answers, LENGTH_BYTES))
        return _read(answers, length).decode("utf-8", "surrogatepass")

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes:
            # What was not sent yet can't be sent any more.
            with contextlib.suppress(OSError):
                pipe.close()

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("the process was started with pipes")
        return self._process.stdin, self._process.stdout


def _read(stream: IO[bytes], length: int) -> bytes:
    got = stream.read(length)
    if len(got) < length:
        raise EOFError
    return got


def _pickled(request: tuple[str, Mapping[str, Any] | None]) -> bytes:
    try:
        return pickle.dumps(request)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        raise TemplateError(
            "The template cannot be rendered: variables must be plain values (text, numbers, "
            "lists, mappings, dates)."
        ) from None
