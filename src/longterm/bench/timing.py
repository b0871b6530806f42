"""How long things take, measured in turn so that all of them meet the same noise."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

LONGEST_S = 30
FEWEST_ROUNDS = 20

Case = Callable[[], Awaitable[object]]


class Progress(Protocol):
    """Is told how far a measurement has come."""

    def start(self, what: str, steps: int) -> None:
        """Begin with something that takes `steps` steps."""
        ...

    def step(self) -> None:
        """One more step is done."""
        ...


class Silence:
    """Progress that nobody looks at."""

    def start(self, what: str, steps: int) -> None:
        """Say nothing."""

    def step(self) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of many measurements, and the quartiles around it."""

    median: float
    q1: float
    q3: float
    measured: int


def spread(values: Sequence[float]) -> Spread:
    """Sum up measurements; two at least."""
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, q1, q3, len(values))


@dataclass(frozen=True, slots=True)
class Timed:
    """What a case returns that has looked at the clock itself."""

    milliseconds: float


async def in_thread(call: Callable[[], object]) -> Timed:
    """Run what would block the loop; going to the thread and back is not counted."""

    def run() -> Timed:
        started = time.perf_counter()
        call()
        return Timed((time.perf_counter() - started) * 1000)

    return await asyncio.to_thread(run)


async def milliseconds(case: Case) -> float:
    """Run a case once, and return how long it took."""
    started = time.perf_counter()
    result = await case()
    elapsed = (time.perf_counter() - started) * 1000
    return result.milliseconds if isinstance(result, Timed) else elapsed


async def interleave(
    cases: Mapping[str, Case], *, rounds: int, warm_up: int, progress: Progress
) -> dict[str, list[float]]:
    """Run every case once a round, and return the milliseconds of each after the warm-up.

    What turns out to be slow is measured less often: a run has to come to its end.
    """
    taken: dict[str, list[float]] = {name: [] for name in cases}
    names = list(cases)
    started = time.perf_counter()
    for place in range(warm_up + rounds):
        if place > warm_up + FEWEST_ROUNDS and time.perf_counter() - started > LONGEST_S:
            break
        # Each comes first in turn: what runs after a commit pays for what it left behind.
        first = place % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(await milliseconds(cases[name]))
        progress.step()
    return {name: values[warm_up:] for name, values in taken.items()}
