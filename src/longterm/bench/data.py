"""Fills a database of its own with other people's conversations, so that there is a haystack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg

from longterm.records.ids import new_id

Admin = psycopg.AsyncConnection[tuple[Any, ...]]

TENANT = 1
CROWD_TURNS = 500
TURNS_OF_A_CONVERSATION = 20
QUESTION = "What should I keep in mind when I move to Lisbon with two cats and a piano? " * 2
ANSWER = (
    "Cats need a microchip, a rabies vaccination and a health certificate; measure the stairs "
    "and the door before the piano goes on the lorry, and ask the neighbours about the lift. "
) * 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is stored, and how often each thing is measured."""

    messages_in_table: int
    turns_of_users: tuple[int, ...]
    early_turn: int
    late_turn: int
    read_rounds: int
    connections: int
    write_rounds: int
    late_rounds: int
    policy_blocks: int
    policy_rounds: int
    imported_messages: tuple[int, ...]
    import_rounds: int
    start_rounds: int
    passages_of_users: tuple[int, ...]
    recall_rounds: int
    http_rounds: int
    load_clients: tuple[int, int, int]
    load_blocks: int
    load_block_s: float
    warm_up: int = 10


FULL = Sizes(
    messages_in_table=1_000_000,
    turns_of_users=(1_000, 10_000, 100_000),
    early_turn=20,
    late_turn=1_000,
    read_rounds=1_000,
    connections=25,
    write_rounds=300,
    late_rounds=100,
    policy_blocks=20,
    policy_rounds=50,
    imported_messages=(2_000, 20_000, 100_000),
    import_rounds=5,
    start_rounds=15,
    passages_of_users=(1_000, 10_000, 100_000),
    recall_rounds=200,
    http_rounds=200,
    load_clients=(1, 8, 64),
    load_blocks=8,
    load_block_s=1.0,
)
QUICK = Sizes(
    messages_in_table=50_000,
    turns_of_users=(100, 1_000, 10_000),
    early_turn=20,
    late_turn=200,
    read_rounds=100,
    connections=5,
    write_rounds=50,
    late_rounds=40,
    policy_blocks=4,
    policy_rounds=25,
    imported_messages=(2_000, 10_000),
    import_rounds=3,
    start_rounds=3,
    passages_of_users=(300, 1_000, 5_000),
    recall_rounds=30,
    http_rounds=30,
    load_clients=(1, 8, 64),
    load_blocks=2,
    load_block_s=0.5,
)

USERS = """
    INSERT INTO longterm.users (tenant_id, user_id)
    SELECT %(tenant_id)s, user_id
      FROM unnest(%(user_ids)s::text[]) AS user_id
        ON CONFLICT (tenant_id, user_id) DO NOTHING
"""

CONVERSATIONS = """
    INSERT INTO longterm.conversations (tenant_id, id, user_id, kind, turn_count, retention_hours,
                                        expires_at, created_at, updated_at)
    SELECT %(tenant_id)s, id, user_id, %(kind)s, %(turns)s, %(hours)s::float8,
           now() + %(hours)s::float8 * interval '1 hour', now() - interval '30 days', now()
      FROM unnest(%(ids)s::uuid[], %(user_ids)s::text[]) AS made (id, user_id)
"""

# One after the other in time for all users, as if they had talked to us side by side.
MESSAGES = """
    INSERT INTO longterm.messages (tenant_id, conversation_id, user_id, turn, role, content, said_at)
    SELECT %(tenant_id)s, id, user_id, turn, role,
           CASE role WHEN 'user' THEN %(question)s ELSE %(answer)s END || turn,
           now() - interval '30 days' + (%(after)s + place * %(turns)s + turn) * interval '1 second'
      FROM unnest(%(ids)s::uuid[], %(user_ids)s::text[]) WITH ORDINALITY
           AS made (id, user_id, place),
           generate_series(1, %(turns)s) AS turn,
           (VALUES (1, 'user'), (2, 'assistant')) AS said (part, role)
     ORDER BY place, turn, part
"""


def user_of(turns: int) -> str:
    """Return who has said that many turns."""
    return f"user-of-{turns}-turns"


def crowd_user(number: int) -> str:
    """Return one of the many who fill the table."""
    return f"crowd-{number}"


async def make_users(admin: Admin, user_ids: Sequence[str]) -> None:
    """Make users, unless they are there."""
    await admin.execute(USERS, {"tenant_id": TENANT, "user_ids": list(user_ids)})


async def make_conversations(
    admin: Admin,
    user_ids: Sequence[str],
    *,
    turns: int = 0,
    after: int = 0,
    kind: LiteralString = "conversation",
) -> list[str]:
    """Make a conversation for each user named, with that many turns, and return the ids.

    The messages follow each other by a second, the first of all `after` seconds from a start.
    """
    ids = [new_id() for _ in user_ids]
    values = {
        "tenant_id": TENANT,
        "ids": ids,
        "user_ids": list(user_ids),
        "kind": kind,
        "turns": turns,
        "after": after,
        "hours": 24 if kind == "session" else None,
        "question": QUESTION,
        "answer": ANSWER,
    }
    await admin.execute(CONVERSATIONS, values)
    if turns:
        await admin.execute(MESSAGES, values)
    return ids


async def fill(admin: Admin, sizes: Sizes) -> None:
    """Store the users whom the cases ask about, and a crowd around them."""
    await make_users(admin, [user_of(turns) for turns in sizes.turns_of_users])
    for turns in sizes.turns_of_users:
        conversations = turns // TURNS_OF_A_CONVERSATION
        await make_conversations(
            admin, [user_of(turns)] * conversations, turns=TURNS_OF_A_CONVERSATION
        )
    missing = sizes.messages_in_table - 2 * sum(sizes.turns_of_users)
    crowd = [crowd_user(number) for number in range(max(missing // (2 * CROWD_TURNS), 1))]
    await make_users(admin, crowd)
    for number in range(CROWD_TURNS // TURNS_OF_A_CONVERSATION):
        after = number * len(crowd) * TURNS_OF_A_CONVERSATION
        await make_conversations(admin, crowd, turns=TURNS_OF_A_CONVERSATION, after=after)


async def settle(admin: Admin) -> None:
    """Let the planner know what there is, and leave nothing to write in the background."""
    await admin.execute("VACUUM (ANALYZE) longterm.messages")
    await admin.execute("VACUUM (ANALYZE) longterm.conversations")
    await admin.execute("VACUUM (ANALYZE) longterm.users")
    await admin.execute("CHECKPOINT")
