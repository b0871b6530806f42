"""b7 over real processes: PostgreSQL and a server are killed under those who talk to them."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg
import pytest

from longterm.journal.tally import Tally
from longterm.store.embedded import EmbeddedPostgres
from tests.faults.talking import HANG_S, SAYS, Client, Talk, clients
from tests.journeys.programs import Server, StartServer, starting_servers
from tests.store.embedded_processes import at_work, only_linux, postmaster, until

pytestmark = [only_linux, pytest.mark.xdist_group("heavy"), pytest.mark.timeout(600)]

CLIENTS = 20
AWAY_S = 20.0
SAID = """
    SELECT role, content, turn, status
      FROM longterm.messages
     WHERE conversation_id = %s
     ORDER BY id
"""

# The others are the next cleanup, and a look after each answer in half a minute.
JOBS = "SELECT count(*) FROM longterm.jobs WHERE task IN ('digest', 'embed', 'learn')"

# Whoever writes for this user waits in the middle of it, for nearly as long as a statement may.
HOLD = """
    CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_sleep(25); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON longterm.messages
       FOR EACH ROW WHEN (NEW.user_id = 'held') EXECUTE FUNCTION public.hold()
"""
HELD = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
LET_GO = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep';
    DROP FUNCTION public.hold() CASCADE
"""


class Place:
    """A PostgreSQL that can be killed and brought back, and servers that share it and a journal."""

    def __init__(self, folder: Path, start: StartServer) -> None:
        """There is a data folder in `folder` already."""
        self.journal = folder / "journal"
        self._folder = folder
        self._start = start
        self._postgres = EmbeddedPostgres(folder / "data")
        self.url = self._postgres.start()

    def serve(self, *options: str) -> tuple[Server, str]:
        server = self.begin_to_serve(*options)
        return server, server.url()

    def begin_to_serve(self, *options: str) -> Server:
        return self._start(
            *("serve", "--port", "0", "--database-url", self.url, *options),
            log=self._folder / "servers.log",
            LONGTERM_JOURNAL_DIR=str(self.journal),
            LONGTERM_CONNECT_TIMEOUT_S="2",
        )

    def take_away(self) -> None:
        os.kill(postmaster(self._folder / "data"), signal.SIGKILL)
        until(lambda: at_work(self._folder / "data") == [])

    def bring_back(self) -> None:
        assert self._postgres.start() == self.url

    def waiting(self) -> int:
        """How many records are in the journal."""
        if not self.journal.exists():
            return 0
        return sum(Tally(each).totals().records for each in self.journal.iterdir())

    def run(self, statements: LiteralString) -> None:
        with psycopg.connect(self.url, autocommit=True) as conn:
            conn.execute(statements)

    def is_held(self) -> bool:
        with psycopg.connect(self.url) as conn:
            return conn.execute(HELD).fetchone() is not None

    def stored(self, conversation_id: str) -> list[tuple[str, str, int, str]]:
        with psycopg.connect(self.url) as conn:
            return conn.execute(SAID, [conversation_id]).fetchall()

    def jobs(self) -> int:
        with psycopg.connect(self.url) as conn:
            row = conn.execute(JOBS).fetchone()
        assert row is not None
        return row[0]

    def close(self) -> None:
        self._postgres.stop()


@pytest.fixture
def place(used_dir: Path) -> Iterator[Place]:
    servers = starting_servers()
    made = Place(used_dir.parent, next(servers))
    yield made
    for _ in servers:
        pass
    made.close()


async def test_two_servers_lose_nothing_while_postgresql_and_one_of_them_are_killed(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """b7: nothing that was acknowledged is lost or there twice, and answers go on all the while."""
    # Who is to be killed has no worker: its jobs would wait for the end of their lease.
    (first, first_url), (_, second_url) = await asyncio.gather(
        asyncio.to_thread(place.serve, "--no-worker"), asyncio.to_thread(place.serve)
    )
    talk = Talk(clients(CLIENTS, [first_url, second_url]), pause_s=2)
    talking = asyncio.create_task(talk.go_on())
    while not all(each.heard for each in talk.clients):
        await asyncio.sleep(0.1)

    await asyncio.to_thread(place.take_away)
    before = [len(each.heard) for each in talk.clients]
    await asyncio.sleep(AWAY_S / 2)
    ready, metrics = await health(second_url)
    await asyncio.to_thread(first.kill)
    # It starts without the database, and waits for it.
    (_, third_url), _ = await asyncio.gather(
        asyncio.to_thread(place.serve), asyncio.sleep(AWAY_S / 2)
    )
    late, _ = await health(third_url)
    during = [len(each.heard) for each in talk.clients]
    waiting = await asyncio.to_thread(place.waiting)
    await asyncio.to_thread(place.bring_back)
    _, first_url = await asyncio.to_thread(place.serve)
    await asyncio.sleep(2)
    talk.end()
    await talking
    await drained(place, first_url, second_url, third_url)

    with capsys.disabled():
        sys.stdout.write(
            f"\noutage: {talk.heard} turns, {sum(before)} before it, "
            f"{sum(during) - sum(before)} in it, {waiting} records on disk at its end, "
            f"{sum(len(each.refused) for each in talk.clients)} not acknowledged\n"
        )
    for each in (ready, late):
        found = (each["ready"], each["degraded"], each["database"]["answers"])
        assert found == (True, True, False)
    assert "longterm_degraded 1.0" in metrics
    for each, earlier, later in zip(talk.clients, before, during, strict=True):
        assert_kept(place, each)
        # The first of these may have been asked before.
        in_it = each.heard[earlier + 1 : later]
        assert len(in_it) > 2
        assert all(heard.degraded for heard in in_it)


async def test_a_server_killed_while_it_writes_back_is_gone_on_with(place: Place) -> None:
    """b7: even if the process died in between."""
    server, url = await asyncio.to_thread(place.serve, "--no-worker")
    talk = Talk(clients(CLIENTS, [url]), pause_s=0)
    held = Client(name="held", servers=[url], streams=False, says=SAYS)
    await asyncio.to_thread(place.run, HOLD)
    await asyncio.to_thread(place.take_away)
    talking = asyncio.create_task(talk.go_on())
    await kept_on_disk(place, 100)
    async with httpx.AsyncClient(timeout=HANG_S) as http:
        await held.say(http)
    await kept_on_disk(place, 200)
    talk.end()
    await talking
    kept = await asyncio.to_thread(place.waiting)

    await asyncio.to_thread(place.bring_back)
    await asyncio.to_thread(until, place.is_held, 60)
    await asyncio.to_thread(server.kill)
    left = await asyncio.to_thread(place.waiting)
    await asyncio.to_thread(place.run, LET_GO)
    _, url = await asyncio.to_thread(place.serve)
    await drained(place, url)

    assert 0 < left < kept
    for each in (*talk.clients, held):
        assert_kept(place, each)
        assert all(heard.degraded for heard in each.heard)


async def kept_on_disk(place: Place, records: int) -> None:
    while await asyncio.to_thread(place.waiting) < records:
        await asyncio.sleep(0.02)


async def health(url: str) -> tuple[dict[str, Any], str]:
    async with httpx.AsyncClient(timeout=HANG_S) as http:
        ready = await http.get(f"{url}/readyz")
        assert ready.status_code == 200
        return ready.json(), (await http.get(f"{url}/metrics")).text


async def drained(place: Place, *urls: str) -> None:
    """Wait until nothing is on disk, and every job that follows from a message is done."""
    async with httpx.AsyncClient(timeout=HANG_S) as http, asyncio.timeout(300):
        for url in urls:
            while True:
                ready = (await http.get(f"{url}/readyz")).json()
                if not ready["degraded"] and await asyncio.to_thread(place.jobs) == 0:
                    break
                assert (ready["queue"] or {"dead": 0})["dead"] == 0
                await asyncio.sleep(0.1)


def assert_kept(place: Place, client: Client) -> None:
    """What was acknowledged is there once, in order, with its answer."""
    told = [
        row
        for conversation_id in dict.fromkeys(heard.conversation_id for heard in client.heard)
        for row in place.stored(conversation_id)
    ]
    questions = [content for role, content, _, _ in told if role == "user"]
    acknowledged = [heard.said for heard in client.heard]
    # What was not acknowledged may be there, or not.
    assert [each for each in questions if each not in client.refused] == acknowledged
    assert len(set(questions)) == len(questions)
    answers = {
        question[1]: answer[1]
        for question, answer in pairwise(told)
        if (question[0], answer[0], question[2]) == ("user", "assistant", answer[2])
    }
    assert {heard.said: heard.answer for heard in client.heard}.items() <= answers.items()
    assert sum(role == "assistant" for role, *_ in told) == len(answers)
