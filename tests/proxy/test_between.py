"""Between two connections: headers, errors and bytes pass as they came, and nothing stays open."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import openai
import pytest
from starlette.responses import StreamingResponse
from starlette.types import Message

from longterm.api.clients import Passed
from longterm.memory.relay import Recollection
from longterm.proxy import headers, messages
from longterm.proxy.completions import Reply
from longterm.proxy.hearing import Hearing
from longterm.proxy.remembering import Memory
from longterm.records.recall import Recall, RecallItem
from tests.providers import shapes
from tests.providers.shapes import Says
from tests.proxy.conftest import Door
from tests.proxy.test_passing import until_stored
from tests.proxy.upstream import Response, Upstream, whole

HELLO: Any = [{"role": "user", "content": "hello"}]
BODY: Any = {"model": "m", "messages": HELLO}


async def post(door: Door, user: str, **headers: bytes) -> httpx.Response:
    sent = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    async with httpx.AsyncClient(headers={"X-Longterm-User": user}, timeout=60) as http:
        return await http.post(f"{door.url}/v1/chat/completions", json=BODY, headers=sent)


async def test_an_error_that_looks_like_one_of_ours_is_passed_on_as_it_is(
    door: Door, upstream: Upstream, user: str
) -> None:
    told = b'{"title": "Unprocessable", "status": 422, "detail": "theirs", "code": "halted"}'
    upstream.behave = lambda _: Response(
        told, 422, headers={"retry-after": "7"}, media_type="application/problem+json"
    )

    answer = await post(door, user)

    assert (answer.status_code, answer.content) == (422, told)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "7"


async def test_headers_in_any_letters_pass_both_ways(
    door: Door, upstream: Upstream, user: str
) -> None:
    def answer(_: object) -> Response:
        response = whole(shapes.openai_answer(Says("Fine.")))
        response.raw_headers.append((b"x-note", "5 €".encode()))
        response.raw_headers += [(b"link", b"<a>"), (b"link", b"<b>")]
        return response

    upstream.behave = answer

    got = await post(door, user, X_Title="Grüße, 5 €".encode())

    assert got.status_code == 200
    assert upstream.last.headers["x-title"].encode("latin-1") == "Grüße, 5 €".encode()
    raw = dict(got.headers.raw)
    assert raw[b"x-note"] == "5 €".encode()
    assert got.headers.get_list("link") == ["<a>", "<b>"]


async def test_what_a_connection_keeps_for_itself_is_not_passed_on(
    door: Door, upstream: Upstream, user: str
) -> None:
    def answer(_: object) -> Response:
        response = whole(shapes.openai_answer(Says("Fine.")))
        response.headers["connection"] = "keep-alive, X-Down"
        response.headers["x-down"] = "1"
        return response

    upstream.behave = answer

    got = await post(door, user, Connection=b"keep-alive, X-Up", X_Up=b"1", X_Stays=b"1")

    assert "x-up" not in upstream.last.headers
    assert "x-stays" in upstream.last.headers
    assert "x-down" not in got.headers


def test_what_a_browser_or_another_proxy_adds_does_not_go_up() -> None:
    """Whose address it was, and from which page, is not for the model's server to know."""
    added = (
        *("origin", "referer", "cookie", "forwarded", "via", "x-real-ip", "host", "expect"),
        *("x-forwarded-for", "x-forwarded-host", "sec-fetch-site", "x-longterm-user"),
    )
    given = [(name.encode(), b"mine") for name in (*added, "x-custom")]

    passed = dict(headers.up(given, key=None))

    assert passed.pop(headers.RELAYED.encode()) == b"1"
    assert passed == {b"x-custom": b"mine", b"accept-encoding": b"identity"}


def test_what_is_far_too_long_to_be_an_answer_is_let_go() -> None:
    hearing = Hearing(streams=True)
    for _ in range(21):
        hearing.hear(b"x" * 1_000_000)
    told = {"choices": [{"index": 0, "delta": {"content": "late"}}]}

    hearing.hear(f"\n\ndata: {json.dumps(told)}\n\n".encode())

    assert hearing.message()["content"] == ""


def test_a_message_is_known_again_however_its_json_is_written() -> None:
    def called(arguments: str) -> dict[str, Any]:
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    forms = [called('{"a":1,"b":2}'), called('{ "b": 2, "a": 1 }'), called('{"a":1,"b":3}')]
    first, again, other = messages.entries(forms, most_bytes=1000)

    assert first.own == again.own != other.own


def test_a_refusal_is_what_was_said() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I can't help with that."}

    (entry,) = messages.entries([refused], most_bytes=1000)

    assert entry.content == "I can't help with that."


def test_no_more_memories_are_named_than_a_header_may_hold() -> None:
    """Servers in between refuse headers of more than some 8,000 characters."""
    many = tuple(
        RecallItem(
            kind="turn",
            id=str(number),
            text="",
            score=1,
            why=(),
            conversation_id=None,
            message_ids=(),
            turn_start=None,
            turn_end=None,
            said_at=datetime.now(UTC),
            tokens=1,
        )
        for number in range(60)
    )
    recall = Recall(query="", resolved_query="", items=many, facts=(), episodes=(), turns=many)
    request: Any = None
    relay: Any = None
    memory = Memory(relay, request, found=Recollection(recall=recall, known="", now=""))

    named = memory.headers()["x-longterm-memories"].split(",")

    assert named == [f"turn:{number}" for number in range(50)]


async def test_a_server_that_compresses_unasked_is_understood(
    door: Door, upstream: Upstream, user: str
) -> None:
    told = json.dumps(shapes.openai_answer(Says("Squeezed."))).encode()
    upstream.behave = lambda _: Response(
        gzip.compress(told), headers={"content-encoding": "gzip"}, media_type="application/json"
    )

    got = await post(door, user)

    assert upstream.last.headers["accept-encoding"] == "identity"
    assert got.content == told
    assert "content-encoding" not in got.headers
    assert await door.said(user) == [("user", "hello"), ("assistant", "Squeezed.")]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_that_are_cut_anywhere_are_heard(newline: bytes, size: int) -> None:
    events = "".join(shapes.openai_events(Says("Grüße, Ada", (("c1", "f", "{}"),)))).encode()
    raw = events.replace(b"\n", newline).rstrip()
    hearing = Hearing(streams=True)

    for start in range(0, len(raw), size):
        hearing.hear(raw[start : start + size])
    hearing.end()

    assert hearing.message()["content"] == "Grüße, Ada"
    assert [call["id"] for call in hearing.message()["tool_calls"]] == ["c1"]
    assert hearing.is_done


async def test_a_stream_that_is_cut_between_the_lines_of_an_event_ends_with_an_error(
    door: Door, upstream: Upstream, user: str
) -> None:
    event = json.dumps({"choices": [{"index": 0, "delta": {"content": "Once"}}]})
    content = f"data: {event}\n".encode()
    upstream.behave = lambda _: Response(
        content,
        headers={"content-length": str(len(content) + 5)},
        media_type="text/event-stream",
    )
    async with door.client(user) as client:
        stream = await client.chat.completions.create(model="m", messages=HELLO, stream=True)
        with pytest.raises(openai.APIError, match="does not answer"):
            _ = [chunk async for chunk in stream]


async def test_an_answer_that_nobody_begins_to_read_is_closed() -> None:
    class Body(httpx.AsyncByteStream):
        def __init__(self) -> None:
            self.closed = False

        async def aclose(self) -> None:
            self.closed = True

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"never read"

    async def pieces(response: httpx.Response) -> AsyncGenerator[bytes]:
        async for piece in response.aiter_bytes():
            yield piece

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        await asyncio.sleep(60)

    body = Body()
    response = httpx.Response(200, stream=body)
    reply = Reply(status=200, headers=[], body=pieces(response), response=response)

    await Passed(reply)({"type": "http", "state": {}}, receive, send)

    assert body.closed


async def test_a_slow_reader_who_leaves_ends_the_call_without_waiting_for_garbage(
    door: Door, upstream: Upstream, user: str
) -> None:
    """d4"""
    gone = asyncio.Event()

    async def much() -> AsyncIterator[bytes]:
        event = {"choices": [{"index": 0, "delta": {"content": "word " * 10_000}}]}
        try:
            for _ in range(10_000):
                yield f"data: {json.dumps(event)}\n\n".encode()
        finally:
            gone.set()

    upstream.behave = lambda _: StreamingResponse(much(), media_type="text/event-stream")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(door.url.rpartition(":")[2]))
    raw = json.dumps({**BODY, "stream": True})
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"X-Longterm-User: {user}\r\nContent-Length: {len(raw)}\r\n\r\n"
    )
    writer.write((head + raw).encode())
    await reader.readline()
    # Nothing more is read: what comes fills every buffer on the way, and then waits.
    await asyncio.sleep(0.3)
    writer.transport.abort()

    await asyncio.wait_for(gone.wait(), 60)
    found = await until_stored(door, user, 2)
    assert [one.status for one in found] == ["complete", "partial"]
