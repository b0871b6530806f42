"""b7 at the HTTP door: the database, or what is listened to, goes away meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from longterm import MemoryNotFoundError, Settings
from longterm.api.app import create_app
from longterm.api.streams import streamed
from longterm.records.chat import ChatEvent
from longterm.records.message import Message
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.api.checks import good, problem
from tests.api.conftest import a_client
from tests.faults.talking import events
from tests.memory.taught import WORDS, WordByWord, taught
from tests.outside import no_database

ADA = {"user_id": "ada"}
PATHS = ["/chat", "/api/chat", "/api/chat/stream"]


@pytest.fixture(scope="module")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("api_away")


@pytest.fixture(scope="module")
async def app(database: str) -> AsyncIterator[FastAPI]:
    made = create_app(Runtime(Settings(database_url=database, worker=False)))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with a_client(app) as client:
        yield client
    await _back(app)


@pytest.mark.parametrize("path", PATHS)
async def test_chat_with_an_idempotency_key_is_answered_without_the_database_and_kept_once(
    http: httpx.AsyncClient, app: FastAPI, server: str, database: str, path: str
) -> None:
    words = f"I say this once: {uuid4().hex}"
    body = {**ADA, "query" if path == "/chat" else "message": words}
    same = {"Idempotency-Key": uuid4().hex}
    async with no_database(server, database):
        answers = [await http.post(path, json=body, headers=same) for _ in range(2)]
    await _back(app)
    after = await http.post(path, json=body, headers=same)

    assert [each.status_code for each in answers] == [200, 200]
    assert problem(after, 409)["detail"].startswith(
        "A request with this Idempotency-Key was stored"
    )
    told = await _told(app, words)
    assert [one.role for one in told] == ["user", "assistant"]
    assert len({one.conversation_id for one in told}) == 1


async def test_what_is_said_twice_under_two_keys_is_kept_twice(
    http: httpx.AsyncClient, app: FastAPI, server: str, database: str
) -> None:
    words = f"I say this twice: {uuid4().hex}"
    async with no_database(server, database):
        for _ in range(2):
            headers = {"Idempotency-Key": uuid4().hex}
            good(await http.post("/api/chat", json={**ADA, "message": words}, headers=headers))
    await _back(app)

    assert [one.role for one in await _told(app, words)] == ["user", "assistant"] * 2


async def test_what_needs_the_database_is_refused_with_an_idempotency_key_too(
    http: httpx.AsyncClient, server: str, database: str
) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    async with no_database(server, database):
        refused = await http.post("/api/conversations", json=ADA, headers=headers)

    assert problem(refused, 503)
    assert refused.headers["retry-after"] == "1"


async def test_who_follows_an_answer_hears_the_rest_when_the_database_is_back(
    http: httpx.AsyncClient, app: FastAPI, server: str, database: str
) -> None:
    """d4: what was under way before it went away."""
    model = WordByWord()
    runtime: Runtime = app.state.process.runtime
    asking = taught(runtime, 1, model).stream("ada", "Tell me a story")
    question = (await anext(asking)).ids["message_id"]
    following = asyncio.create_task(http.get(f"/api/chat/stream/{question}", params=ADA))
    model.may_speak.release()
    while not runtime.parts.notices.are_heard:
        await asyncio.sleep(0.02)
    async with no_database(server, database):
        good(await http.post("/api/chat", json={"user_id": "bob", "message": "Are you there?"}))
        model.may_speak.release()
        await asyncio.sleep(0.5)
    for _ in WORDS:
        model.may_speak.release()
    async with asyncio.timeout(60):
        told = list(events((await following).text))
    await asking.aclose()

    assert told[-1][0] == "done"
    assert "".join(data["text"] for kind, data in told if kind == "delta") == "".join(WORDS)


async def test_what_fails_in_the_middle_of_a_stream_is_told_in_its_last_event() -> None:
    """Somebody who is forgotten while they listen, for example: the status was sent before."""

    async def broken() -> AsyncGenerator[ChatEvent]:
        yield ChatEvent(kind="delta", text="Once")
        raise MemoryNotFoundError("This user asked no such question.")

    answer = await streamed(broken())
    pieces = [piece async for piece in answer.body_iterator]
    told = b"".join(piece for piece in pieces if isinstance(piece, bytes))

    (_, first), (kind, last) = events(told.decode())
    assert first == {"text": "Once"}
    assert (kind, last["error"]) == ("error", "This user asked no such question.")


async def _told(app: FastAPI, words: str) -> list[Message]:
    """What was said in conversations in which these words are."""
    runtime: Runtime = app.state.process.runtime
    memory = runtime.tenant(Scope(1))
    said = (await memory.get_conversation_history("ada", limit=200))[::-1]
    where = {one.conversation_id for one in said if one.content == words}
    return [one for one in said if one.conversation_id in where]


async def _back(app: FastAPI) -> None:
    """Wait until all is written back."""
    runtime: Runtime = app.state.process.runtime
    async with asyncio.timeout(60):
        while runtime.parts.outage.is_on:
            await asyncio.sleep(0.02)
