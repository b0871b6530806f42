"""SPEC 1, b1: an answer belongs to its question, through every door and several servers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx
import pytest
from fastapi import FastAPI

from longterm import Settings
from longterm.api.app import create_app
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.api.conftest import a_client
from tests.pairs import QUESTIONS, check_pairs, slow_echo


@pytest.fixture
async def two_servers(new_database: Callable[[str], str]) -> AsyncIterator[list[FastAPI]]:
    """Two servers on one database, each with its own connections and caches."""
    conninfo = new_database("longterm_parallel_chat")
    async with AsyncExitStack() as stack:
        apps: list[FastAPI] = []
        for seed in (1, 2):
            settings = Settings(database_url=conninfo, worker=False, connect_timeout_s=60)
            app = create_app(Runtime(settings, llm=slow_echo(seed=seed)))
            await stack.enter_async_context(app.router.lifespan_context(app))
            apps.append(app)
        yield apps


async def ask(http: httpx.AsyncClient, path: str, text: str, place: str) -> str:
    """Ask a question through one of the doors; returns the answer."""
    if path == "/chat":
        body = {"query": text, "user_id": "ada", "session_id": place}
        return (await http.post(path, json=body)).json()["message"]
    body = {"message": text, "user_id": "ada", "conversation_id": place}
    answer = await http.post(path, json=body, timeout=60)
    if path == "/api/chat":
        return answer.json()["answer"]
    (done,) = [line for line in answer.text.splitlines() if line.startswith('data: {"answer"')]
    return json.loads(done.removeprefix("data: "))["answer"]


@pytest.mark.parametrize("paths", [["/chat"], ["/api/chat"], ["/api/chat/stream"], None])
async def test_20_questions_at_once_to_two_servers_have_their_own_answers(
    two_servers: list[FastAPI], paths: list[str] | None
) -> None:
    doors = paths or ["/chat", "/api/chat", "/api/chat/stream"]
    mem = two_servers[0].state.process.runtime.tenant(Scope(1))
    place = await mem.create_session("ada")

    async with a_client(two_servers[0]) as one, a_client(two_servers[1]) as two:
        answers = await asyncio.gather(
            *(
                ask((one, two)[number % 2], doors[number % len(doors)], text, place)
                for number, text in enumerate(QUESTIONS)
            )
        )

    assert answers == [f"echo: {text}" for text in QUESTIONS]
    await check_pairs(mem, place)
