"""a5: tenants are kept apart behind a pooler that shares connections between clients."""

import asyncio
from collections.abc import Callable, Iterator

import psycopg
import pytest

from longterm import Settings
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import WORDS, WordByWord, taught
from tests.store.pgbouncer import needs_pgbouncer, running

pytestmark = needs_pgbouncer


@pytest.fixture(scope="module")
def pooled(new_database: Callable[[str], str]) -> Iterator[str]:
    """A conninfo through pgbouncer in transaction mode, with two connections for all."""
    with running(new_database("longterm_pooled")) as conninfo:
        yield conninfo


async def test_tenants_stay_apart_and_nothing_fails_on_shared_connections(pooled: str) -> None:
    async def talk(runtime: Runtime, tenant_id: int) -> set[str]:
        mem = runtime.tenant(Scope(tenant_id))
        for number in range(30):
            await mem.add_message("ada", "user", f"{tenant_id}: {number}")
            await mem.get_recent_messages("ada", count=5)
        return {message.content for message in await mem.get_conversation_history("ada", 100)}

    settings = Settings(database_url=pooled, pool_size=4)
    async with Runtime(settings) as one, Runtime(settings) as two:
        seen = await asyncio.gather(
            *(talk(runtime, tenant) for tenant in range(1, 6) for runtime in (one, two))
        )

    for tenant_id, contents in zip([1, 1, 2, 2, 3, 3, 4, 4, 5, 5], seen, strict=True):
        assert len(contents) == 30
        assert {content.split(":")[0] for content in contents} == {str(tenant_id)}


async def test_nothing_of_a_transaction_is_left_on_the_shared_connection(pooled: str) -> None:
    async with Runtime(Settings(database_url=pooled)) as runtime:
        await runtime.tenant(Scope(7, "ada")).add_message("ada", "user", "hello")

        async with await psycopg.AsyncConnection.connect(pooled, autocommit=True) as other:
            other.prepare_threshold = None
            for _ in range(20):
                cursor = await other.execute(
                    "SELECT current_setting('longterm.tenant_id', true),"
                    " current_setting('longterm.user_id', true), current_user"
                )
                tenant_id, user_id, role = await cursor.fetchone() or (None, None, None)
                assert not tenant_id
                assert not user_id
                assert role == "postgres"


async def test_prepared_statements_are_left_out_behind_a_pooler(pooled: str, conninfo: str) -> None:
    async def threshold(url: str) -> int | None:
        async with (
            Runtime(Settings(database_url=url)) as runtime,
            runtime.parts.database.system() as conn,
        ):
            await conn.value("SELECT 1")
            return conn.raw.prepare_threshold

    assert await threshold(pooled) is None
    assert await threshold(conninfo) is not None


async def test_who_follows_an_answer_looks_where_nobody_can_listen(pooled: str) -> None:
    async with Runtime(Settings(database_url=pooled)) as runtime:
        model = WordByWord()
        mem = taught(runtime, 9, model)
        stream = mem.stream("ada", "Tell me a story")
        first = await anext(stream)
        heard = ""
        model.may_speak.release()
        async for event in mem.follow("ada", first.ids["message_id"]):
            heard += event.text
            model.may_speak.release()
        await stream.aclose()

    assert heard == "".join(WORDS)
