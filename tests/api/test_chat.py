"""b1, d4: chat over HTTP: seed b's shapes, and a stream that can be taken up again."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from longterm import Settings
from longterm.api.app import create_app
from longterm.providers.scripted import ScriptedModel
from longterm.runtime import Runtime
from tests.api.conftest import a_client


@pytest.fixture(scope="module")
def chat_conninfo(new_database: Callable[[str], str]) -> str:
    return new_database("longterm_api_chat")


@pytest.fixture
async def chatting(chat_conninfo: str) -> AsyncIterator[FastAPI]:
    """The application with a model that says what it was told."""
    model = ScriptedModel(lambda prompt: f"You said {prompt.messages[-1].text}")
    made = create_app(Runtime(Settings(database_url=chat_conninfo, worker=False), llm=model))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def http(chatting: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with a_client(chatting) as client:
        yield client


@pytest.fixture
def user() -> str:
    return f"user-{uuid4()}"


async def said(http: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await http.post("/chat", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_chat_has_the_members_of_seed_b(http: httpx.AsyncClient, user: str) -> None:
    """b1"""
    answer = await said(http, query="hello", user_id=user, role="analyst")

    assert set(answer) == {
        "query", "message", "data", "intent", "confidence", "session_id", "metadata", "error",
    }  # fmt: skip
    assert (answer["query"], answer["message"]) == ("hello", "You said hello")
    assert (answer["intent"], answer["error"]) == ("answer", None)
    assert answer["metadata"]["degraded"] is False


async def test_a_session_goes_on(http: httpx.AsyncClient, user: str) -> None:
    """b1"""
    first = await said(http, query="one", user_id=user)
    second = await said(http, query="two", user_id=user, session_id=first["session_id"])

    assert first["session_id"] == second["session_id"]
    found = await http.get(
        f"/api/conversations/{first['session_id']}/messages", params={"user_id": user}
    )
    assert [one["content"] for one in found.json()["items"]] == [
        "one", "You said one", "two", "You said two",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "session", ["nonsense", "7a010305-a547-4487-bbdc-6a3bc6936a98", "", "0" * 32]
)
async def test_a_session_that_is_not_there_begins_a_new_one(
    http: httpx.AsyncClient, user: str, session: str
) -> None:
    """b1"""
    answer = await said(http, query="hello", user_id=user, session_id=session)

    assert answer["error"] is None
    assert answer["session_id"] != session


async def test_another_users_session_begins_a_new_one_and_shows_nothing(
    http: httpx.AsyncClient, user: str
) -> None:
    """b1"""
    theirs = await said(http, query="My secret is xyzzy", user_id="bob")

    mine = await said(
        http, query="What is my secret?", user_id=user, session_id=theirs["session_id"]
    )

    assert mine["session_id"] != theirs["session_id"]
    assert "xyzzy" not in json.dumps(mine)


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for block in text.strip().split("\n\n"):
        kind, data = block.split("\n", 1)
        found.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_a_stream_sends_start_deltas_and_the_whole_reply(
    http: httpx.AsyncClient, user: str
) -> None:
    """d4"""
    answer = await http.post("/api/chat/stream", json={"message": "hello you", "user_id": user})

    told = events(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert told[0][0] == "start"
    assert "".join(one["text"] for kind, one in told if kind == "delta") == "You said hello you"
    assert told[-1][0] == "done"
    assert told[-1][1]["answer"] == "You said hello you"
    again = await http.get(
        f"/api/chat/stream/{told[0][1]['message_id']}", params={"user_id": user, "after": 9}
    )
    assert events(again.text)[0] == ("delta", {"text": "hello you"})


async def test_a_reply_tells_the_memories_it_used(http: httpx.AsyncClient, user: str) -> None:
    await http.post("/api/memories", json={"user_id": user, "content": "likes jazz"})

    answer = await http.post("/api/chat", json={"message": "music?", "user_id": user})

    memories = answer.json()["memories"]
    assert "likes jazz" in memories["stable_prefix"]
    assert memories["timings_ms"]["total"] > 0


async def test_a_halted_user_is_refused_clearly(http: httpx.AsyncClient, user: str) -> None:
    """a4"""
    await http.put(f"/api/users/{user}/state", json={"mode": "halted"})

    answer = await http.post("/api/chat", json={"message": "hello", "user_id": user})

    assert answer.status_code in (403, 409)
    assert "halted" in answer.text


@pytest.mark.parametrize("body", [{"memory": False}, {"temporary": True}])
async def test_what_is_not_to_be_kept_is_not_kept(
    http: httpx.AsyncClient, user: str, body: dict[str, bool]
) -> None:
    """b11"""
    answer = await http.post("/api/chat", json={"message": "hello", "user_id": user, **body})

    listed = await http.get("/api/conversations", params={"user_id": user})
    assert answer.json()["answer"] == "You said hello"
    assert answer.json()["message_id"] is None
    assert listed.json()["items"] == []
