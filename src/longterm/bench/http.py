"""The HTTP server against the library: one run, on a database of its own."""

import itertools
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass

from longterm.bench import bare, data, loads, recalls
from longterm.bench.data import TENANT, Admin, Sizes
from longterm.bench.http_client import Client
from longterm.bench.loads import Load
from longterm.bench.processes import longterm_server, plain_server
from longterm.bench.report import Report, Row, as_json, machine, row
from longterm.bench.setting import Bench
from longterm.bench.speed import administer, count_messages, own_database
from longterm.bench.timing import Progress, Silence, spread
from longterm.bench.unguarded import Unguarded
from longterm.library import AsyncLongterm
from longterm.records.scope import Scope

_PASSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The comparisons of one run, and what many clients met."""

    report: Report
    loads: tuple[Load, ...]

    def as_json(self) -> dict[str, object]:
        """Return both for programs."""
        return {**as_json(self.report), "loads": [asdict(each) for each in self.loads]}


@dataclass(frozen=True, slots=True)
class _Door:
    """A server, a client of it, and what to ask it for."""

    client: Client
    queries: Iterator[str]
    # Users in turn, each with a conversation: nobody's memory grows much while it is measured.
    places: Iterator[tuple[str, str]]

    async def chat(self, client: Client) -> bytes:
        user_id, conversation_id = next(self.places)
        body = {"user_id": user_id, "conversation_id": conversation_id}
        return await client.post("/api/chat", message=next(self.queries), **body)

    async def recall(self, client: Client) -> bytes:
        body = {"user_id": next(self.places)[0], "query": next(self.queries)}
        return await client.post("/api/recall", **body)

    async def messages(self, client: Client) -> bytes:
        user_id, conversation_id = next(self.places)
        return await client.get(
            f"/api/conversations/{conversation_id}/messages?limit=20&user_id={user_id}"
        )


async def run(server: str, folder: str, sizes: Sizes, progress: Progress | None = None) -> Found:
    """Measure on the server of `server`, whose other databases are left alone.

    What the HTTP server keeps on disk goes to `folder`.
    """
    progress = progress or Silence()
    started = time.perf_counter()
    async with own_database(server) as conninfo, administer(conninfo) as admin:
        rows, met = await _measure(conninfo, folder, admin, sizes, progress)
        stored = await count_messages(admin)
        version = admin.info.parameter_status("server_version")
    report = Report(
        machine=machine(),
        postgres=f"PostgreSQL {version}",
        messages_in_table=stored,
        seconds=time.perf_counter() - started,
        rows=tuple(rows),
    )
    return Found(report=report, loads=tuple(met))


async def _measure(
    conninfo: str, folder: str, admin: Admin, sizes: Sizes, progress: Progress
) -> tuple[list[Row], list[Load]]:
    async with AsyncExitStack() as stack:
        lt = await stack.enter_async_context(AsyncLongterm(conninfo, llm="offline"))
        plain = await stack.enter_async_context(bare.connect(conninfo))
        bench = Bench(
            mem=lt.tenant(TENANT),
            bare=plain,
            admin=admin,
            conninfo=conninfo,
            sizes=sizes,
            progress=progress,
        )
        embedder = lt.parts.embedders.current
        dimensions = (await embedder.embed(["ready"])).shape[1]
        await recalls.prepare(admin, embedder.name, dimensions)
        places = await _fill(bench, dimensions)
        key = (await bench.mem.create_key("bench", "app")).secret
        url = await stack.enter_async_context(longterm_server(conninfo, folder))
        client = await stack.enter_async_context(Client(url, key))
        queries = recalls.queries_without_end()
        door = _Door(client, queries, itertools.cycle(places))
        rows = [
            await _chat(bench, door),
            await _recall(bench, door),
            await _messages(bench, door),
            await _late_turn(bench, door, dimensions),
            *await _guard(bench, door, Unguarded(lt.parts, Scope(TENANT))),
        ]
        clients = await loads.connected(stack, url, key, max(sizes.load_clients))
        requests = {
            "POST /api/chat": door.chat,
            "POST /api/recall": door.recall,
            "GET …/messages": door.messages,
        }
        met, more = await loads.measure(
            clients,
            sizes.load_clients,
            requests,
            blocks=sizes.load_blocks,
            block_s=sizes.load_block_s,
            progress=progress,
        )
        return [*rows, *more], met


async def _fill(bench: Bench, dimensions: int) -> list[tuple[str, str]]:
    """Store users with passages to be found, and a conversation of 20 turns for each."""
    users = [f"user-{number}" for number in range(max(bench.sizes.load_clients))]
    bench.progress.start("storing passages", 1)
    for user_id in users:
        await recalls.store(bench.admin, user_id, _PASSAGES, dimensions)
    ids = await data.make_conversations(bench.admin, users, turns=data.TURNS_OF_A_CONVERSATION)
    await recalls.settle(bench.admin)
    await data.settle(bench.admin)
    bench.progress.step()
    return list(zip(users, ids, strict=True))


async def _chat(bench: Bench, door: _Door) -> Row:
    async def ours() -> object:
        return await door.chat(door.client)

    async def theirs() -> object:
        user_id, conversation_id = next(door.places)
        return await bench.mem.chat(user_id, next(door.queries), conversation_id=conversation_id)

    rounds = bench.sizes.http_rounds
    taken = await bench.pair("POST /api/chat", rounds, ours=ours, theirs=theirs)
    return row("POST /api/chat", "20 turns", "`chat` in the library", *taken, limit=1.3)


async def _recall(bench: Bench, door: _Door) -> Row:
    async def ours() -> object:
        return await door.recall(door.client)

    async def theirs() -> object:
        return await bench.mem.recall(next(door.places)[0], next(door.queries))

    rounds = bench.sizes.http_rounds
    taken = await bench.pair("POST /api/recall", rounds, ours=ours, theirs=theirs)
    at = f"{_PASSAGES} passages"
    return row("POST /api/recall", at, "`recall` in the library", *taken, limit=1.5)


async def _messages(bench: Bench, door: _Door) -> Row:
    body = await door.messages(door.client)

    async def ours() -> object:
        return await door.messages(door.client)

    async with plain_server(body) as url, Client(url) as plain:

        async def theirs() -> object:
            return await plain.get("/messages")

        rounds = bench.sizes.http_rounds * 4
        taken = await bench.pair("GET …/messages", rounds, ours=ours, theirs=theirs)
    what, against = "GET …/messages?limit=20", "FastAPI, the same bytes from memory"
    return row(what, f"{len(body):,} bytes", against, *taken, limit=3)


async def _late_turn(bench: Bench, door: _Door, dimensions: int) -> Row:
    """Compare a late turn with an early one of the same user, who remembers the same in both."""
    sizes = bench.sizes
    rounds = sizes.late_rounds
    users = [f"late-{number}" for number in range(rounds + sizes.warm_up)]
    await data.make_users(bench.admin, users)
    late = await _places(bench, users, sizes.late_turn - 1)
    early = await _places(bench, users, sizes.early_turn - 1)
    said = 2 * (sizes.late_turn + sizes.early_turn - 2)
    await recalls.index(bench.admin, users, said, dimensions)
    await recalls.settle(bench.admin)
    await data.settle(bench.admin)

    async def turn_in(places: Iterator[tuple[str, str]]) -> object:
        user_id, conversation_id = next(places)
        return await door.client.post(
            "/api/chat",
            user_id=user_id,
            conversation_id=conversation_id,
            message=next(door.queries),
        )

    taken = await bench.pair(
        f"turn {sizes.late_turn:,}",
        rounds,
        ours=lambda: turn_in(late),
        theirs=lambda: turn_in(early),
    )
    at, against = f"turn {sizes.late_turn:,}", f"turn {sizes.early_turn}"
    return row("POST /api/chat", at, against, *taken, limit=1.2)


async def _places(bench: Bench, users: list[str], turns: int) -> Iterator[tuple[str, str]]:
    ids = await data.make_conversations(bench.admin, users, turns=turns)
    return iter(list(zip(users, ids, strict=True)))


async def _guard(bench: Bench, door: _Door, unguarded: Unguarded) -> list[Row]:
    async def with_guard() -> object:
        user_id, place = next(door.places)
        return await bench.mem.chat(user_id, next(door.queries), conversation_id=place)

    async def without() -> object:
        user_id, place = next(door.places)
        return await unguarded.chat(user_id, next(door.queries), conversation_id=place)

    rounds = bench.sizes.http_rounds
    ours, theirs = await bench.pair("the guard", rounds, ours=with_guard, theirs=without)
    what, against = "chat, guarded against outages", "the same without the guard"
    ratio = row(what, "no outage", against, ours, theirs, limit=1.05)
    difference = Row(
        what=what,
        at="no outage",
        against=against,
        ours=spread(ours),
        theirs=spread(theirs),
        compared_by="difference",
        limit=50,
    )
    return [ratio, difference]
