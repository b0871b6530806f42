"""A connection that breaks at COMMIT: nothing is said that is not so, nothing is stored twice."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi import FastAPI

from longterm import AsyncTenant, OutcomeUnknownError, Settings
from longterm.api.app import create_app
from longterm.providers.model import Answer, Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.api.conftest import a_client
from tests.faults.test_outage import until_back
from tests.memory.taught import taught
from tests.severing import SeveringLine, When, severing

WORDS = "the very words"
Write = Callable[[AsyncTenant, str], Awaitable[object]]
Look = Callable[[AsyncTenant], Awaitable[list[str]]]

PLACE = "0197a1b2-0000-7000-8000-000000000001"


async def contents(mem: AsyncTenant) -> list[str]:
    """What is stored, by whichever write."""
    messages = await mem.get_recent_messages("ada", 100)
    facts = await mem.get_active_facts("ada")
    return [each.content for each in (*messages, *facts)]


async def add_message(mem: AsyncTenant, write_id: str) -> str:
    return str(await mem.add_message("ada", "user", WORDS, write_id=write_id))


async def store_turn(mem: AsyncTenant, write_id: str) -> str:
    turn = await mem.store_turn(PLACE, "ada", WORDS, "An answer.", write_id=write_id)
    assert (turn.query_text, turn.response_text) == (WORDS, "An answer.")
    return turn.id


async def add_fact(mem: AsyncTenant, write_id: str) -> str:
    fact = await mem.add_fact("ada", WORDS, write_id=write_id)
    assert fact.said_count == 1
    return fact.id


WRITES = {"add_message": add_message, "store_turn": store_turn, "add_fact": add_fact}


@pytest.fixture
async def severed(
    new_database: Callable[[str], str], tmp_path: Path
) -> AsyncIterator[tuple[Runtime, SeveringLine]]:
    """A Longterm whose connections break when they are told to."""
    model = ScriptedModel(lambda prompt: f"echo: {prompt.messages[-1].text}")
    async with AsyncExitStack() as stack:
        line, conninfo = await stack.enter_async_context(
            severing(new_database("longterm_lost_commit"))
        )
        settings = Settings(database_url=conninfo, journal_dir=tmp_path, worker=False)
        yield await stack.enter_async_context(Runtime(settings, llm=model)), line


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_write_whose_commit_is_lost_is_of_unknown_outcome_and_repeated_once(
    severed: tuple[Runtime, SeveringLine], tenant_id: int, write: str, when: When
) -> None:
    runtime, line = severed
    mem = runtime.tenant(Scope(tenant_id))
    write_id = str(uuid4())
    line.break_at_commit(when, writing=WORDS)

    with pytest.raises(OutcomeUnknownError) as caught:
        await WRITES[write](mem, write_id)
    await until_back(runtime)
    left = (await contents(mem)).count(WORDS)
    stored = await WRITES[write](mem, write_id)
    again = await WRITES[write](mem, write_id)

    assert line.broken == 1
    assert left == (0 if when == "before" else 1)
    assert (await contents(mem)).count(WORDS) == 1
    assert stored == again
    if when == "after":
        assert caught.value.id == stored


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_question_whose_commit_is_lost_is_answered_and_stored_once(
    severed: tuple[Runtime, SeveringLine], tenant_id: int, when: When
) -> None:
    runtime, line = severed
    mem = runtime.tenant(Scope(tenant_id))
    line.break_at_commit(when, writing=WORDS)

    reply = await mem.chat("ada", WORDS)
    await until_back(runtime)

    assert line.broken == 1
    assert (reply.answer, reply.degraded) == (f"echo: {WORDS}", True)
    turns = await mem.get_session_history(str(reply.conversation_id))
    assert [(turn.query_text, turn.response_text) for turn in turns] == [(WORDS, f"echo: {WORDS}")]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_answer_whose_commit_is_lost_is_stored_once(
    severed: tuple[Runtime, SeveringLine], tenant_id: int, when: When
) -> None:
    runtime, line = severed
    mem = runtime.tenant(Scope(tenant_id))
    line.break_at_commit(when, writing=f"echo: {WORDS}")

    reply = await mem.chat("ada", WORDS)
    await until_back(runtime)

    assert line.broken == 1
    assert (reply.answer, reply.degraded) == (f"echo: {WORDS}", True)
    turns = await mem.get_session_history(str(reply.conversation_id))
    assert [(turn.query_text, turn.response_text) for turn in turns] == [(WORDS, f"echo: {WORDS}")]


class SlowWords(ScriptedModel):
    """Says two words, and pauses before each so that what has come is written down."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        async for piece in super().stream(prompt):
            yield piece
            await asyncio.sleep(0.6)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_part_of_an_answer_whose_commit_is_lost_is_not_stored_beside_the_whole(
    severed: tuple[Runtime, SeveringLine], tenant_id: int, when: When
) -> None:
    runtime, line = severed
    mem = taught(runtime, tenant_id, SlowWords(lambda _: "Alpha beta gamma delta"))
    line.break_at_commit(when, writing="Alpha")

    reply = await mem.chat("ada", WORDS)
    await until_back(runtime)

    assert line.broken == 1
    turns = await mem.get_session_history(str(reply.conversation_id))
    assert [(turn.query_text, turn.response_text) for turn in turns] == [
        (WORDS, "Alpha beta gamma delta")
    ]


@pytest.mark.parametrize("path", ["/api/conversations", "/api/sessions"])
async def test_what_is_made_by_a_request_whose_commit_is_lost_is_made_once(
    severed_app: tuple[FastAPI, SeveringLine], path: str
) -> None:
    app, line = severed_app
    runtime: Runtime = app.state.process.runtime
    headers = {"Idempotency-Key": str(uuid4())}
    line.break_at_commit("after", writing="INTO conversations")

    async with a_client(app) as http:
        lost = await http.post(path, json={"user_id": "ada"}, headers=headers)
        await until_back(runtime)
        await runtime.parts.aside.finish()
        made = await http.post(path, json={"user_id": "ada"}, headers=headers)

    assert (lost.status_code, made.status_code) == (503, 201)
    async with runtime.parts.database.tenant(Scope(1)) as conn:
        counted = await conn.value(
            "SELECT count(*) FROM conversations WHERE tenant_id = %(tenant_id)s"
        )
    assert counted == 1


POSTS = {
    "/api/messages": {"role": "user", "content": WORDS},
    f"/api/sessions/{PLACE}/turns": {"query": WORDS, "response": "An answer."},
    "/api/memories": {"content": WORDS},
}


@pytest.fixture
async def severed_app(
    new_database: Callable[[str], str], tmp_path: Path
) -> AsyncIterator[tuple[FastAPI, SeveringLine]]:
    """A server whose connections to the database break when they are told to."""
    async with severing(new_database("longterm_lost_commit_api")) as (line, conninfo):
        settings = Settings(database_url=conninfo, journal_dir=tmp_path, worker=False)
        app = create_app(Runtime(settings))
        async with app.router.lifespan_context(app):
            yield app, line


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_request_whose_commit_is_lost_can_be_repeated_with_its_key(
    severed_app: tuple[FastAPI, SeveringLine], path: str, when: When
) -> None:
    app, line = severed_app
    runtime: Runtime = app.state.process.runtime
    body, headers = {**POSTS[path], "user_id": "ada"}, {"Idempotency-Key": str(uuid4())}
    line.break_at_commit(when, writing=WORDS)

    async with a_client(app) as http:
        lost = await http.post(path, json=body, headers=headers)
        await until_back(runtime)
        await runtime.parts.aside.finish()
        answers = [await http.post(path, json=body, headers=headers) for _ in range(2)]

    assert line.broken == 1
    assert (lost.status_code, lost.json()["code"]) == (503, "outcome_unknown")
    assert "Idempotency-Key" in lost.json()["detail"]
    assert "Retry-After" in lost.headers
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert (await contents(runtime.tenant(Scope(1)))).count(WORDS) == 1
