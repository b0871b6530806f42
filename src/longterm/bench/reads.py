"""Reads: the newest messages of a user, against the bare SELECT, and without the policies."""

import functools

from longterm.bench import bare, data
from longterm.bench.report import Row, row
from longterm.bench.setting import Bench
from longterm.bench.timing import milliseconds
from longterm.library import AsyncLongterm

COUNT = 20
LIMIT = 1.3
POLICY_LIMIT = 1.1
WHAT = f"last {COUNT} messages (get_recent_messages)"

POLICIES_ON = """
    ALTER TABLE longterm.messages ENABLE ROW LEVEL SECURITY;
    ALTER TABLE longterm.conversations ENABLE ROW LEVEL SECURITY
"""
POLICIES_OFF = """
    ALTER TABLE longterm.messages DISABLE ROW LEVEL SECURITY;
    ALTER TABLE longterm.conversations DISABLE ROW LEVEL SECURITY
"""


async def measure(bench: Bench) -> list[Row]:
    """Compare reads of users who said little and much."""
    users = {data.CROWD_TURNS: data.crowd_user(0)}
    users |= {turns: data.user_of(turns) for turns in bench.sizes.turns_of_users}
    rows: list[Row] = []
    for turns, user_id in users.items():
        rows += await _last_messages(bench, user_id, f"{turns:,} turns of the user")
    largest = max(bench.sizes.turns_of_users)
    return [*rows, await _first(bench, largest), await _policies(bench)]


async def _last_messages(bench: Bench, user_id: str, at: str) -> list[Row]:
    taken = await bench.in_turn(
        WHAT,
        bench.sizes.read_rounds,
        {
            "ours": lambda: bench.mem.get_recent_messages(user_id, COUNT),
            "pooled": lambda: bench.bare.last_messages(user_id, COUNT),
            "held": lambda: bench.bare.last_messages_held(user_id, COUNT),
        },
    )
    ours = taken["ours"]
    return [
        row(WHAT, at, "raw SELECT in a transaction", ours, taken["pooled"], limit=LIMIT),
        row(WHAT, at, "raw SELECT, no transaction, no pool", ours, taken["held"]),
    ]


async def _first(bench: Bench, turns: int) -> Row:
    """Read on connections that are new: there no earlier user has shaped the plan."""
    user_id, rounds = data.user_of(turns), bench.sizes.connections
    ours: list[float] = []
    theirs: list[float] = []
    bench.progress.start("first reads of a connection", rounds)
    for _ in range(rounds):
        async with AsyncLongterm(bench.conninfo) as lt:
            read = functools.partial(lt.tenant(data.TENANT).get_recent_messages, user_id, COUNT)
            ours.append(await milliseconds(read))
        async with bare.connect(bench.conninfo) as plain:
            select = functools.partial(plain.last_messages, user_id, COUNT)
            theirs.append(await milliseconds(select))
        bench.progress.step()
    at = f"{turns:,} turns, first call of a connection"
    return row(WHAT, at, "raw SELECT in a transaction", ours, theirs)


async def _policies(bench: Bench) -> Row:
    """Switch in blocks and not in each round: a switch makes every plan anew."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    user_id = data.user_of(bench.sizes.turns_of_users[0])
    for block in range(bench.sizes.policy_blocks):
        for on in (block % 2 == 0, block % 2 == 1):
            await bench.admin.execute(POLICIES_ON if on else POLICIES_OFF)
            measured = await bench.in_turn(
                "policies " + ("on" if on else "off"),
                bench.sizes.policy_rounds,
                {"read": lambda: bench.mem.get_recent_messages(user_id, COUNT)},
            )
            taken[on] += measured["read"]
    await bench.admin.execute(POLICIES_ON)
    return row(WHAT, "RLS on", "RLS off", taken[True], taken[False], limit=POLICY_LIMIT)
