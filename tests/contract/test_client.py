"""What only a client has: a network between it and memory, keys, and a server that may be wrong."""

import asyncio
import inspect
from pathlib import Path
from typing import Any

import httpx
import pytest

from longterm import (
    AsyncTenant,
    InvalidInputError,
    MemoryNotFoundError,
    NotAllowedError,
    SetupError,
    UnavailableError,
)
from longterm.client import AsyncClient, Client
from longterm.errors import BudgetSpentError
from tests.contract.answering import CUT, SILENCE, answer, answering, problem
from tests.contract.conftest import House

# What works on the server itself, or has no route: docs/client.md tells so.
LEFT_OUT = {
    "audit_memory", "chat_in_session", "digest", "embed", "get_embedding_progress",
    "get_rolling_summary", "import_messages", "index", "learn", "list_answering",
    "rebuild_memory", "reembed", "settle",
}  # fmt: skip
OWN = {"close", "events", "send"}
ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "client.md").read_text()


def methods(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")} - OWN


def arguments(method: Any) -> list[tuple[str, object, object]]:
    found = inspect.signature(method).parameters.values()
    return [(one.name, one.kind, one.default) for one in found if one.name != "self"]


def test_the_clients_have_every_method_of_the_library_that_a_server_can_do() -> None:
    operations = {name for name in dir(AsyncTenant) if not name.startswith("_")}

    assert methods(Client) == methods(AsyncClient) == operations - LEFT_OUT


@pytest.mark.parametrize("name", sorted(methods(Client)))
def test_a_method_takes_what_the_library_takes(name: str) -> None:
    with Client() as client:
        taken = arguments(getattr(AsyncTenant, name))
        assert arguments(getattr(client, name)) == taken
        assert getattr(client, name).__doc__


def test_what_is_left_out_is_told() -> None:
    different = DOCS.partition("## What is different")[2]

    assert [name for name in sorted(LEFT_OUT) if f"`{name}`" not in different] == []


def test_an_address_that_is_none_is_refused() -> None:
    for url in ("127.0.0.1:8765", "ftp://somewhere", "http://", "http://host:port", ""):
        with pytest.raises(InvalidInputError):
            Client(url)


async def test_a_message_whose_answer_was_lost_is_stored_once(house: House) -> None:
    transport = _Losing(httpx.ASGITransport(house.app))
    async with await house.client(transport=transport) as client:
        number = await client.add_message("ada", "user", "Hello")

    assert transport.asked == 2
    assert [one.id for one in await house.memory.get_conversation_history("ada")] == [number]


class _Losing(httpx.AsyncBaseTransport):
    """Loses the first answer on its way back."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        answer = await self._inner.handle_async_request(request)
        if self.asked == 1:
            await answer.aread()
            raise httpx.ReadError("lost")
        return answer


async def test_a_request_that_was_cut_off_is_sent_again_with_the_same_key() -> None:
    answers = [CUT, answer('{"id": 7}', "201 Created")]
    async with answering(answers) as server, AsyncClient(server.url, "lt_x") as client:
        assert await client.add_message("ada", "user", "Hello") == 7

    keys = server.header("idempotency-key")
    assert (len(keys), len(set(keys))) == (2, 1)
    assert server.header("authorization") == ["Bearer lt_x"] * 2


async def test_who_is_told_to_wait_asks_again() -> None:
    busy = problem("503 Service Unavailable", "database_busy", Retry_After="0")
    rates = problem("429 Too Many Requests", "too_many", Retry_After="0")
    async with answering([busy, rates, answer('{"count": 3}')]) as server:
        with Client(server.url) as client:
            assert await asyncio.to_thread(client.count_messages, "ada") == 3


async def test_the_number_of_attempts_is_bounded() -> None:
    busy = problem("503 Service Unavailable", "database_gone", Retry_After="0")
    async with answering([busy] * 9) as server, AsyncClient(server.url, attempts=4) as client:
        with pytest.raises(UnavailableError, match="Told so") as caught:
            await client.count_messages("ada")

    assert len(server.asked) == 4
    assert (type(caught.value).__name__, caught.value.retry_after_s) == ("DatabaseGoneError", 0)


@pytest.mark.parametrize(
    ("told", "error"),
    [
        (problem("503 Service Unavailable", "database_gone", Retry_After="60"), UnavailableError),
        (problem("503 Service Unavailable", "budget_spent", Retry_After="1"), BudgetSpentError),
        (problem("404 Not Found", "memory_not_found"), MemoryNotFoundError),
        (problem("401 Unauthorized", "unauthorized"), NotAllowedError),
        (problem("422 Unprocessable Content", "unknown_to_us"), InvalidInputError),
        (answer("<html>", "200 OK", "text/html"), SetupError),
        (answer('{"other": 1}'), SetupError),
        (answer("not here", "404 Not Found", "text/plain"), SetupError),
        (answer("", "302 Found", Location="/login"), SetupError),
    ],
)
async def test_what_asking_again_does_not_mend_is_told_at_once(
    told: bytes, error: type[Exception]
) -> None:
    async with answering([told]) as server, AsyncClient(server.url) as client:
        with pytest.raises(error):
            await client.count_messages("ada")

    assert len(server.asked) == 1


async def test_what_makes_a_version_each_time_is_not_sent_twice() -> None:
    async with answering([CUT]) as server, AsyncClient(server.url) as client:
        with pytest.raises(UnavailableError):
            await client.set_template("greeting", "Hello")

    assert len(server.asked) == 1


async def test_a_server_that_is_not_there_or_silent_is_unavailable() -> None:
    async with (
        answering([SILENCE]) as server,
        AsyncClient(server.url, timeout_s=0.2, attempts=1) as client,
    ):
        with pytest.raises(UnavailableError, match="does not answer"):
            await client.count_messages("ada")
    async with AsyncClient(server.url) as client:
        with pytest.raises(UnavailableError, match="does not answer"):
            await client.count_messages("ada")


async def test_a_stream_that_breaks_off_is_told_and_not_begun_again() -> None:
    begun = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        b'event: start\ndata: {"message_id": 1}\n\nevent: delta\ndata: {"text": "Hel'
    )
    async with answering([begun, CUT]) as server, AsyncClient(server.url) as client:
        kinds: list[str] = []
        with pytest.raises(UnavailableError, match="ended before"):
            await _note(client, kinds)
        with pytest.raises(UnavailableError, match="does not answer"):
            await _note(client, kinds)

    assert (kinds, len(server.asked)) == (["start"], 2)


async def _note(client: AsyncClient, kinds: list[str]) -> None:
    async for event in client.stream("ada", "hello"):
        kinds.append(event.kind)


async def test_connections_are_used_again() -> None:
    answers = [answer('{"count": 3}')] * 3
    async with answering(answers) as server, AsyncClient(server.url) as client:
        for _ in range(3):
            await client.count_messages("ada")

    assert server.connections == 1


async def test_a_client_for_one_user_is_for_that_user_alone(house: House) -> None:
    """a5"""
    theirs = await house.memory.add_message("bob", "user", "mine")
    talk = await house.memory.current_conversation("bob")

    async with await house.client(user_id="ada") as client:
        with pytest.raises(NotAllowedError):
            await client.get_memory("bob", "key")
        with pytest.raises(MemoryNotFoundError):
            await client.get_messages(talk.id)
        with pytest.raises(MemoryNotFoundError):
            await client.delete_message(theirs)
        assert await client.get_conversation_history("ada") == []


async def test_a_user_id_with_a_slash_means_nobody_else(house: House) -> None:
    """a5"""
    await house.memory.set_memory("ada", "memory", {"a": 1})

    async with await house.client() as client:
        assert await client.get_all_memory("ada/memory") == []
        assert await client.get_memory("ada/memory", "memory") is None
        assert (await client.forget_user("ada/memory")).user_id == "ada/memory"
        assert len(await client.get_all_memory("ada")) == 1
        with pytest.raises(InvalidInputError, match="user_id"):
            await client.count_messages(5)  # pyright: ignore[reportArgumentType]
        assert await client.count_messages("a/b?c#d") == 0


async def test_the_key_says_who_one_is(house: House) -> None:
    """a5"""
    key = await house.key("user", "ada")

    async with AsyncClient(house.url, key, transport=httpx.ASGITransport(house.app)) as client:
        await client.add_message("ada", "user", "Hello")
        with pytest.raises(NotAllowedError, match="another user"):
            await client.add_message("bob", "user", "Hello")
        with pytest.raises(NotAllowedError, match="scope"):
            await client.get_stats()
    async with AsyncClient(
        house.url, "lt_" + "x" * 43, transport=httpx.ASGITransport(house.app)
    ) as client:
        with pytest.raises(NotAllowedError, match="not known"):
            await client.count_messages("ada")


async def test_an_admin_of_the_system_names_the_tenant(house: House) -> None:
    key = (await House(house.app, house.url, 0).memory.create_key("root", "admin")).secret
    await house.memory.add_message("ada", "user", "Hello")

    async with AsyncClient(
        house.url, key, tenant=house.tenant_id, transport=httpx.ASGITransport(house.app)
    ) as client:
        assert await client.count_messages("ada") == 1
