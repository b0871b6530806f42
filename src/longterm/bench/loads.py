"""Many clients at once: how many requests a second, and how long each waits."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from longterm.bench.http_client import Client
from longterm.bench.report import Row, row
from longterm.bench.timing import Progress

Request = Callable[[Client], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What came of one kind of request, sent by so many clients."""

    what: str
    clients: int
    requests: int
    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(slots=True)
class _Taken:
    """The blocks of one kind of request and one number of clients."""

    waits_ms: list[float]
    ms_per_request: list[float]


async def measure(
    clients: Sequence[Client],
    numbers: tuple[int, int, int],
    requests: Mapping[str, Request],
    *,
    blocks: int,
    block_s: float,
    progress: Progress,
) -> tuple[list[Load], list[Row]]:
    """Send each kind of request in blocks, by one, some and all clients in turn."""
    one, some, _ = numbers
    loads: list[Load] = []
    rows: list[Row] = []
    for what, request in requests.items():
        progress.start(f"many clients: {what}", blocks)
        taken = {many: _Taken([], []) for many in numbers}
        for _ in range(blocks):
            for many, into in taken.items():
                await _block(clients[:many], request, block_s, into)
            progress.step()
        loads += [_summed(what, many, found) for many, found in taken.items()]
        rows.append(
            row(
                f"time for each {what}",
                f"{some} clients at once",
                "one client",
                taken[some].ms_per_request,
                taken[one].ms_per_request,
                limit=1.0,
            )
        )
    return loads, rows


async def connected(stack: AsyncExitStack, url: str, key: str, many: int) -> list[Client]:
    """Open so many connections."""
    return [await stack.enter_async_context(Client(url, key)) for _ in range(many)]


async def _block(clients: Sequence[Client], request: Request, seconds: float, into: _Taken) -> None:
    begun = time.perf_counter()
    waits: list[float] = []

    async def keep_asking(client: Client) -> None:
        while True:
            sent = time.perf_counter()
            await request(client)
            waits.append((time.perf_counter() - sent) * 1000)
            # Looked at last: on a busy machine a block may be over before its first request.
            if time.perf_counter() - begun >= seconds:
                return

    await asyncio.gather(*(keep_asking(client) for client in clients))
    into.ms_per_request.append((time.perf_counter() - begun) * 1000 / len(waits))
    into.waits_ms += waits


def _summed(what: str, many: int, taken: _Taken) -> Load:
    cuts = statistics.quantiles(taken.waits_ms, n=100, method="inclusive")
    return Load(
        what=what,
        clients=many,
        requests=len(taken.waits_ms),
        per_second=1000 / statistics.median(taken.ms_per_request),
        p50_ms=cuts[49],
        p95_ms=cuts[94],
        p99_ms=cuts[98],
    )


COLUMNS = ("request", "clients", "requests/s", "p50", "p95", "p99")


def as_table(loads: Sequence[Load]) -> list[tuple[str, ...]]:
    """Return the loads for people."""
    return [
        (
            each.what,
            str(each.clients),
            f"{each.per_second:,.0f}",
            *(f"{wait:,.1f} ms" for wait in (each.p50_ms, each.p95_ms, each.p99_ms)),
        )
        for each in loads
    ]
