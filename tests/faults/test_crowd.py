"""Two servers and two workers on one database, under load, and one of them dies: §3, b10."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.faults.talking import HANG_S, Talk, clients, to_both
from tests.journeys.programs import Server, StartServer, starting_servers
from tests.outside import WAITING
from tests.store.embedded_processes import only_linux

pytestmark = [only_linux, pytest.mark.xdist_group("heavy"), pytest.mark.timeout(600)]

CLIENTS = 12
TURNS = 6
READERS = 3
CHAPTERS = 32
# Each message is another value of one fact: what is learned twice, or out of order, is seen.
SAYS = "My favourite number is {count}."

TASKS = ("digest", "embed", "learn")
BUSY = "SELECT count(*) FROM longterm.jobs WHERE task = ANY(%s) AND state = 'running'"
LEFT = "SELECT count(*) FROM longterm.jobs WHERE task = ANY(%s)"
# A minute passes for who died; for who lives too, so that some jobs are run by both at once.
LEASES_END = "UPDATE longterm.jobs SET due_at = now() WHERE state = 'running'"
# Of those alone that nobody holds: who is in the middle of something may have asked for one.
FIRST_LEASES_END = """
    UPDATE longterm.jobs
       SET due_at = now()
     WHERE (tenant_id, task, key) IN (SELECT tenant_id, task, key
                                        FROM longterm.jobs
                                       WHERE state = 'running'
                                         AND attempts = 1
                                         FOR UPDATE SKIP LOCKED)
"""
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


# Whatever is there more than once. Most of it has no key of its own that would forbid that.
TWICE = """
    SELECT 'message', user_id, content FROM longterm.messages
     WHERE role = 'user' GROUP BY user_id, content HAVING count(*) > 1
     UNION ALL
    SELECT 'answer', user_id, conversation_id::text FROM longterm.messages
     GROUP BY user_id, conversation_id
    HAVING count(*) FILTER (WHERE role = 'user') <> count(*) FILTER (WHERE role = 'assistant')
     UNION ALL
    SELECT 'conversation', user_id, '' FROM longterm.conversations
     GROUP BY user_id HAVING count(*) > 1
     UNION ALL
    SELECT 'fact', user_id, content FROM longterm.facts
     GROUP BY user_id, category, key, content HAVING count(*) > 1
     UNION ALL
    SELECT 'change', user_id, min(action) FROM longterm.audit
     GROUP BY user_id, subject, source_message_id HAVING count(*) > 1
     UNION ALL
    SELECT 'episode', one.user_id, one.turn_start::text FROM longterm.episodes AS one
      JOIN longterm.episodes AS other ON other.conversation_id = one.conversation_id
     WHERE other.id > one.id
       AND other.turn_start <= one.turn_end AND one.turn_start <= other.turn_end
     UNION ALL
    SELECT 'passage', user_id, kind FROM longterm.passages
     GROUP BY user_id, kind, message_id, episode_id, fact_id, fact_version HAVING count(*) > 1
     UNION ALL
    SELECT 'word', user_id, term FROM longterm.postings
     GROUP BY user_id, passage_id, term HAVING count(*) > 1
     UNION ALL
    SELECT 'vector', user_id, kind FROM longterm.embeddings
     GROUP BY user_id, passage_id, kind, part HAVING count(*) > 1
"""
# How far each conversation is summed up, in how many turns, and how many passages that made.
EPISODES = """
    SELECT episodes.user_id, min(turn_start), max(turn_end), sum(turn_end - turn_start + 1),
           count(*) = count(passages.id)
      FROM longterm.episodes
      LEFT JOIN longterm.passages ON passages.episode_id = episodes.id
     GROUP BY episodes.user_id
     ORDER BY episodes.user_id
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

    @asynccontextmanager
    async def held(self, table: str) -> AsyncGenerator[None]:
        """Let nobody write to a table, so that a worker stays in the middle of what it does."""
        async with await psycopg.AsyncConnection.connect(self._url) as conn:
            await conn.execute(f"LOCK TABLE longterm.{table} IN SHARE MODE".encode())
            yield

    async def until_waiting(self, how_many: int) -> None:
        """Let others begin what was begun, until so many wait for what is held or each other."""
        async with asyncio.timeout(60):
            while (await self.found(WAITING))[0][0] < how_many:
                await self.found(FIRST_LEASES_END)
                await asyncio.sleep(0.05)

    async def until(self, query: str, holds: Callable[[int], bool]) -> None:
        async with asyncio.timeout(300):
            while not holds((await self.found(query, list(TASKS)))[0][0]):
                await asyncio.sleep(0.02)


@pytest.fixture
def crowd(new_database: Callable[[str], str], tmp_path: Path) -> Iterator[Crowd]:
    for start in starting_servers():
        yield Crowd(new_database("crowd"), tmp_path / "crowd.log", start)


async def bring(name: str, servers: list[str], said: list[str], *, at_once: int) -> None:
    """Somebody whose application keeps a conversation of its own, and repeats each request."""
    async with httpx.AsyncClient(timeout=HANG_S) as http:
        body = {"user_id": name}
        made = await to_both(http, servers, "/api/conversations", body, f"{name} begins")
        for start in range(0, len(said), at_once):
            messages = [
                {"role": role, "content": words}
                for each in said[start : start + at_once]
                for role, words in (("user", each), ("assistant", f"About that: {each}"))
            ]
            path = f"/api/conversations/{made['id']}/messages"
            await to_both(http, servers, path, {**body, "messages": messages}, f"{name} {start}")


async def test_two_servers_and_two_workers_do_everything_once_though_one_dies(
    crowd: Crowd,
) -> None:
    # All at once, and on an empty database: one of them makes the tables.
    servers = [crowd.start("serve", "--no-worker", "--port", "0") for _ in range(2)]
    workers = [crowd.start("worker") for _ in range(2)]
    urls = await asyncio.gather(*(asyncio.to_thread(server.url) for server in servers))
    await asyncio.gather(*(asyncio.to_thread(worker.says) for worker in workers))
    talk = Talk(clients(CLIENTS, list(urls), says=SAYS, repeats=True), pause_s=0)
    first, *readers = (f"reader {number}" for number in range(READERS))
    chapters = [f"Chapter {chapter} was read." for chapter in range(CHAPTERS)]

    # Two are at the same: both have read what is new, and neither knows of the other.
    async with crowd.held("episodes"):
        async with crowd.held("ledger"):
            await bring("writer", urls, [SAYS.format(count=1)], at_once=1)
            await bring(first, urls, chapters, at_once=CHAPTERS)
            await crowd.until_waiting(4)
        await crowd.until_waiting(2)

    talking = asyncio.create_task(talk.go_on())
    reading = asyncio.gather(*(bring(name, urls, chapters, at_once=4) for name in readers))
    await crowd.until(BUSY, lambda busy: busy > 1)
    await asyncio.to_thread(workers[0].kill)
    while not talking.done() and not all(len(each.heard) >= TURNS for each in talk.clients):
        await asyncio.sleep(0.05)
    talk.end()
    await talking
    await reading
    await crowd.found(LEASES_END)
    await crowd.until(LEFT, lambda left: left == 0)

    assert await crowd.found(TWICE) == []
    told = {each.name: [heard.said for heard in each.heard] for each in talk.clients}
    told |= {"writer": [SAYS.format(count=1)], **dict.fromkeys((first, *readers), chapters)}
    said = {user: (words, turns) for user, words, turns in await crowd.found(SAID)}
    assert {user: words for user, (words, _) in said.items()} == told
    assert all(turns == list(range(1, len(turns) + 1)) for _, turns in said.values())
    learned = {user: found for user, *found in await crowd.found(LEARNED)}
    assert learned == {
        user: [[str(number) for number in range(1, len(words) + 1)], 1, 1]
        for user, words in told.items()
        if user not in (first, *readers)
    }
    # Every turn but the last ten to twenty is in exactly one episode.
    summed_up = await crowd.found(EPISODES)
    assert [user for user, *_ in summed_up] == sorted(
        user for user, words in told.items() if len(words) > 20
    )
    for user, start, end, turns, indexed in summed_up:
        assert (start, turns, indexed) == (1, end, True)
        assert len(told[user]) - 20 <= end <= len(told[user]) - 10
    # What was answered without a model is not searched; what an application brings is.
    ((questions, passages, indexed, unembedded, ledger, dead),) = await crowd.found(MADE)
    searched = questions + READERS * CHAPTERS + 1
    assert (passages, indexed, unembedded) == (searched, searched, 0)
    assert (ledger, dead) == (questions, 0)
    assert not any(each.refused for each in talk.clients)
