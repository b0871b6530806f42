"""Reading without a transaction around it: each statement by itself, or several at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from longterm.store.reads import Asked, Reads, Rows

Read = Callable[..., Awaitable[Rows]]


class Glance(Reads):
    """Statements that only read, each a transaction of its own: in one round trip."""

    def __init__(self, read: Read, tenant_id: int | None) -> None:
        super().__init__(tenant_id)
        self._read = read

    async def _answer(self, asked: Asked) -> list[Any]:
        (rows,) = await self._read(asked)
        return rows


class Glances(Reads):
    """Statements that only read, in one round trip together where they are asked at once."""

    def __init__(self, read: Read, tenant_id: int | None) -> None:
        super().__init__(tenant_id)
        self._read = read
        self._waiting: list[Asked] = []
        self._reading: asyncio.Task[Rows] | None = None

    async def _answer(self, asked: Asked) -> list[Any]:
        if self._reading is None or self._reading.done():
            self._waiting = []
            self._reading = asyncio.create_task(self._read_all(self._waiting))
        reading, place = self._reading, len(self._waiting)
        self._waiting.append(asked)
        return (await reading)[place]

    async def _read_all(self, waiting: list[Asked]) -> Rows:
        # Whoever was set off together with the first to ask has asked by then.
        await asyncio.sleep(0)
        self._reading = None
        return await self._read(*waiting)
