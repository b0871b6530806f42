"""OpenAI's clients work unchanged: what they send goes up as it is, and so does what comes down."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import httpx2
import openai
import pytest
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from tests.providers import shapes
from tests.providers.shapes import Says
from tests.proxy.conftest import UPSTREAM_KEY, Door
from tests.proxy.upstream import Received, Response, Upstream, says, whole

HELLO: Any = [{"role": "user", "content": "hello"}]
TOOLS: Any = [
    {
        "type": "function",
        "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
    }
]


async def test_the_blocking_client_works(door: Door, upstream: Upstream, user: str) -> None:
    upstream.behave = says("Hello Ada, how are you?")

    def ask() -> tuple[str | None, str, int]:
        with door.blocking(user) as client:
            whole = client.chat.completions.create(model="gpt-test", messages=HELLO)
            stream = client.chat.completions.create(
                model="gpt-test",
                messages=HELLO,
                stream=True,
                stream_options={"include_usage": True},
            )
            chunks = list(stream)
            usage = chunks[-1].usage
            words = [one.choices[0].delta.content or "" for one in chunks if one.choices]
            return (
                whole.choices[0].message.content,
                "".join(words),
                usage.total_tokens if usage else 0,
            )

    content, words, tokens = await asyncio.to_thread(ask)

    assert content == words == "Hello Ada, how are you?"
    assert tokens == 28


async def test_a_stream_is_passed_on_byte_for_byte_and_stored(
    door: Door, upstream: Upstream, user: str
) -> None:
    raw = (
        b': keep-alive\r\n\r\ndata: {"choices":[{"index":0,"delta":{"content":"Gr\xc3\xbc"}}], "odd" : 1e400}\r\n\r\n'
        b'data: {"choices":[{"index":1,"delta":{"content":"other"}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{"content":"\xc3\x9fe"},"finish_reason":"stop"}]}\n\n'
        b"data: [DONE]\n\n"
    )
    upstream.behave = lambda _: Response(raw, media_type="text/event-stream")

    body = {"model": "m", "stream": True, "messages": HELLO, "n": 2}
    async with httpx.AsyncClient(headers={"X-Longterm-User": user}, timeout=60) as http:
        answer = await http.post(f"{door.url}/v1/chat/completions", json=body)

    assert answer.content == raw
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert await door.said(user) == [("user", "hello"), ("assistant", "Grüße")]


async def test_everything_that_nobody_knows_goes_up_byte_for_byte(
    door: Door, upstream: Upstream, user: str
) -> None:
    raw = (
        b'{ "temperature":0.10000000000000000555, "future": {"a":[1e3,  null]},\n "messages" : '
        b'[ {"role":"user","content":"h\\u00e9llo", "odd":1.0} ] , "logit_bias": {}, "big": 12345678901234567890123 }'
    )

    async with httpx.AsyncClient(headers={"X-Longterm-User": user}, timeout=60) as http:
        answer = await http.post(
            f"{door.url}/v1/chat/completions",
            content=raw,
            headers={"Content-Type": "application/json"},
        )

    assert answer.status_code == 200
    assert upstream.last.raw == raw


async def test_tools_json_choices_and_the_rest_go_through(
    door: Door, upstream: Upstream, user: str
) -> None:
    class City(BaseModel):
        name: str

    upstream.behave = says('{"name": "Rome"}')
    async with door.client(user) as client:
        parsed = await client.chat.completions.parse(
            model="gpt-test", messages=HELLO, response_format=City
        )
        upstream.behave = says("", (("call_1", "weather", "{}"), ("call_2", "weather", "{}")))
        called = await client.chat.completions.create(
            model="gpt-test",
            messages=HELLO,
            tools=TOOLS,
            tool_choice="required",
            parallel_tool_calls=True,
            n=2,
            stop=["x"],
            logprobs=True,
            top_logprobs=3,
            seed=7,
            extra_body={"future": {"a": 1}},
        )
        sent = upstream.last.body
        async with client.chat.completions.stream(
            model="gpt-test", messages=HELLO, tools=TOOLS
        ) as stream:
            final = await stream.get_final_completion()

    assert parsed.choices[0].message.parsed == City(name="Rome")
    assert [call.id for call in called.choices[0].message.tool_calls or ()] == ["call_1", "call_2"]
    assert [call.id for call in final.choices[0].message.tool_calls or ()] == ["call_1", "call_2"]
    assert {key: value for key, value in sent.items() if key != "messages"} == {
        "model": "gpt-test", "tools": TOOLS, "tool_choice": "required", "n": 2, "stop": ["x"],
        "parallel_tool_calls": True, "logprobs": True, "top_logprobs": 3, "seed": 7,
        "future": {"a": 1},
    }  # fmt: skip


async def test_headers_that_matter_come_down_and_others_stay_where_they_are(
    door: Door, upstream: Upstream, user: str
) -> None:
    async with door.client(user, headers={"OpenAI-Organization": "org-1"}) as client:
        # Its cookie must not come back with the next request.
        await client.chat.completions.create(model="gpt-test", messages=HELLO)
        raw = await client.chat.completions.with_raw_response.create(
            model="gpt-test", messages=HELLO, extra_headers={"Cookie": "c=1"}
        )

    assert raw.request_id == "req_upstream"
    assert raw.headers["openai-processing-ms"] == "12"
    assert raw.headers["x-ratelimit-remaining-requests"] == "99"
    assert "set-cookie" not in raw.headers
    up = upstream.last.headers
    assert up["openai-organization"] == "org-1"
    assert up["authorization"] == f"Bearer {UPSTREAM_KEY}"
    assert "cookie" not in up
    assert [name for name in up if name.startswith("x-longterm")] == ["x-longterm-relayed"]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
async def test_an_error_of_the_models_server_is_passed_on_as_it_is(
    door: Door, upstream: Upstream, user: str, status: int, error: type[openai.APIStatusError]
) -> None:
    told = {"error": {"message": "No.", "type": "some_type", "param": "p", "code": "some_code"}}
    upstream.behave = lambda _: whole(told, status)

    async with door.client(user) as client:
        with pytest.raises(error) as caught:
            await client.chat.completions.create(model="gpt-test", messages=HELLO)

    assert caught.value.status_code == status
    assert caught.value.response.json() == told
    assert (caught.value.code, caught.value.param) == ("some_code", "p")
    assert caught.value.request_id == "req_upstream"


async def test_models_are_those_of_the_models_server(
    door: Door, upstream: Upstream, user: str
) -> None:
    async with door.client(user) as client:
        found = [model.id async for model in client.models.list()]

    assert found == ["gpt-test"]
    assert upstream.last.path == "/base/v1/models"


@pytest.mark.parametrize("name", ["gpt-test", "ft:gpt-test:ada", "meta-llama/Llama-3.1-8B?x"])
async def test_one_model_is_told_about_by_the_models_server(
    door: Door, upstream: Upstream, user: str, name: str
) -> None:
    async with door.client(user) as client:
        await client.models.retrieve(name)

    assert upstream.last.path == f"/base/v1/models/{name}".replace("?", "%3F")


@pytest.mark.parametrize("name", ["..%2Ffiles", "%2e%2e/files", "x/..%2f..%2fusers", "a//b"])
async def test_the_name_of_a_model_leads_nowhere_else(
    door: Door, upstream: Upstream, name: str
) -> None:
    """The key of whoever runs the server would go along."""
    async with httpx.AsyncClient(base_url=door.url, timeout=60) as http:
        answer = await http.get(f"/v1/models/{name}")

    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "There is no such model."
    assert upstream.received == []


async def test_embeddings_are_made_by_the_one_who_is_named(
    door: Door, upstream: Upstream, user: str
) -> None:
    told = {
        "object": "list",
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}],
        "model": "text-embedding-3-small",
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    upstream.behave = lambda _: whole(told)
    async with door.client(user) as client:
        theirs = await client.embeddings.create(model="text-embedding-3-small", input="hello")
        base64 = await client.embeddings.create(model="longterm", input=["hello", "Grüße"])
        floats = await client.embeddings.create(
            model="longterm", input="hello", encoding_format="float", dimensions=384
        )
        with pytest.raises(openai.BadRequestError, match="dimensions must be 384"):
            await client.embeddings.create(model="longterm", input="hello", dimensions=10)

    assert theirs.data[0].embedding == [0.5]
    assert len(upstream.received) == 1
    assert len(base64.data) == 2
    assert base64.data[0].embedding == pytest.approx(floats.data[0].embedding, abs=1e-6)
    assert floats.model == "local:all-MiniLM-L6-v2"


async def test_a_server_that_cuts_the_stream_is_an_error_and_what_came_is_kept_as_partial(
    door: Door, upstream: Upstream, user: str
) -> None:
    """d4"""
    event = {"choices": [{"index": 0, "delta": {"content": "Once upon"}}]}

    def cut(_: Received) -> Response:
        # More is promised than comes.
        content = f"data: {json.dumps(event)}\n\n".encode()
        return Response(content, headers={"content-length": str(len(content) + 5)},
                        media_type="text/event-stream")  # fmt: skip

    upstream.behave = cut
    async with door.client(user) as client:
        stream = await client.chat.completions.create(model="m", messages=HELLO, stream=True)
        first = await anext(aiter(stream))
        with pytest.raises(openai.APIError, match="does not answer"):
            await anext(aiter(stream))

    assert first.choices[0].delta.content == "Once upon"
    (_, answer) = await door.messages(user)
    assert (answer.content, answer.status) == ("Once upon", "partial")


async def test_when_the_client_goes_away_the_models_server_is_told_and_what_came_is_partial(
    door: Door, upstream: Upstream, user: str
) -> None:
    """d4"""
    gone = asyncio.Event()

    async def forever() -> AsyncIterator[bytes]:
        event = {"choices": [{"index": 0, "delta": {"content": "word "}}]}
        try:
            while True:
                yield f"data: {json.dumps(event)}\n\n".encode()
                await asyncio.sleep(0.02)
        finally:
            gone.set()

    upstream.behave = lambda _: StreamingResponse(forever(), media_type="text/event-stream")
    async with door.client(user) as client:
        stream = await client.chat.completions.create(model="m", messages=HELLO, stream=True)
        async for _ in stream:
            break
        await stream.close()
        await asyncio.wait_for(gone.wait(), 60)
        partial = await until_stored(door, user, 2)
        upstream.behave = says("The whole story.")
        await client.chat.completions.create(
            model="m", messages=HELLO, extra_headers={"x-stainless-retry-count": "1"}
        )

    assert partial[1].status == "partial"
    assert partial[1].content.startswith("word ")
    found = await door.messages(user)
    assert [(one.content, one.status) for one in found] == [
        ("hello", "complete"), ("The whole story.", "complete"),
    ]  # fmt: skip


async def until_stored(door: Door, user: str, number: int) -> Any:
    for _ in range(600):
        found = await door.messages(user)
        if len(found) >= number:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("it was not stored")


async def test_a_client_that_waits_no_longer_for_the_whole_answer_ends_the_call(
    door: Door, upstream: Upstream, user: str
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def never() -> AsyncIterator[bytes]:
        asked.set()
        try:
            await asyncio.sleep(600)
            yield b"{}"
        finally:
            gone.set()

    upstream.behave = lambda _: StreamingResponse(never(), media_type="application/json")
    async with door.client(user) as client:
        waiting = asyncio.create_task(client.chat.completions.create(model="m", messages=HELLO))
        await asyncio.wait_for(asked.wait(), 60)
        waiting.cancel()
        await asyncio.wait({waiting})

    await asyncio.wait_for(gone.wait(), 60)
    assert await door.said(user) == [("user", "hello")]


async def test_a_whole_answer_that_breaks_off_is_an_error_and_is_not_stored(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = lambda _: Response(
        b'{"choices": [', headers={"content-length": "100"}, media_type="application/json"
    )
    async with door.client(user) as client:
        with pytest.raises((openai.APIConnectionError, httpx2.RemoteProtocolError)):
            await client.chat.completions.create(model="m", messages=HELLO)

    assert await door.said(user) == [("user", "hello")]


async def test_a_server_that_can_not_stream_is_heard_all_the_same(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = lambda _: whole(shapes.openai_answer(Says("Whole.")))
    body = {"model": "m", "stream": True, "messages": HELLO}
    async with httpx.AsyncClient(headers={"X-Longterm-User": user}, timeout=60) as http:
        answer = await http.post(f"{door.url}/v1/chat/completions", json=body)

    assert answer.json()["choices"][0]["message"]["content"] == "Whole."
    assert await door.said(user) == [("user", "hello"), ("assistant", "Whole.")]
