"""What makes a vendor bearable: time limits, retries, a circuit breaker, a limit to calls at once."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar, runtime_checkable

from longterm.errors import ModelGoneError, ModelRefusedError
from longterm.observe.tracing import OFF, Tracer, Values
from longterm.providers import failures
from longterm.providers.breaker import Breaker
from longterm.providers.model import Answer, ChatModel, Prompt, Usage
from longterm.text.storable import storable

# `cancelled`: whoever asked went away, so it is not known how it would have ended.
Outcome = Literal["ok", "gone", "refused", "cancelled"]

_LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """One attempted call; the usage is known only of those that were answered."""

    model: str
    purpose: str
    seconds: float
    outcome: Outcome
    usage: Usage


class Metered(Protocol):
    """An answer that says what it took."""

    @property
    def usage(self) -> Usage:
        """What it took."""
        ...


@runtime_checkable
class Rests(Protocol):
    """A provider that is left alone for a while when it fails."""

    @property
    def is_resting(self) -> bool:
        """Whether it is left alone at the moment."""
        ...


_T = TypeVar("_T")
M = TypeVar("M", bound=Metered)


@dataclass(slots=True)
class _Attempt:
    """One call under way."""

    usage: Usage = field(default_factory=Usage)


class Guard:
    """Limits and repeats the calls to one vendor; made for use on one event loop."""

    def __init__(
        self,
        *,
        timeout_s: float = 60.0,
        retries: int = 2,
        max_at_once: int = 8,
        max_streams: int = 1000,
        first_wait_s: float = 0.5,
        on_call: Callable[[CallReport], None] | None = None,
        tracer: Tracer = OFF,
        breaker: Breaker | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._timeout_s = timeout_s
        self._retries = retries
        self._places = asyncio.Semaphore(max_at_once)
        # Apart: people wait for streams, and one that hangs must not take a place from others.
        self._streams = asyncio.Semaphore(max_streams)
        self._first_wait_s = first_wait_s
        self._on_call = on_call
        self._tracer = tracer
        self._breaker = breaker or Breaker(clock=clock)
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter

    @property
    def is_resting(self) -> bool:
        """Whether calls are refused at the moment, because many failed."""
        return self._breaker.wait_s() > 0

    async def call(self, name: str, purpose: str, ask: Callable[[], Awaitable[M]]) -> M:
        """What `ask` answers, asked again when the vendor is gone for the moment."""
        failed = 0
        while True:
            try:
                async with self._attempt(name, purpose, self._places) as attempt:
                    answer = await self._in_time(name, ask())
                    attempt.usage = answer.usage
                    return answer
            except ModelGoneError as error:
                failed += 1
                await self._wait_or_give_up(error, failed)

    async def stream(self, model: ChatModel, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """The pieces of an answer, begun again only while nothing of it was handed on."""
        failed = 0
        begun = False
        while True:
            try:
                async with (
                    self._attempt(model.name, prompt.purpose, self._streams) as attempt,
                    aclosing(self._pieces(model, prompt)) as pieces,
                ):
                    async for piece in pieces:
                        begun = True
                        if isinstance(piece, Answer):
                            attempt.usage = piece.usage
                        yield piece
            except ModelGoneError as error:
                # Somebody waits for it: whoever waited in vain once is told, and not kept waiting.
                if begun or isinstance(error, failures.TooSlowError):
                    raise
                failed += 1
                await self._wait_or_give_up(error, failed)
            else:
                return

    async def _pieces(self, model: ChatModel, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        async with aclosing(model.stream(prompt)) as pieces:
            while True:
                try:
                    piece = await self._in_time(model.name, anext(pieces))
                except StopAsyncIteration:
                    # Its end is the answer: a stream that ends without one was cut.
                    raise failures.no_connection(model.name) from None
                yield piece
                if isinstance(piece, Answer):
                    return

    async def _in_time(self, name: str, result: Awaitable[_T]) -> _T:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await result
        except TimeoutError:
            raise failures.too_slow(name) from None

    @asynccontextmanager
    async def _attempt(
        self, name: str, purpose: str, places: asyncio.Semaphore
    ) -> AsyncGenerator[_Attempt]:
        asked = {"gen_ai.request.model": name, "longterm.purpose": purpose}
        async with places:
            self._refuse_while_open(name)
            self._breaker.begin()
            attempt = _Attempt()
            outcome: Outcome = "cancelled"
            started = self._clock()
            try:
                with self._tracer.step(f"{purpose} {name}", asked, kind="client") as step:
                    yield attempt
                    step.note(_used(attempt.usage))
                outcome = "ok"
            except ModelGoneError:
                outcome = "gone"
                raise
            except ModelRefusedError:
                outcome = "refused"
                raise
            finally:
                self._settle(outcome)
                self._report(
                    CallReport(
                        model=name,
                        purpose=purpose,
                        seconds=self._clock() - started,
                        outcome=outcome,
                        usage=attempt.usage,
                    )
                )

    def _refuse_while_open(self, name: str) -> None:
        wait_s = self._breaker.wait_s()
        if wait_s > 0:
            raise _LeftAloneError(
                f"{name} failed repeatedly; it is tried again in {wait_s:.0f} s.",
                retry_after_s=wait_s,
            )

    def _settle(self, outcome: Outcome) -> None:
        if outcome == "gone":
            self._breaker.fail()
        elif outcome == "cancelled":
            self._breaker.abandon()
        else:
            # A vendor that refuses is there.
            self._breaker.succeed()

    def _report(self, report: CallReport) -> None:
        if self._on_call is not None:
            self._on_call(report)

    async def _wait_or_give_up(self, error: ModelGoneError, failed: int) -> None:
        """Wait for the next attempt, or raise `error` when there is to be none."""
        if failed > self._retries or isinstance(error, _LeftAloneError):
            raise error
        if self._breaker.wait_s() > 0:
            raise error
        wait_s = self._first_wait_s * 2 ** (failed - 1) * (0.5 + self._jitter() / 2)
        if error.retry_after_s is not None:
            wait_s = max(wait_s, error.retry_after_s)
        await self._sleep(min(wait_s, _LONGEST_WAIT_S))


def _used(usage: Usage) -> Values:
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.answer_tokens,
    }


class Guarded:
    """A language model whose calls are guarded."""

    def __init__(self, model: ChatModel, guard: Guard | None = None) -> None:
        self._model = model
        self._guard = guard or Guard()

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self._model.name

    @property
    def is_resting(self) -> bool:
        """Whether it is left alone at the moment, because many calls failed."""
        return self._guard.is_resting

    async def answer(self, prompt: Prompt) -> Answer:
        """Return the whole answer."""
        return _storable(
            await self._guard.call(self.name, prompt.purpose, lambda: self._model.answer(prompt))
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Yield the words as they come, and last of all the whole answer."""
        async with aclosing(self._guard.stream(self._model, prompt)) as pieces:
            async for piece in pieces:
                yield storable(piece) if isinstance(piece, str) else _storable(piece)

    async def close(self) -> None:
        """Give back connections."""
        await self._model.close()


def _storable(answer: Answer) -> Answer:
    return replace(answer, text=storable(answer.text))


class _LeftAloneError(ModelGoneError):
    """The circuit is open."""
