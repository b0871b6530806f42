"""Every route of the description, with no key, a wrong one, and other people's ids."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from longterm.api import mcp
from longterm.api.app import ROUTERS
from longterm.api.auth import PUBLIC
from longterm.api.people import USER_HEADER
from longterm.records.scope import Scope
from tests.api.conftest import House, a_client
from tests.api.described import ROOT
from tests.outside import UNDER_WAY, rows_of

SECRET = "xyzzy"
# What is not of one user: any key of the tenant may read it.
OF_THE_TENANT = ("/api/templates", "/api/tools", "/api/admin", "/v1/models", "/v1/embeddings")


def of_the_tenant(path: str) -> bool:
    return path == "/api/me" or path.startswith(OF_THE_TENANT)


def names_a_thing(path: str) -> bool:
    """Whether a path names something that is 404 to others; a session is empty until it begins."""
    if "{user_id}" in path or path.startswith("/api/sessions/"):
        return False
    return "_id}" in path or path.endswith("/extract")


@dataclass(frozen=True, slots=True)
class Operation:
    """A method and a path, with its body where it takes one."""

    method: str
    path: str
    body: bool


def operations() -> Iterator[Operation]:
    """Every operation that is not public."""
    for path, methods in ROOT["paths"].items():
        for method, told in methods.items():
            if path not in PUBLIC:
                yield Operation(method.upper(), path, "requestBody" in told)
    # Described by its own protocol.
    yield Operation("POST", mcp.PATH, body=True)


ALL = list(operations())


def _named(one: Operation) -> str:
    return f"{one.method} {one.path}"


@dataclass(frozen=True, slots=True)
class Things:
    """What there is of somebody, for the places in a path and in a body."""

    user_id: str
    conversation_id: str
    memory_id: str
    key_id: str
    message_id: int
    asked_id: int

    def url(self, path: str) -> str:
        values = {
            "user_id": self.user_id,
            "conversation_id": self.conversation_id,
            "session_id": self.conversation_id,
            "memory_id": self.memory_id,
            "key_id": self.key_id,
            "message_id": str(self.asked_id if path.endswith("/stop") else self.message_id),
            "key": "key",
            "name": "template",
            "place_id": "place",
            "model": "longterm-offline",
        }
        return path.format(**values)

    def call(self, tool: str, **arguments: str) -> dict[str, Any]:
        params = {"name": tool, "arguments": arguments}
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    def body(self, path: str, user_id: str | None) -> dict[str, Any]:
        bodies: dict[str, dict[str, Any]] = {
            "/chat": {"query": "what is mine", "session_id": self.conversation_id},
            "/api/chat": {"message": "mine", "conversation_id": self.conversation_id},
            "/api/chat/stream": {"message": "mine", "conversation_id": self.conversation_id},
            "/api/conversations": {"conversation_id": self.conversation_id},
            "/api/conversations/{conversation_id}": {"title": "stolen"},
            "/api/conversations/{conversation_id}/messages": {"role": "user", "content": "mine"},
            "/api/memories": {"content": "mine"},
            "/api/memories/extract": {"conversation_id": self.conversation_id},
            "/api/memories/{memory_id}": {"content": "stolen"},
            "/api/messages": {"role": "user", "content": "mine"},
            "/api/messages/trim": {"keep_last": 0},
            "/api/sessions/{session_id}/context": {"query": "what is mine"},
            "/api/sessions/{session_id}/turns": {"query": "mine", "response": "yours"},
            "/api/places": {"place_id": "new", "place_name": "mine"},
            "/api/places/{place_id}/mentions": {"conversation_id": "c", "message_id": 1},
            "/api/recall": {"query": "what is my secret", "conversation_id": self.conversation_id},
            "/api/users/{user_id}/memory/{key}": {"value": {}},
            "/api/users/{user_id}/import": {"role": "user", "content": "mine"},
            "/api/users/{user_id}/state": {"mode": "stolen"},
            "/api/templates/{name}": {"body": "stolen"},
            "/api/tools/manage_user_memory": {"operation": "get_memory"},
            "/api/admin/keys": {"name": "mine"},
            "/v1/chat/completions": {"messages": [{"role": "user", "content": "my secret?"}]},
            "/v1/embeddings": {"input": "mine"},
            mcp.PATH: self.call("correct", fact_id=self.memory_id, content="stolen"),
        }
        body = dict(bodies.get(path, {}))
        if path.startswith("/v1/"):
            return body if user_id is None else body | {"user": user_id}
        if user_id is not None and not path.startswith(("/api/users", "/api/admin", mcp.PATH)):
            body |= {} if path == "/api/templates/{name}" else {"user_id": user_id}
        return body


async def fill(house: House, user_id: str) -> Things:
    """Store something of everything."""
    mem = house.memory
    conversation = await mem.create_conversation(user_id, f"title {SECRET}")
    message = await mem.add_message(user_id, "user", f"My secret is {SECRET}")
    fact = await mem.add_fact(user_id, f"fact {SECRET}")
    await mem.add_poi(user_id, "place", f"Place {SECRET}")
    await mem.set_memory(user_id, "key", {"said": SECRET})
    await mem.set_user_state(user_id, SECRET)
    await mem.set_template("template", SECRET)
    key = (await mem.create_key(SECRET)).key
    await mem.digest(conversation.id)
    asked = await mem.add_message(user_id, "user", "What is being answered?")
    async with house.runtime.parts.database.tenant(Scope(house.tenant_id)) as conn:
        await conn.run(UNDER_WAY, question_id=asked, user_id=user_id)
    return Things(user_id, conversation.id, fact.id, key.id, message, asked)


async def ask(
    http: httpx.AsyncClient, one: Operation, things: Things, user_id: str | None
) -> httpx.Response:
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    if user_id is not None and one.path == mcp.PATH:
        headers[USER_HEADER] = user_id
    elif user_id is not None and not (one.path.startswith("/api/users") or of_the_tenant(one.path)):
        query["user_id"] = user_id
    if (one.method, one.path) == ("DELETE", "/api/admin/keys"):
        query["id"] = things.key_id
    body = things.body(one.path, user_id) if one.body else None
    return await http.request(
        one.method, things.url(one.path), params=query, json=body, headers=headers
    )


@pytest.fixture(scope="module")
async def victim(keyed_app: FastAPI) -> tuple[House, Things]:
    """A tenant with a user bob, who stays as he is through all tests."""
    house = House(keyed_app, 50)
    return house, await fill(house, "bob")


async def rows(house: House) -> dict[str, list[str]]:
    """Everything of a tenant, but for when its keys were used."""
    await house.runtime.parts.aside.finish()
    async with house.runtime.parts.database.system() as conn:
        await conn.value("SELECT 1")
        await conn.raw.execute("RESET ROLE")
        found = await rows_of(conn.raw, house.tenant_id)
    return {table: kept for table, kept in found.items() if table != "api_keys"}


def refused(answer: httpx.Response, *statuses: int) -> None:
    assert answer.status_code in statuses, answer.text
    openai = answer.url.path.startswith("/v1/")
    by_protocol = answer.url.path == mcp.PATH and answer.status_code != 401
    kind = "application/json" if openai or by_protocol else "application/problem+json"
    assert answer.headers["content-type"] == kind
    if not by_protocol:
        assert set(answer.json()) == {"error"} if openai else "status" in answer.json()
    assert SECRET not in answer.text


def test_every_route_is_described_or_public() -> None:
    """What is not in the description is not walked below."""
    described = {(one.method, one.path) for one in ALL}
    found = {
        (method, str(getattr(route, "path_format", "")))
        for router in ROUTERS
        for route in router.routes
        for method in getattr(route, "methods", None) or ()
    } | {("POST", mcp.PATH)}

    assert {one for one in found if one[1] not in PUBLIC} == described


@pytest.mark.parametrize("one", ALL, ids=_named)
async def test_without_a_key_there_is_nothing(
    victim: tuple[House, Things], keyed_app: FastAPI, one: Operation
) -> None:
    house, things = victim
    before = await rows(house)

    async with a_client(keyed_app) as http:
        refused(await ask(http, one, things, "bob"), 401)
    async with a_client(keyed_app, "lt_" + "x" * 43) as http:
        refused(await ask(http, one, things, "bob"), 401)

    assert await rows(house) == before


@pytest.mark.parametrize("one", ALL, ids=_named)
async def test_the_key_of_another_tenant_opens_nothing(
    victim: tuple[House, Things], one: Operation
) -> None:
    house, things = victim
    other = house.other()
    before = await rows(house)

    async with await other.client("admin") as http:
        answer = await ask(http, one, things, "bob")
        unknown = await ask(http, one, _elsewhere(things), "bob")

    assert SECRET not in answer.text
    if names_a_thing(one.path):
        refused(answer, 404)
    # Whether there is such a thing elsewhere cannot be told from the answer.
    assert answer.status_code == unknown.status_code
    assert await rows(house) == before


@pytest.mark.parametrize("one", ALL, ids=_named)
async def test_the_key_of_another_user_opens_nothing(
    victim: tuple[House, Things], one: Operation
) -> None:
    house, things = victim
    before = await rows(house)

    async with await house.client("user", "alice") as http:
        named = await ask(http, one, things, "bob")
        unnamed = await ask(http, one, things, None)

    if one.path.startswith("/api/admin") or "{user_id}" in one.path:
        refused(named, 403)
        refused(unnamed, 403)
    elif not of_the_tenant(one.path) or one.method == "POST":
        refused(named, 403)
        if names_a_thing(one.path):
            refused(unnamed, 404)
        elif not one.path.startswith("/api/templates"):
            assert SECRET not in unnamed.text
    elif one.method != "GET":
        refused(unnamed, 403)
    after = await rows(house)
    assert {table: _of_bob(kept) for table, kept in after.items()} == {
        table: _of_bob(kept) for table, kept in before.items()
    }


OF_A_USER = [
    one for one in ALL if not (one.path.startswith("/api/users") or of_the_tenant(one.path))
]
ADMIN = [one for one in ALL if one.path.startswith("/api/admin")]


@pytest.mark.parametrize("one", OF_A_USER, ids=_named)
async def test_an_application_that_names_one_user_does_not_reach_the_things_of_another(
    victim: tuple[House, Things], one: Operation
) -> None:
    house, things = victim

    async with await house.client() as http:
        answer = await ask(http, one, things, "carol")

    if names_a_thing(one.path):
        refused(answer, 404)
    assert SECRET not in answer.text


@pytest.mark.parametrize("one", ADMIN, ids=_named)
async def test_without_administration_there_is_no_administration(
    victim: tuple[House, Things], one: Operation
) -> None:
    house, things = victim

    async with await house.client("app") as http:
        refused(await ask(http, one, things, None), 403)


@pytest.mark.parametrize("one", ALL, ids=_named)
async def test_with_a_good_key_there_is_an_answer(house: House, one: Operation) -> None:
    """Otherwise the tests above would prove nothing."""
    things = await fill(house, "bob")
    admin = House(house.app, 0) if one.path == "/api/admin/tenants" else house

    async with await admin.client("admin") as http:
        # The demo is for somebody of whom nothing is known.
        answer = await ask(http, one, things, "dora" if one.path == "/api/demo" else "bob")

    assert answer.status_code in (200, 201, 204), answer.text


def _elsewhere(things: Things) -> Things:
    nowhere = str(UUID(int=7))
    return Things(things.user_id, nowhere, nowhere, nowhere, 2**62, 2**62)


def _of_bob(kept: list[str]) -> list[str]:
    return [row for row in kept if ",bob," in row]
