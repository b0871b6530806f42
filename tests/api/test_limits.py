"""Sizes, rates, deadlines, request ids, and input that is no request at all."""

import asyncio
import json
import logging
import selectors
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager, closing
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from longterm import Settings
from longterm.api.app import create_app
from longterm.api.deadlines import Deadlines
from longterm.api.rates import Rates
from longterm.runtime import Runtime
from tests.api.checks import good, problem
from tests.api.conftest import a_client

JSON = {"Content-Type": "application/json"}
MEMORIES = "/api/memories"


@asynccontextmanager
async def running(database: str, **settings: object) -> AsyncGenerator[httpx.AsyncClient]:
    """An application with these settings, and somebody on this machine."""
    chosen = Settings(database_url=database, worker=False).model_copy(update=settings)
    app = create_app(Runtime(chosen))
    async with app.router.lifespan_context(app), a_client(app) as http:
        yield http


async def chunks(size: int, count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * size


async def test_a_body_may_have_as_many_bytes_as_the_limit_and_not_one_more(
    app_conninfo: str,
) -> None:
    body = json.dumps({"user_id": "ada", "content": "good"}).encode()
    async with running(app_conninfo, max_body_bytes=len(body)) as http:
        good(await http.post(MEMORIES, content=body, headers=JSON), 201)
        refused = await http.post(MEMORIES, content=body + b" ", headers=JSON)
        chunked = await http.post(MEMORIES, content=chunks(10, 100), headers=JSON)
        lying = {**JSON, "Content-Length": "1000000000000"}
        told = await http.post(MEMORIES, content=body, headers=lying)

    for answer in (refused, chunked, told):
        assert f"{len(body)} bytes" in problem(answer, 413)["detail"]


async def test_a_body_that_is_too_large_is_not_read_to_its_end(app_conninfo: str) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b" " * 1000

    app = create_app(
        Runtime(Settings(database_url=app_conninfo, worker=False, max_body_bytes=5000))
    )
    async with app.router.lifespan_context(app):
        stream = endless()
        sent: list[int] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": await anext(stream), "more_body": True}

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                sent.append(int(str(message["status"])))

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http", "method": "POST", "path": MEMORIES, "headers": headers,
            "query_string": b"", "http_version": "1.1", "scheme": "http",
        }  # fmt: skip
        await app(scope, receive, send)  # pyright: ignore[reportArgumentType]

    assert sent == [413]
    assert read == 6


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b'{"user_id": "\xff\xfe"}',
        b"\xff\xff\xff",
        b"[" * 100_000,
        b'{"a":' * 5_000,
        b'{"content": ' + b"1" * 5000 + b"}",
        b"\x00",
    ],
    ids=["cut off", "words", "not UTF-8", "bytes", "deep", "deep objects", "huge", "NUL"],
)
async def test_what_is_not_json_is_malformed(client: httpx.AsyncClient, body: bytes) -> None:
    problem(await client.post(MEMORIES, content=body, headers=JSON), 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"user_id": "ada", "content": "\\ud800"}',
        b'{"user_id": "\\udfff", "content": "x"}',
        b'{"user_id": "ada", "content": "\\u0000"}',
        b'{"user_id": "ada", "content": NaN}',
        b'{"user_id": "ada", "content": "x", "confidence": NaN}',
        b'{"user_id": "ada", "content": "x", "confidence": 1e999}',
        b'{"user_id": "ada", "content": "x", "source_message_id": 1e30}',
        b'{"user_id": "ada", "content": "x", "\\ud800": 1}',
        b'{"user_id": "ada", "content": "x", "source_message_id": ' + b"9" * 4000 + b"}",
        b'{"user_id": "ada", "content": ' + b"[" * 500 + b"]" * 500 + b"}",
        b"[]",
        b"null",
        b"1",
        b"",
    ],
)
async def test_json_that_is_no_fact_is_not_valid(client: httpx.AsyncClient, body: bytes) -> None:
    problem(await client.post(MEMORIES, content=body, headers=JSON), 422)


@pytest.mark.parametrize("depth", [65, 500])
async def test_json_that_is_too_deep_is_not_valid(client: httpx.AsyncClient, depth: int) -> None:
    body = b'{"value": {"a": ' + b"[" * depth + b"]" * depth + b"}}"

    problem(await client.put("/api/users/ada/memory/key", content=body, headers=JSON), 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/jsonx", "", "x"])
async def test_a_body_must_say_that_it_is_json(client: httpx.AsyncClient, kind: str) -> None:
    headers = {"Content-Type": kind}

    problem(await client.post(MEMORIES, content=b"{}", headers=headers), 415)


@pytest.mark.parametrize(
    "query",
    [
        "user_id=ada&limit=1&limit=x",
        "user_id=ada&limit=99999999999999999999999",
        "user_id=",
        "user_id=%20",
        "user_id=ada&archived=1",
        f"user_id={'x' * 256}",
    ],
)
async def test_a_query_that_is_not_valid_is_refused(client: httpx.AsyncClient, query: str) -> None:
    problem(await client.get(f"/api/conversations?{query}"), 422)


@pytest.mark.parametrize(
    "query", ["user_id=bob&user_id=ada", "user_id=%EF%BF%BD", "user_id=ada&x=1"]
)
async def test_a_strange_query_is_answered(client: httpx.AsyncClient, query: str) -> None:
    good(await client.get(f"/api/conversations?{query}"))


@pytest.mark.parametrize(
    "path",
    [
        "/api/conversations/x",
        "/api/memories/1/history",
    ],
)
async def test_an_id_that_is_none_is_refused(client: httpx.AsyncClient, path: str) -> None:
    problem(await client.get(path, params={} if "users" in path else {"user_id": "ada"}), 422)


@pytest.mark.parametrize(
    "path",
    [
        "/api/users/a%ffb/state",
        "/api/users/a%00b/state",
        "/api/users/a%2fb%ff/memory",
        "/api/users/ada/memory/%ed%a0%80",
        "/api/conversations/%00?user_id=ada",
        "/api/conversations?user_id=a%ffb",
        "/api/conversations?user_id=ada&search=%00",
        "/api/conversations?user_id=ada&%c3=1",
        "/%ff",
    ],
)
async def test_a_url_that_is_not_utf_8_or_has_a_nul_is_malformed(
    client: httpx.AsyncClient, path: str
) -> None:
    assert problem(await client.get(path), 400)["code"] == "malformed"


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/conversations/", "/%C3%BF"]
)
async def test_there_is_nothing_elsewhere(client: httpx.AsyncClient, path: str) -> None:
    problem(await client.get(path), 404)


async def test_a_key_has_so_many_requests_a_minute(app_conninfo: str) -> None:
    async with running(app_conninfo, requests_per_minute=3) as http:
        answers = [await http.get("/api/templates") for _ in range(5)]
        public = await http.get("/healthz")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert problem(answers[4], 429)["code"] == "too_many_requests"
    assert 1 <= int(answers[4].headers["retry-after"]) <= 20
    assert public.status_code == 200


def test_a_bucket_fills_up_evenly_and_each_key_has_its_own() -> None:
    now = [0.0]

    async def nothing(*_: object) -> None:
        pass

    rates = Rates(nothing, per_minute=60, clock=lambda: now[0])
    take = rates.take

    assert [take("a") for _ in range(61)] == [0.0] * 60 + [1.0]
    assert take("b") == 0
    now[0] = 0.5
    assert take("a") == 0.5
    now[0] = 1.0
    assert [take("a"), take("a")] == [0.0, 1.0]
    now[0] = 1e6
    assert [take("a") for _ in range(61)][-2:] == [0.0, 1.0]


async def test_a_request_that_takes_too_long_is_ended(app_conninfo: str) -> None:
    ended = asyncio.Event()

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    settings = Settings(database_url=app_conninfo, worker=False, request_timeout_s=0.3)
    app = create_app(Runtime(settings))
    app.add_api_route("/api/slow", slow)
    async with app.router.lifespan_context(app), a_client(app) as http:
        late = await http.get("/api/slow")
        # What is asked for next is answered, as soon as the machine is fast enough for it.
        async with asyncio.timeout(60):
            while (await http.get("/api/templates")).status_code != 200:
                pass

    assert problem(late, 503)["code"] == "too_slow"
    assert late.headers["retry-after"] == "1"
    assert ended.is_set()


class NoWaiting(selectors.DefaultSelector):
    """Lets time pass at once where a loop has nothing else to do."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found:
            self.now += timeout or 0
        return found


def in_no_time(work: Coroutine[Any, Any, None]) -> None:
    """Run something by a clock of its own, which a busy machine does not disturb."""
    clock = NoWaiting()
    loop = asyncio.SelectorEventLoop(clock)
    with pytest.MonkeyPatch.context() as patch, closing(loop):
        patch.setattr(loop, "time", lambda: clock.now)
        loop.run_until_complete(work)


def test_a_file_may_take_its_time_as_long_as_it_comes() -> None:
    """A minute and a half is not enough for some hundred megabytes over a slow line."""
    parts, sent = 8, list[Message]()

    async def receive() -> Message:
        nonlocal parts
        parts -= 1
        await asyncio.sleep(20)
        return {"type": "http.request", "body": b"x", "more_body": parts > 0}

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    for path, status in (("/api/users/ada/import", 200), ("/api/memories", 503)):
        parts = 8
        scope: Scope = {"type": "http", "path": path, "method": "POST", "headers": []}
        in_no_time(Deadlines(app, seconds=90)(scope, receive, send))
        assert sent[0]["status"] == status
        sent.clear()


@pytest.mark.parametrize("given", ["abc-123", "a.b:c_D", "x" * 128])
async def test_a_sane_request_id_is_taken_over(client: httpx.AsyncClient, given: str) -> None:
    refused = await client.get("/api/nothing", headers={"X-Request-Id": given})

    assert problem(refused, 404)["request_id"] == given


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a\tb", "<script>"])
async def test_another_request_id_is_replaced(client: httpx.AsyncClient, given: str) -> None:
    refused = await client.get("/api/nothing", headers={"X-Request-Id": given})

    made = problem(refused, 404)["request_id"]
    assert made != given
    assert len(made) == 32


async def test_what_is_logged_meanwhile_tells_the_request_id(
    app: FastAPI, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise ValueError

    app.add_api_route("/api/fail", fail)

    with caplog.at_level(logging.ERROR):
        await client.get("/api/fail", headers={"X-Request-Id": "the-one"})

    assert "the-one" in caplog.text
