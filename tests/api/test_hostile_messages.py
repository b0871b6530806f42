"""§1: a message that is hard to read holds up nobody else."""

import asyncio
import time

import httpx
import pytest
from fastapi import FastAPI

from longterm.runtime import Runtime
from tests.unit.hostile_texts import texts

LENGTH = 100_000
SHAPES = [
    "combining classes",
    "3 May, led",
    "list lines",
    "different nouns, led",
    "blank lines, led",
]

# How much of the time that a message takes may pass in which nobody else is served. One call that
# reads all of it at once, on the loop or in a thread that holds the interpreter, is most of it.
LONGEST_SHARE = 0.35
# A busy machine takes as much from anybody.
FLOOR_S = 0.5


class Pauses:
    """The longest time that the event loop did nothing else."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Pauses":
        self._ticking = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.sleep(0)
        if self._ticking is not None:
            self._ticking.cancel()

    async def _tick(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.001)
            now = time.monotonic()
            self.longest_s = max(self.longest_s, now - last)
            last = now


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_hostile_message_holds_up_nobody(
    app: FastAPI, client: httpx.AsyncClient, shape: str
) -> None:
    text = texts(LENGTH)[shape]
    runtime: Runtime = app.state.process.runtime
    await client.post("/api/chat", json={"message": "Hi", "user_id": "warm"})
    await runtime.worker().drain()

    async with Pauses() as pauses:
        begun = time.monotonic()
        asked = await client.post("/api/chat", json={"message": text, "user_id": shape})
        place = f"/api/conversations/{asked.json()['conversation_id']}/messages"
        said = {"role": "user", "content": text, "user_id": shape}
        added = await client.post(place, json=said)
        await runtime.worker().drain()
        shown = await client.get(f"{place}?user_id={shape}&format=html")
        took_s = time.monotonic() - begun

    assert [asked.status_code, added.status_code, shown.status_code] == [200, 201, 200], added.text
    assert pauses.longest_s <= max(FLOOR_S, LONGEST_SHARE * took_s), took_s
