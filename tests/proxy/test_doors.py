"""Who may come in and whose memory it is; what is wrong is said in OpenAI's shape."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import httpx
import openai
import pytest

from longterm import Settings
from longterm.api.app import create_app
from longterm.listener import open_listener, url_of
from longterm.memory import asking
from longterm.providers.embedder import Vectors
from longterm.providers.local import LocalEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import usage
from tests.proxy.conftest import Door
from tests.proxy.upstream import Upstream, serving

HELLO: Any = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
async def shared_keyed(
    new_database: Callable[[str], str], shared_upstream: Upstream
) -> AsyncIterator[Door]:
    settings = Settings(
        database_url=new_database("longterm_proxy_keys"),
        worker=False,
        upstream_url=shared_upstream.url,
        max_body_bytes=100_000,
        proxy_patience_s=30,
    )
    app = create_app(Runtime(settings))
    async with serving(app) as url:
        yield Door(url, app)


@pytest.fixture
def keyed(shared_keyed: Door, upstream: Upstream) -> Door:
    """A proxy for which keys were made, and whose server has no key configured."""
    return shared_keyed


async def key(door: Door, scope: Any = "app", user: str | None = None) -> str:
    return (await door.mem.create_key("test", scope, user)).secret


async def test_whoever_uses_it_alone_needs_nothing_but_the_base_url(
    offline_door: Door, upstream: Upstream
) -> None:
    async with offline_door.client(None) as client:
        await client.chat.completions.create(
            model="any", messages=[{"role": "user", "content": "My name is Ada."}]
        )

    assert ("user", "My name is Ada.") in await offline_door.said("me")


class Loaded(LocalEmbedder):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return await super().embed(texts)


async def test_the_first_request_does_not_wait_for_the_embedder_to_be_loaded(
    conninfo: str, upstream: Upstream
) -> None:
    """It takes as long as the proxy has patience: each start would cost somebody their memory."""
    embedder = await asyncio.to_thread(Loaded)
    settings = Settings(database_url=conninfo, worker=False, upstream_url=upstream.url)
    app = create_app(Runtime(settings, embedder=embedder))
    async with serving(app):
        await app.state.process.runtime.parts.aside.finish()

    assert embedder.asked


async def test_a_clients_own_key_goes_up_where_nobody_else_has_one(
    new_database: Callable[[str], str], upstream: Upstream, user: str
) -> None:
    settings = Settings(
        database_url=new_database("longterm_proxy_alone"), worker=False, upstream_url=upstream.url
    )
    app = create_app(Runtime(settings))
    async with serving(app) as url:
        door = Door(url, app)
        sent: list[str | None] = []
        for given in ("sk-their-own", "lt_" + "x" * 43):
            async with door.client(user, given) as client:
                await client.chat.completions.create(model="m", messages=HELLO)
            sent.append(upstream.last.headers.get("authorization"))

    assert sent == ["Bearer sk-their-own", None]


async def test_a_key_of_longterm_opens_the_door_and_never_goes_up(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    own = await key(keyed, "user", user)
    async with keyed.client(None, own) as client:
        await client.chat.completions.create(model="m", messages=HELLO)
        first = upstream.last.headers
        await client.chat.completions.create(
            model="m", messages=HELLO, extra_headers={"X-Longterm-Upstream-Key": "sk-mine"}
        )

    assert "authorization" not in first
    assert own not in str(upstream.received)
    assert upstream.last.headers["authorization"] == "Bearer sk-mine"
    assert ("user", "hello") in await keyed.said(user)


async def test_from_the_first_key_on_no_other_key_is_good(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    await key(keyed)
    async with keyed.client(user, "sk-anything") as client:
        with pytest.raises(openai.AuthenticationError) as caught:
            await client.chat.completions.create(model="m", messages=HELLO)

    assert set(caught.value.response.json()["error"]) == {"message", "type", "param", "code"}
    assert (caught.value.code, caught.value.type) == ("unauthorized", "authentication_error")
    assert upstream.received == []


async def test_an_application_says_whose_memory_it_is(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    async with keyed.client(None, await key(keyed)) as client:
        with pytest.raises(openai.BadRequestError, match="X-Longterm-User"):
            await client.chat.completions.create(model="m", messages=HELLO)
        await client.chat.completions.create(model="m", messages=HELLO, user=user)
        sent = upstream.last.body
        await client.chat.completions.create(
            model="m", messages=HELLO, extra_headers={"X-Longterm-Memory": "off"}
        )

    assert sent["user"] == user
    assert await keyed.said(user) == [("user", "hello"), ("assistant", "Fine.")]


async def test_a_user_is_named_once_and_in_utf_8(keyed: Door, upstream: Upstream) -> None:
    """The bytes of one user in Latin-1 are those of another one in UTF-8."""
    bearer = f"Bearer {await key(keyed)}".encode()
    url = f"{keyed.url}/v1/chat/completions"
    statuses: list[int] = []
    async with httpx.AsyncClient(timeout=60) as http:
        for names in (["zoë".encode()], ["zoë".encode("latin-1")], [b"ada", b"bob"]):
            sent = [(b"X-Longterm-User", name) for name in names]
            answer = await http.post(
                url, json={"messages": HELLO}, headers=[(b"Authorization", bearer), *sent]
            )
            statuses.append(answer.status_code)

    assert statuses == [200, 400, 400]
    assert ("user", "hello") in await keyed.said("zoë")


async def test_the_key_of_one_user_is_not_good_for_another(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    async with keyed.client("bob", await key(keyed, "user", user)) as client:
        with pytest.raises(openai.PermissionDeniedError):
            await client.chat.completions.create(model="m", messages=HELLO)

    assert upstream.received == []


async def test_another_users_conversation_is_not_there(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    theirs = await keyed.mem.create_conversation("bob")
    async with keyed.client(user, await key(keyed)) as client:
        with pytest.raises(openai.NotFoundError):
            await client.chat.completions.create(
                model="m", messages=HELLO, extra_headers={"X-Longterm-Conversation": theirs.id}
            )

    assert upstream.received == []


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> date:
    """A day that does not end while a test counts what was spent on it."""
    day = datetime.now(UTC).date()
    monkeypatch.setattr(asking, "_today", lambda: day)
    return day


async def test_a_budget_that_is_spent_is_told_as_too_many_requests(
    keyed: Door, upstream: Upstream, user: str, today: date
) -> None:
    other = keyed.runtime.tenant(Scope(77))
    await other.update_settings(model_calls_per_day=1)
    secret = (await other.create_key("test", "user", user)).secret
    async with keyed.client(None, secret) as client:
        await client.chat.completions.create(model="m", messages=HELLO)
        await keyed.runtime.parts.aside.finish()
        with pytest.raises(openai.RateLimitError, match="budget") as caught:
            await client.chat.completions.create(model="m", messages=HELLO)

    assert caught.value.code == "budget_spent"
    assert "retry-after" in caught.value.response.headers
    assert len(upstream.received) == 1
    async with keyed.runtime.parts.database.tenant(Scope(77)) as conn:
        spent = await usage.spent(conn, today)
        models = [one.model for one in await usage.list_(conn, today)]
    assert (spent.calls, spent.tokens) == (1, 28)
    assert models == ["gpt-test-2026-01-01"]


async def test_without_memory_a_budget_is_spent_all_the_same(
    keyed: Door, upstream: Upstream, user: str, today: date
) -> None:
    other = keyed.runtime.tenant(Scope(78))
    await other.update_settings(model_calls_per_day=1)
    secret = (await other.create_key("test", "app")).secret
    async with keyed.client(None, secret, headers={"X-Longterm-Memory": "off"}) as client:
        await client.chat.completions.create(model="m", messages=HELLO)
        await keyed.runtime.parts.aside.finish()
        with pytest.raises(openai.RateLimitError, match="budget"):
            await client.chat.completions.create(model="m", messages=HELLO)

    assert len(upstream.received) == 1


async def test_a_halted_user_is_refused_without_memory_too(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    """a4"""
    await keyed.mem.set_user_state(user, "halted")
    async with keyed.client(user, await key(keyed), headers={"X-Longterm-Memory": "off"}) as client:
        with pytest.raises(openai.PermissionDeniedError, match="halted"):
            await client.chat.completions.create(model="m", messages=HELLO)

    assert upstream.received == []


async def test_for_a_tenant_without_memory_nothing_is_read_and_nothing_is_stored(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    """b11"""
    other = keyed.runtime.tenant(Scope(79))
    await other.add_fact(user, "Lives in Rome", importance=1)
    await other.update_settings(memory=False)
    secret = (await other.create_key("test", "user", user)).secret
    place = {"X-Longterm-Conversation": "trip"}
    async with keyed.client(None, secret, headers=place) as client:
        raw = await client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
    await keyed.runtime.parts.aside.finish()

    assert upstream.last.body["messages"] == HELLO
    assert not [name for name in raw.headers if name.lower().startswith("x-longterm")]
    assert await other.count_messages(user) == 0
    assert list(await other.list_conversations(user)) == []


async def test_what_is_wrong_is_said_in_openais_shape(
    keyed: Door, upstream: Upstream, user: str
) -> None:
    headers = {"Authorization": f"Bearer {await key(keyed)}", "X-Longterm-User": user}
    json = headers | {"Content-Type": "application/json"}
    url = f"{keyed.url}/v1/chat/completions"
    async with httpx.AsyncClient(timeout=60) as http:
        answers = {
            400: await http.post(url, headers=json, content=b"[1]"),
            404: await http.post(f"{keyed.url}/v1/responses", headers=json, content=b"{}"),
            405: await http.get(url, headers=headers),
            413: await http.post(url, headers=json, content=b'"' + b"x" * 200_000 + b'"'),
            415: await http.post(url, headers=headers, content=b"{}"),
        }

    assert {status: answer.status_code for status, answer in answers.items()} == {
        status: status for status in answers
    }
    assert "/v1/chat/completions" in answers[404].json()["error"]["message"]
    for answer in answers.values():
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["error"]["message"]
        assert answer.json()["error"]["type"] == (
            "not_found_error" if answer.status_code == 404 else "invalid_request_error"
        )


async def test_a_server_that_is_gone_or_slow_is_a_502_or_504(
    new_database: Callable[[str], str], user: str
) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    listener = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    settings = Settings(
        database_url=new_database("longterm_proxy_gone"),
        worker=False,
        upstream_url=f"http://127.0.0.1:{port}/v1",
        upstream_timeout_s=0.5,
        proxy_patience_s=30,
    )
    app = create_app(Runtime(settings))
    async with serving(app) as url, Door(url, app).client(user) as client:
        with pytest.raises(openai.InternalServerError) as slow:
            await client.chat.completions.create(model="m", messages=HELLO)
        listener.close()
        await asyncio.sleep(0.1)
        with pytest.raises(openai.InternalServerError) as gone:
            await client.chat.completions.create(model="m", messages=HELLO)
        stored = await Door(url, app).said(user)

    assert (slow.value.status_code, slow.value.code) == (504, "upstream_slow")
    assert (gone.value.status_code, gone.value.code) == (502, "upstream_gone")
    assert stored == [("user", "hello")]


async def test_a_server_that_is_its_own_upstream_does_not_go_round_in_circles(
    new_database: Callable[[str], str], user: str
) -> None:
    listener = open_listener("127.0.0.1", 0)
    settings = Settings(
        database_url=new_database("longterm_proxy_circle"),
        worker=False,
        upstream_url=f"{url_of(listener)}/v1",
    )
    app = create_app(Runtime(settings))
    async with serving(app, listener) as url, Door(url, app).client(user) as client:
        with pytest.raises(openai.BadRequestError, match="comes from Longterm itself"):
            await client.chat.completions.create(model="m", messages=HELLO)


async def test_without_any_model_memory_answers_and_says_so(offline_door: Door, user: str) -> None:
    await offline_door.mem.add_fact(user, "Lives in Rome", importance=1)
    async with offline_door.client(user) as client:
        models = [model.id async for model in client.models.list()]
        one = await client.models.retrieve("longterm-offline")
        with pytest.raises(openai.NotFoundError, match="There is no such model here"):
            await client.models.retrieve("gpt-whatever")
        whole = await client.chat.completions.create(
            model="gpt-whatever", messages=[{"role": "user", "content": "Where do I live?"}], n=2
        )
        stream = await client.chat.completions.create(
            model="longterm-offline",
            messages=HELLO,
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
        vectors = await client.embeddings.create(model="text-embedding-3-small", input="hello")
        with pytest.raises(openai.BadRequestError, match="messages"):
            await client.chat.completions.create(model="m", messages=[])

    assert models[0] == one.id == "longterm-offline"
    assert whole.model == "longterm-offline"
    assert len(whole.choices) == 2
    assert "Lives in Rome" in (whole.choices[0].message.content or "")
    assert "No language model is configured" in (whole.choices[0].message.content or "")
    words = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert "Lives in Rome" in words
    assert chunks[-1].usage is not None
    assert vectors.model == "local:all-MiniLM-L6-v2"
    stored = await offline_door.said(user)
    assert [role for role, _ in stored] == ["user", "assistant", "user", "assistant"]
    async with offline_door.runtime.parts.database.tenant(Scope(1)) as conn:
        spent = await usage.spent(conn, datetime.now(UTC).date())
    assert spent.calls == 0, "memory alone costs nothing"
