"""b1, d4: chat over HTTP: seed b's shapes, and a stream that can be taken up again."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from longterm import Settings
from longterm.api import streams
from longterm.api.app import create_app
from longterm.providers.model import Prompt
from longterm.providers.scripted import Line, ScriptedModel
from longterm.runtime import Runtime
from tests.api.conftest import a_client


@pytest.fixture(scope="module")
def chat_conninfo(new_database: Callable[[str], str]) -> str:
    return new_database("longterm_api_chat")


def _again(prompt: Prompt) -> Line:
    said = prompt.messages[-1].text
    return Line(text=f"You said {said}", pause_s=0.5 if said == "think first" else 0)


@pytest.fixture
async def chatting(chat_conninfo: str) -> AsyncIterator[FastAPI]:
    """The application with a model that says what it was told."""
    model = ScriptedModel(_again)
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


async def test_who_is_alone_on_this_machine_need_not_say_who_they_are(
    http: httpx.AsyncClient,
) -> None:
    """b1"""
    session = (await said(http, query="who am I"))["session_id"]

    found = await http.get(f"/api/conversations/{session}/messages", params={"user_id": "me"})
    assert found.json()["items"][0]["content"] == "who am I"


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


@pytest.mark.parametrize("query", [{}, {"render": "html"}], ids=["words", "blocks"])
async def test_who_waits_for_a_model_that_thinks_hears_something(
    http: httpx.AsyncClient, user: str, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """d4: a proxy ends a connection on which nothing is said."""
    monkeypatch.setattr(streams, "SILENCE_S", 0.05)
    body = {"message": "think first", "user_id": user}

    answer = await http.post("/api/chat/stream", params=query, json=body)

    told = answer.text.strip().split("\n\n")
    first, words, *_, last = (block for block in told if not block.startswith(":"))
    assert any(block.startswith(":") for block in told[: told.index(words)])
    assert first.startswith("event: start")
    assert last.startswith("event: done")


async def test_a_stream_of_blocks_ends_as_the_message_is_shown(
    http: httpx.AsyncClient, user: str
) -> None:
    """d8"""
    asked = "**hello** <script>\n\n- a\n- b\n\n```py\nx = 1\n```"
    answer = await http.post(
        "/api/chat/stream", params={"render": "html"}, json={"message": asked, "user_id": user}
    )

    told = events(answer.text)
    start, last = told[0][1], told[-1][1]
    again = await http.get(
        f"/api/chat/stream/{start['message_id']}",
        params={"user_id": user, "after": 9, "render": "html"},
    )
    page = await http.get(
        f"/api/conversations/{start['conversation_id']}/messages",
        params={"user_id": user, "render": "html"},
    )
    question, stored = page.json()["items"]

    assert {kind for kind, _ in told} == {"start", "blocks", "done"}
    assert "".join(shown(told)) == "".join(shown(events(again.text))) == stored["html"]
    assert "<strong>hello</strong> &lt;script&gt;" in stored["html"]
    assert "<strong>hello</strong>" in question["html"]
    assert [one["text_length"] for kind, one in told if kind == "blocks"][-1] == len(last["answer"])


def shown(told: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What a browser shows after some events."""
    blocks: list[str] = []
    for kind, one in told:
        if kind == "blocks":
            assert one["from"] <= len(blocks)
            blocks[one["from"] :] = one["html"]
    return blocks


async def test_an_answer_tells_its_memories_by_its_message(
    http: httpx.AsyncClient, user: str
) -> None:
    await http.post("/api/memories", json={"user_id": user, "content": "likes jazz"})
    reply = (await http.post("/api/chat", json={"message": "music?", "user_id": user})).json()

    page = await http.get(
        f"/api/conversations/{reply['conversation_id']}", params={"user_id": user}
    )
    memories = await http.get(
        f"/api/messages/{reply['answer_id']}/memories", params={"user_id": user}
    )

    question, answer = page.json()["messages"]["items"]
    assert question["used"] is None
    assert answer["used"]["count"] == len(memories.json()["items"]) == 1
    assert memories.json()["items"][0]["text"] == "likes jazz"
    assert page.json()["answering"] is None


async def test_what_is_not_being_answered_cannot_be_stopped(
    http: httpx.AsyncClient, user: str
) -> None:
    reply = (await http.post("/api/chat", json={"message": "hello", "user_id": user})).json()

    stopped = await http.post(
        f"/api/chat/stream/{reply['message_id']}/stop", params={"user_id": user}
    )

    assert stopped.status_code == 404


async def test_a_page_of_messages_is_found_around_one(http: httpx.AsyncClient, user: str) -> None:
    """d8"""
    made = (await http.post("/api/conversations", json={"user_id": user})).json()
    url = f"/api/conversations/{made['id']}/messages"
    said = [{"role": "user", "content": str(number)} for number in range(30)]
    stored = await http.post(url, json={"user_id": user, "messages": said})
    ids = [one["id"] for one in stored.json()["items"]]

    async def page(**query: Any) -> dict[str, Any]:
        return (await http.get(url, params={"user_id": user, "limit": 10, **query})).json()

    middle = await page(around=ids[15])
    older, newer = (
        await page(cursor=middle["next_cursor"]),
        await page(cursor=middle["previous_cursor"]),
    )
    first, last = await page(around=ids[0]), await page(around=ids[-1])
    back = await page(cursor=older["previous_cursor"])

    assert [one["id"] for one in middle["items"]] == ids[10:20]
    assert [one["id"] for one in older["items"]] == ids[:10]
    assert [one["id"] for one in newer["items"]] == ids[20:]
    assert (older["next_cursor"], newer["next_cursor"]) == (None, None)
    assert back["items"] == middle["items"]
    assert (first["next_cursor"], last["previous_cursor"]) == (None, None)
    assert (await page())["previous_cursor"] is None
    assert (
        await http.get(url, params={"user_id": user, "around": 1, "after": 1})
    ).status_code == 422


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
