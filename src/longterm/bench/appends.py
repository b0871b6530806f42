"""Appends: a turn or a message, against the bare INSERT of the same rows."""

import asyncio

from longterm.bench import data
from longterm.bench.data import ANSWER, QUESTION, TENANT
from longterm.bench.report import Row, row
from longterm.bench.setting import Bench
from longterm.bench.timing import in_thread
from longterm.blocking import Longterm

LIMIT = 1.5
LATE_LIMIT = 1.1
INSERT = "raw INSERT and COMMIT"


async def measure(bench: Bench) -> list[Row]:
    """Compare every kind of append."""
    rows: list[Row] = []
    for turns in bench.sizes.turns_of_users:
        rows += [await _turn(bench, turns), await _message(bench, turns)]
    return [*rows, *await _late(bench), await _blocking(bench)]


async def _turn(bench: Bench, turns: int) -> Row:
    user_id, rounds = data.user_of(turns), bench.sizes.write_rounds
    ours, theirs = await bench.fresh(user_id, rounds), await bench.fresh(user_id, rounds)
    taken = await bench.pair(
        "store_turn",
        rounds,
        ours=lambda: bench.mem.store_turn(next(ours), user_id, QUESTION, ANSWER),
        theirs=lambda: bench.bare.insert_turn(user_id, next(theirs)),
    )
    at = f"{turns:,} turns of the user"
    return row("append a turn (store_turn)", at, INSERT, *taken, limit=LIMIT)


async def _message(bench: Bench, turns: int) -> Row:
    user_id, rounds = data.user_of(turns), bench.sizes.write_rounds
    ours, theirs = await bench.fresh(user_id, rounds), await bench.fresh(user_id, rounds)
    taken = await bench.pair(
        "add_message",
        rounds,
        ours=lambda: bench.mem.add_message(user_id, "user", QUESTION, conversation_id=next(ours)),
        theirs=lambda: bench.bare.insert_message(user_id, next(theirs)),
    )
    at = f"{turns:,} turns of the user"
    return row("append a message (add_message)", at, INSERT, *taken, limit=LIMIT)


async def _late(bench: Bench) -> list[Row]:
    """Every round has a pair of conversations of its own, which stand at the turn before."""
    sizes = bench.sizes
    user_id = data.crowd_user(0)
    users = [user_id] * (sizes.late_rounds + sizes.warm_up)
    early = await data.make_conversations(
        bench.admin, users, turns=sizes.early_turn - 1, kind="session"
    )
    late = await data.make_conversations(
        bench.admin, users, turns=sizes.late_turn - 1, kind="session"
    )
    await data.settle(bench.admin)
    limit, read_late, read_early = sizes.early_turn - 1, iter(late), iter(early)
    read = await bench.pair(
        "early and late reads",
        sizes.late_rounds,
        ours=lambda: bench.mem.get_session_history(next(read_late), limit),
        theirs=lambda: bench.mem.get_session_history(next(read_early), limit),
    )
    write_late, write_early = iter(late), iter(early)
    written = await bench.pair(
        "early and late turns",
        sizes.late_rounds,
        ours=lambda: bench.mem.store_turn(next(write_late), user_id, QUESTION, ANSWER),
        theirs=lambda: bench.mem.store_turn(next(write_early), user_id, QUESTION, ANSWER),
    )
    at, against = f"turn {sizes.late_turn:,}", f"turn {sizes.early_turn:,}"
    return [
        row("append a turn (store_turn)", at, against, *written, limit=LATE_LIMIT),
        row(f"last {limit} turns (get_session_history)", at, against, *read, limit=LATE_LIMIT),
    ]


async def _blocking(bench: Bench) -> Row:
    user_id, rounds = data.crowd_user(0), bench.sizes.write_rounds
    ours, theirs = await bench.fresh(user_id, rounds), await bench.fresh(user_id, rounds)
    lt = Longterm(bench.conninfo)
    await asyncio.to_thread(lt.open)
    try:
        blocking = lt.tenant(TENANT)

        def add_message() -> object:
            return blocking.add_message(user_id, "user", QUESTION, conversation_id=next(ours))

        taken = await bench.pair(
            "blocking add_message",
            rounds,
            ours=lambda: in_thread(add_message),
            theirs=lambda: bench.mem.add_message(
                user_id, "user", QUESTION, conversation_id=next(theirs)
            ),
        )
    finally:
        await asyncio.to_thread(lt.close)
    return row("append a message, blocking (Longterm)", "", "AsyncLongterm", *taken)
