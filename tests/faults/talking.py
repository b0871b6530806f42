"""People who talk to servers over HTTP all the while, and what came of it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

# Nothing may take this long, on however busy a machine.
HANG_S = 60.0
SAYS = "{name} says number {count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An answer that a client got in full."""

    said: str
    answer: str
    conversation_id: str
    degraded: bool


@dataclass(slots=True)
class Client:
    """Somebody who says one thing after the other, and goes to another server when one is gone."""

    name: str
    servers: list[str]
    streams: bool
    says: str
    # Says everything to both servers at once, under the same key.
    repeats: bool = False
    heard: list[Heard] = field(default_factory=list[Heard])
    refused: list[str] = field(default_factory=list[str])
    conversation_id: str | None = None
    count: int = 0

    async def say(self, http: httpx.AsyncClient) -> None:
        self.count += 1
        said = self.says.format(name=self.name, count=self.count)
        body = {"user_id": self.name, "message": said, "conversation_id": self.conversation_id}
        try:
            reply = await self._ask(http, body)
        except httpx.TimeoutException:
            # A request hung: that is a failure, not a refusal.
            raise
        except (httpx.TransportError, UnfinishedError):
            self.refused.append(said)
            self.servers.reverse()
            return
        assert reply["error"] is None, reply
        self.conversation_id = reply["conversation_id"]
        self.heard.append(
            Heard(
                said=said,
                answer=reply["answer"],
                conversation_id=reply["conversation_id"],
                degraded=reply["degraded"],
            )
        )

    async def _ask(self, http: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
        path = "/api/chat/stream" if self.streams else "/api/chat"
        if self.repeats and not self.streams:
            return await to_both(http, self.servers, path, body, f"{self.name} {self.count}")
        answer = await http.post(f"{self.servers[0]}{path}", json=body)
        assert answer.status_code == 200, answer.text
        if not self.streams:
            return answer.json()
        told = list(events(answer.text))
        if told[-1][0] != "done":
            raise UnfinishedError(answer.text)
        assert told[0][0] == "start"
        return told[-1][1]


async def to_both(
    http: httpx.AsyncClient, servers: list[str], path: str, body: Any, key: str
) -> dict[str, Any]:
    """Send a request to two servers at once, under one key: it is done once, and answered alike."""
    headers = {"Idempotency-Key": key.replace(" ", "-")}

    async def until_done(server: str) -> dict[str, Any]:
        while True:
            answer = await http.post(f"{server}{path}", json=body, headers=headers)
            # The other server is at it.
            if answer.status_code != 409:
                break
            await asyncio.sleep(0.05)
        assert answer.is_success, answer.text
        return answer.json()

    one, other = await asyncio.gather(*(until_done(server) for server in servers))
    assert one == other
    return one


class UnfinishedError(Exception):
    """A stream that ended before its end."""


def events(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for block in text.strip().split("\n\n"):
        kind, data = block.split("\n", 1)
        yield kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def clients(
    how_many: int, servers: list[str], says: str = SAYS, *, repeats: bool = False
) -> list[Client]:
    """Half of them begin with either server, and half of those stream."""
    return [
        Client(
            name=f"client {number:02}",
            servers=servers if number % 2 else servers[::-1],
            streams=number % 4 > 1,
            says=says,
            repeats=repeats,
        )
        for number in range(how_many)
    ]


class Talk:
    """All clients talk until it is over."""

    def __init__(self, talking: list[Client], *, pause_s: float) -> None:
        self.clients = talking
        self._pause_s = pause_s
        self._over = asyncio.Event()

    async def go_on(self) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with httpx.AsyncClient(timeout=HANG_S, limits=limits) as http:
            await asyncio.gather(*(self._one(each, http) for each in self.clients))

    async def _one(self, client: Client, http: httpx.AsyncClient) -> None:
        while not self._over.is_set():
            await client.say(http)
            try:
                async with asyncio.timeout(self._pause_s):
                    await self._over.wait()
            except TimeoutError:
                pass

    def end(self) -> None:
        self._over.set()

    @property
    def heard(self) -> int:
        return sum(len(each.heard) for each in self.clients)
