"""The other side of every comparison: the same rows by plain SQL, as a superuser.

No tenant, no policy, no counter, no job, no check: what the database and its driver cost anyway.
"""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool

from longterm.bench.data import ANSWER, QUESTION, TENANT
from longterm.store.messages import COLUMNS

Row = tuple[Any, ...]

INSERT_TURN = """
    INSERT INTO longterm.messages (tenant_id, conversation_id, user_id, turn, role, content,
                                   said_at, metadata)
    VALUES (%(tenant_id)s, %(conversation_id)s, %(user_id)s, 1, 'user', %(question)s, now(), '{}'),
           (%(tenant_id)s, %(conversation_id)s, %(user_id)s, 1, 'assistant', %(answer)s, now(),
            NULL)
"""

INSERT_MESSAGE = """
    INSERT INTO longterm.messages (tenant_id, conversation_id, user_id, turn, role, content,
                                   said_at)
    VALUES (%(tenant_id)s, %(conversation_id)s, %(user_id)s, 1, 'user', %(question)s, now())
 RETURNING id
"""

LAST_MESSAGES = f"""
    SELECT {COLUMNS}
      FROM longterm.messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND archived_at IS NULL
     ORDER BY said_at DESC, id DESC
     LIMIT %(limit)s
"""

COPY = """
    COPY longterm.messages (tenant_id, conversation_id, user_id, turn, role, content, said_at)
    FROM STDIN
"""

CopiedRow = tuple[int, str, str, int, str, str, datetime | None]


@dataclass(frozen=True, slots=True)
class Bare:
    """A pool as psycopg makes it by default, and one connection that is never given back."""

    pool: AsyncConnectionPool[psycopg.AsyncConnection[Row]]
    held: psycopg.AsyncConnection[Row]

    async def insert_turn(self, user_id: str, conversation_id: str) -> None:
        """Insert a question and an answer, and commit."""
        async with self.pool.connection() as conn:
            await conn.execute(
                INSERT_TURN,
                {
                    "tenant_id": TENANT,
                    "conversation_id": conversation_id,
                    "user_id": user_id,
                    "question": QUESTION,
                    "answer": ANSWER,
                },
            )

    async def insert_message(self, user_id: str, conversation_id: str) -> None:
        """Insert one message, read its id, and commit."""
        async with self.pool.connection() as conn:
            cursor = await conn.execute(
                INSERT_MESSAGE,
                {
                    "tenant_id": TENANT,
                    "conversation_id": conversation_id,
                    "user_id": user_id,
                    "question": QUESTION,
                },
            )
            await cursor.fetchone()

    async def last_messages(self, user_id: str, limit: int = 20) -> list[Row]:
        """Read the newest messages of a user in a transaction of their own."""
        async with self.pool.connection() as conn:
            return await _last_messages(conn, user_id, limit)

    async def last_messages_held(self, user_id: str, limit: int = 20) -> list[Row]:
        """Read them with no pool and no transaction around: the least there can be."""
        return await _last_messages(self.held, user_id, limit)

    async def copy(self, rows: Iterable[CopiedRow]) -> None:
        """Copy messages into the table, and commit."""
        async with (
            self.pool.connection() as conn,
            conn.cursor() as cursor,
            cursor.copy(COPY) as copy,
        ):
            for row in rows:
                await copy.write_row(row)


async def _last_messages(conn: psycopg.AsyncConnection[Row], user_id: str, limit: int) -> list[Row]:
    cursor = await conn.execute(
        LAST_MESSAGES, {"tenant_id": TENANT, "user_id": user_id, "limit": limit}
    )
    return await cursor.fetchall()


@asynccontextmanager
async def connect(conninfo: str) -> AsyncGenerator[Bare]:
    """Connect as whoever `conninfo` names."""
    pool: AsyncConnectionPool[psycopg.AsyncConnection[Row]] = AsyncConnectionPool(
        conninfo, min_size=1, max_size=10, open=False
    )
    async with pool, await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as held:
        yield Bare(pool, held)
