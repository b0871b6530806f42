"""What is sent again, and what comes late: stored once, in its place, and never lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from starlette.responses import StreamingResponse

from longterm.memory.relay import Relay, Request
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.records.thread import Entry, own_hash
from tests.faults.test_outage import Switch, until_back
from tests.providers import shapes
from tests.providers.shapes import Says
from tests.proxy.conftest import Door, end_waiting
from tests.proxy.upstream import Upstream, says

AGED = """
    UPDATE longterm.threads SET noted_at = noted_at - interval '90 days' WHERE user_id = %s
"""
EXPIRED = """
    UPDATE longterm.conversations SET expires_at = now() - interval '1 second' WHERE user_id = %s
"""


async def ask(door: Door, user: str, words: str, *, tries: int = 0, place: str = "") -> None:
    headers = {"X-Longterm-Conversation": place} if place else {}
    async with door.client(user, headers=headers) as client:
        await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": words}],
            extra_headers={"x-stainless-retry-count": str(tries)},
        )


def entry(role: Any, text: str) -> Entry:
    return Entry(role=role, own=own_hash(role, text), content=text)


async def outside(door: Door, statement: str, user: str) -> None:
    url = door.runtime.settings.database_url
    async with await psycopg.AsyncConnection.connect(str(url), autocommit=True) as raw:
        await raw.execute(statement.encode(), [user])


async def test_a_question_that_is_tried_again_does_not_reach_back_to_one_of_long_ago(
    door: Door, upstream: Upstream, user: str
) -> None:
    """The first try may never have come here: what it repeats is then something else."""
    upstream.behave = says("An answer of spring.")
    await ask(door, user, "hello")
    await outside(door, AGED, user)

    upstream.behave = says("An answer of autumn.")
    await ask(door, user, "hello", tries=1)

    assert [text for _, text in await door.said(user)] == [
        "hello", "An answer of spring.", "hello", "An answer of autumn.",
    ]  # fmt: skip


async def test_a_client_that_sends_only_its_last_message_and_tries_again_is_stored_once(
    door: Door, upstream: Upstream, user: str
) -> None:
    """Its first try was answered, and the answer lost on the way."""
    await ask(door, user, "hello", place="trip")
    for tries, words in enumerate(("Lost.", "Told.")):
        upstream.behave = says(words)
        await ask(door, user, "and now?", tries=tries, place="trip")
    upstream.behave = says("Once more.")
    await ask(door, user, "and now?", place="trip")

    found = await door.messages(user)
    assert [one.content for one in found] == [
        "hello", "Fine.", "and now?", "Told.", "and now?", "Once more.",
    ]  # fmt: skip
    assert [one.turn for one in found] == [1, 1, 2, 2, 3, 3]


async def test_in_a_named_conversation_a_question_that_came_twice_at_once_is_stored_once(
    door: Door, user: str
) -> None:
    relay, place = Relay(door.runtime.parts, Scope(1, user)), new_id()
    for words in ("hello", "and now?"):
        first = Request(user_id=user, entries=[entry("user", words)], named=place)
        followed = await relay.follow(first)
        await relay.keep_answer(first, followed, entry("assistant", f"To {words}"))

    asked = [entry("user", "and now?")]
    meanwhile = await relay.follow(Request(user_id=user, entries=asked, named=place, waited_s=60))

    assert (meanwhile.chain, meanwhile.stored) == (followed.chain, 0)
    assert len(await door.messages(user)) == 4


async def test_an_answer_to_a_conversation_that_expired_meanwhile_is_let_go(
    door: Door, user: str
) -> None:
    relay = Relay(door.runtime.parts, Scope(1, user))
    request = Request(user_id=user, entries=[entry("user", "hello")])
    followed = await relay.follow(request)
    await outside(door, EXPIRED, user)

    await relay.keep_answer(request, followed, entry("assistant", "Too late."))

    assert door.runtime.parts.outage.pending == 0
    assert await door.said(user) == []


@pytest.mark.parametrize("table", ["usage", "threads"])
async def test_an_answer_that_comes_while_the_database_is_busy_is_not_lost(
    patient_door: tuple[Door, Switch, str], upstream: Upstream, user: str, table: str
) -> None:
    door, _, conninfo = patient_door
    raw = await psycopg.AsyncConnection.connect(conninfo)

    async def meanwhile() -> AsyncIterator[bytes]:
        await raw.execute(f"LOCK TABLE longterm.{table}".encode())
        for event in shapes.openai_events(Says("Here I am.")):
            yield event.encode()

    upstream.behave = lambda _: StreamingResponse(meanwhile(), media_type="text/event-stream")
    async with raw, door.client(user) as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hello"}], stream=True
        )
        ending = asyncio.create_task(end_waiting(conninfo))
        _ = [chunk async for chunk in stream]
        await door.runtime.parts.aside.finish()
        await ending
    await until_back(door.runtime)

    assert await door.said(user) == [("user", "hello"), ("assistant", "Here I am.")]
