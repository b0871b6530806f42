"""d4: an answer under way is followed through another process, by notices and without them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import psycopg
import pytest

from longterm import Settings
from longterm.memory import answering, following
from longterm.postgres import pool
from longterm.records.chat import ChatEvent
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import notices
from tests.memory.taught import WORDS, WordByWord, taught
from tests.outside import Raw, until_somebody_waits

LISTENERS = """
    SELECT pid
      FROM pg_stat_activity
     WHERE datname = current_database()
       AND query = 'LISTEN longterm_answers'
"""


async def test_who_follows_is_told_of_every_word(
    runtime: Runtime, conninfo: str, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who is never told would look four times: that takes longer than there is time.
    monkeypatch.setattr(notices, "_TOLD_LOOK_EVERY_S", 20)
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)

    heard: list[str] = []
    try:
        async with Runtime(Settings(database_url=conninfo)) as elsewhere, asyncio.timeout(60):
            coming = elsewhere.tenant(Scope(tenant_id)).follow("ada", question)
            model.may_speak.release()
            async for event in coming:
                heard.append(event.text)
                model.may_speak.release()
    finally:
        # Else whoever waits for all answers would wait for this one.
        for _ in WORDS:
            model.may_speak.release()
        await stream.aclose()

    assert [text for text in heard if text] == list(WORDS)


async def test_who_is_told_no_longer_looks_by_himself(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    # Who listened for a test before may not be gone yet.
    await _listeners(raw, how_many=0)
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)
    coming = runtime.tenant(Scope(tenant_id)).follow("ada", question)

    model.may_speak.release()
    first = await anext(coming)
    rest = asyncio.create_task(_all(coming))
    (listener,) = await _listeners(raw, how_many=1)
    await raw.execute("SELECT pg_terminate_backend(%s)", [listener])
    await _listeners(raw, how_many=0)
    for _ in WORDS:
        model.may_speak.release()
    await stream.aclose()

    assert first.text + "".join(event.text for event in await rest) == "".join(WORDS)


async def test_nobody_listens_when_nobody_follows(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)
    for _ in WORDS:
        model.may_speak.release()
    async with aclosing(runtime.tenant(Scope(tenant_id)).follow("ada", question)) as coming:
        await anext(coming)
    await _all(stream)

    assert await _listeners(raw, how_many=0) == []


async def test_who_followed_for_too_long_is_told_that_there_is_more(
    runtime: Runtime, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LONGEST_FOLLOW_S", 0)
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)

    (last,) = await _all(runtime.tenant(Scope(tenant_id)).follow("ada", question))
    for _ in WORDS:
        model.may_speak.release()
    await _all(stream)

    assert last.reply is not None
    assert last.reply.error == "The answer is still being made: follow it once more."


async def test_an_answer_that_nobody_follows_tells_nobody(
    runtime: Runtime, conninfo: str, tenant_id: int
) -> None:
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as listener:
        await listener.execute(notices.LISTEN)
        model = WordByWord()
        stream, _ = await _asked(runtime, tenant_id, model)
        for _ in WORDS:
            model.may_speak.release()
        await _all(stream)
        await listener.execute(f"NOTIFY {notices.CHANNEL}, 'the end'")
        told = [notice.payload async for notice in listener.notifies(timeout=30, stop_after=1)]

    assert told == ["the end"]


async def test_who_waits_looks_once_when_it_begins_to_be_told(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was told before anybody listened is not told again."""
    for name in ("_LOOK_EVERY_S", "_TOLD_LOOK_EVERY_S"):
        monkeypatch.setattr(notices, name, 600)
    monkeypatch.setattr(pool, "_PROBE_TIMEOUT_S", 30)
    heard = notices.Notices(runtime.parts.database)

    async with asyncio.timeout(60), heard.about("a topic") as news:
        await news.wait()

        assert heard.are_heard


async def test_a_word_that_comes_while_the_one_before_is_written_down_is_told_too(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """d4: a model does not wait until its last word is on disk."""
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)
    model.may_speak.release()

    try:
        follow = runtime.tenant(Scope(tenant_id)).follow("ada", question)
        async with asyncio.timeout(60), aclosing(follow) as coming:
            heard = (await anext(coming)).text
            async with raw.transaction():
                await raw.execute(
                    "SELECT FROM answers WHERE tenant_id = %s FOR UPDATE", [tenant_id]
                )
                model.may_speak.release()
                await until_somebody_waits(raw)
                model.may_speak.release()
                await asyncio.sleep(0.05)
            while heard != "".join(WORDS[:3]):
                heard += (await anext(coming)).text
    finally:
        for _ in WORDS:
            model.may_speak.release()
        await _all(stream)


async def test_an_answer_whose_maker_lives_is_not_marked(runtime: Runtime, tenant_id: int) -> None:
    """d4"""
    model = WordByWord()
    stream, question = await _asked(runtime, tenant_id, model)
    mem = runtime.tenant(Scope(tenant_id))

    try:
        assert await mem.settle(question)
        assert await mem.list_answering("ada") == [question]
    finally:
        for _ in WORDS:
            model.may_speak.release()
        await _all(stream)


async def test_a_maker_that_has_nothing_to_say_shows_that_it_lives(
    runtime: Runtime, tenant_id: int, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """d4: else its answer would be marked as interrupted after twenty seconds of thought."""
    for name in ("_ALIVE_EVERY_S", "_LOOK_EVERY_S"):
        monkeypatch.setattr(answering, name, 0.05)
    model = WordByWord()
    stream, _ = await _asked(runtime, tenant_id, model)
    await raw.execute("UPDATE answers SET seen_at = 'epoch' WHERE tenant_id = %s", [tenant_id])

    try:
        async with asyncio.timeout(30):
            while not await _is_fresh(raw, tenant_id):
                await asyncio.sleep(0.02)
    finally:
        for _ in WORDS:
            model.may_speak.release()
        await _all(stream)


async def _is_fresh(raw: Raw, tenant_id: int) -> bool:
    cursor = await raw.execute(
        "SELECT seen_at > now() - interval '1 hour' FROM answers WHERE tenant_id = %s",
        [tenant_id],
    )
    row = await cursor.fetchone()
    return row is not None and row[0]


async def _asked(
    runtime: Runtime, tenant_id: int, model: WordByWord
) -> tuple[AsyncGenerator[ChatEvent], int]:
    stream = taught(runtime, tenant_id, model).stream("ada", "Tell me a story")
    first = await anext(stream)
    question = first.ids["message_id"]
    assert isinstance(question, int)
    return stream, question


async def _all(stream: AsyncGenerator[ChatEvent]) -> list[ChatEvent]:
    return [event async for event in stream]


async def _listeners(raw: Raw, *, how_many: int) -> list[int]:
    async with asyncio.timeout(30):
        while True:
            cursor = await raw.execute(LISTENERS)
            found = [pid for (pid,) in await cursor.fetchall()]
            if len(found) == how_many:
                return found
            await asyncio.sleep(0.02)
