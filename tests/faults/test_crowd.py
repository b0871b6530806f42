"""Two servers and two workers on one database, under load, and one of them dies: §3, b10."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults.talking import Talk, clients
from tests.journeys.programs import Server, StartServer, starting_servers
from tests.store.embedded_processes import only_linux

pytestmark = [only_linux, pytest.mark.xdist_group("heavy"), pytest.mark.timeout(600)]

CLIENTS = 12
TURNS = 6
# Each message is another value of one fact: what is learned twice, or out of order, is seen.
SAYS = "My favourite number is {count}."

TASKS = ("digest", "embed", "learn")
BUSY = "SELECT count(*) FROM longterm.jobs WHERE task = ANY(%s) AND state = 'running'"
LEFT = "SELECT count(*) FROM longterm.jobs WHERE task = ANY(%s)"
# A minute passes for who died; for who lives too, so that some jobs are run by both at once.
LEASES_END = "UPDATE longterm.jobs SET due_at = now() WHERE state = 'running'"
SAID = """
    SELECT user_id, array_agg(content ORDER BY id), array_agg(turn ORDER BY id)
      FROM longterm.messages
     WHERE role = 'user'
     GROUP BY user_id
"""
LEARNED = """
    SELECT user_id, array_agg(content ORDER BY valid_from, version),
           count(*) FILTER (WHERE closed IS NULL), max(said_count)
      FROM longterm.facts
     GROUP BY user_id
"""
MADE = """
    SELECT (SELECT count(*) FROM longterm.messages WHERE role = 'user'),
           (SELECT count(*) FROM longterm.passages WHERE message_id IS NOT NULL),
           (SELECT count(DISTINCT message_id) FROM longterm.passages),
           (SELECT count(*) FROM longterm.passages WHERE NOT embedded),
           (SELECT count(*) FROM longterm.ledger),
           (SELECT count(*) FROM longterm.jobs WHERE state = 'dead')
"""


class Crowd:
    """The processes, and what they leave in the database."""

    def __init__(self, url: str, log: Path, start: StartServer) -> None:
        self._url = url
        self._log = log
        self._start = start

    def start(self, *command: str) -> Server:
        return self._start(*command, "--database-url", self._url, log=self._log)

    async def found(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as conn:
            cursor = await conn.execute(query.encode(), given)
            return await cursor.fetchall() if cursor.description else []

    async def until(self, query: str, holds: Callable[[int], bool]) -> None:
        async with asyncio.timeout(120):
            while not holds((await self.found(query, list(TASKS)))[0][0]):
                await asyncio.sleep(0.02)


@pytest.fixture
def crowd(new_database: Callable[[str], str], tmp_path: Path) -> Iterator[Crowd]:
    for start in starting_servers():
        yield Crowd(new_database("crowd"), tmp_path / "crowd.log", start)


async def test_two_servers_and_two_workers_do_everything_once_though_one_dies(
    crowd: Crowd,
) -> None:
    # All at once, and on an empty database: one of them makes the tables.
    servers = [crowd.start("serve", "--no-worker", "--port", "0") for _ in range(2)]
    workers = [crowd.start("worker") for _ in range(2)]
    urls = await asyncio.gather(*(asyncio.to_thread(server.url) for server in servers))
    await asyncio.gather(*(asyncio.to_thread(worker.says) for worker in workers))
    talk = Talk(clients(CLIENTS, list(urls), says=SAYS), pause_s=0)
    talking = asyncio.create_task(talk.go_on())

    await crowd.until(BUSY, lambda busy: busy > 1)
    await asyncio.to_thread(workers[0].kill)
    while not all(len(each.heard) >= TURNS for each in talk.clients):
        await asyncio.sleep(0.05)
    talk.end()
    await talking
    await crowd.found(LEASES_END)
    await crowd.until(LEFT, lambda left: left == 0)

    told = {each.name: [heard.said for heard in each.heard] for each in talk.clients}
    said = {user: (words, turns) for user, words, turns in await crowd.found(SAID)}
    assert {user: words for user, (words, _) in said.items()} == told
    assert all(turns == list(range(1, len(turns) + 1)) for _, turns in said.values())
    learned = {user: found for user, *found in await crowd.found(LEARNED)}
    assert learned == {
        user: [[str(number) for number in range(1, len(words) + 1)], 1, 1]
        for user, words in told.items()
    }
    # What was answered without a model is not searched.
    ((questions, passages, indexed, unembedded, ledger, dead),) = await crowd.found(MADE)
    assert (passages, indexed, unembedded) == (questions, questions, 0)
    assert (ledger, dead) == (questions, 0)
    assert not any(each.refused for each in talk.clients)
