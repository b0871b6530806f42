"""Item 6: keys, scopes, and the one way in without a key."""

import asyncio
import hashlib
from collections.abc import Callable

import httpx
import psycopg
import pytest

from longterm import Settings
from longterm.api.app import create_app
from longterm.records.key import KeyScope
from longterm.runtime import Runtime
from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House, a_client
from tests.api.test_health import no_database

ADA = {"user_id": "ada"}
TEMPLATES = "/api/templates"


async def as_(house: House, key: str, path: str = TEMPLATES, **query: str) -> httpx.Response:
    async with a_client(house.app, key) as http:
        return await http.get(path, params=query)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer lt_",
        "Bearer lt_nonsense",
        "Basic bHQ6eA==",
        "lt_naked",
        "Bearer é",
    ],
)
async def test_without_a_good_key_there_is_no_answer(house: House, given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given.encode("latin-1")}

    async with a_client(house.app) as http:
        answer = await http.get(TEMPLATES, headers=headers)  # pyright: ignore[reportArgumentType]

    problem(answer, 401)
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_two_keys_are_none(house: House) -> None:
    key = await house.key()
    headers = [("Authorization", f"Bearer {key}"), ("Authorization", f"Bearer {key}")]

    async with a_client(house.app) as http:
        problem(await http.get(TEMPLATES, headers=headers), 401)


async def test_a_key_is_stored_as_its_hash_and_shown_once(house: House) -> None:
    async with await house.client("admin") as http:
        made = good(await http.post("/api/admin/keys", json={"name": "shop"}), 201)
        listed = await http.get("/api/admin/keys")

    secret = made["secret"]
    database = house.runtime.settings.database_url or ""
    async with await psycopg.AsyncConnection.connect(database) as conn:
        cursor = await conn.execute(
            "SELECT key_hash, key::text FROM longterm.api_keys AS key WHERE id = %s", [made["id"]]
        )
        (row,) = await cursor.fetchall()
    assert secret.startswith("lt_")
    assert len(secret) == 46
    assert row[0] == hashlib.sha256(secret.encode()).digest()
    assert secret[9:] not in row[1] + listed.text
    assert secret.startswith(made["prefix"])
    assert good(await as_(house, secret))["items"] == []


async def test_a_revoked_key_is_refused_from_the_next_request_on(house: House) -> None:
    async with await house.client("admin") as http:
        made = good(await http.post("/api/admin/keys", json={"name": "shop"}), 201)
        good(await as_(house, made["secret"]))

        good(await http.delete(f"/api/admin/keys/{made['id']}"), 204)

        problem(await as_(house, made["secret"]), 401)
        problem(await http.delete(f"/api/admin/keys/{made['id']}"), 404)
        problem(await http.delete("/api/admin/keys", params={"id": made["id"]}), 404)
        (_, revoked) = good(await http.get("/api/admin/keys"))["items"]
    assert revoked["revoked_at"] is not None


@pytest.mark.parametrize(
    "path",
    [
        "/api/conversations",
        "/api/conversations/01890a5d-ac96-774b-bcce-b302099a8057/messages",
        # Makes a conversation where there is none.
        "/api/conversations/current",
        # Needs no database.
        "/api/tools/manage_user_memory",
        "/api/nothing/there",
    ],
)
async def test_a_known_key_that_another_process_revoked_sees_nothing_and_does_nothing(
    house: House, path: str
) -> None:
    """It is looked up along with what it reads, or before its answer is sent."""
    made = await house.memory.create_key("shop", "app")
    good(await as_(house, made.secret))

    await house.memory.revoke_key(made.key.id)
    answer = await as_(house, made.secret, path, user_id="ada")

    problem(answer, 401)
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert not (await house.memory.list_conversations("ada")).items


async def test_the_last_use_is_noted_at_most_once_a_minute(house: House) -> None:
    key = await house.key()

    async def last_use() -> object:
        await house.runtime.parts.aside.finish()
        (found,) = await house.memory.list_keys()
        return found.last_used_at

    assert await last_use() is None
    await as_(house, key)
    first = await last_use()
    await as_(house, key)

    assert first is not None
    assert await last_use() == first


@pytest.mark.parametrize(
    ("scope", "path", "status"),
    [
        ("admin", "/api/admin/keys", 200),
        ("app", "/api/admin/keys", 403),
        ("user", "/api/admin/keys", 403),
        ("user", "/api/admin/stats", 403),
        ("user", TEMPLATES, 200),
        ("user", "/api/conversations", 200),
        ("user", "/api/users/ada/memory", 200),
        ("user", "/api/users/bob/memory", 403),
        ("user", "/api/conversations?user_id=ada", 200),
        ("user", "/api/conversations?user_id=bob", 403),
        ("app", "/api/conversations?user_id=bob", 200),
        ("app", "/api/conversations", 422),
    ],
)
async def test_a_key_is_good_for_its_scope(
    house: House, scope: KeyScope, path: str, status: int
) -> None:
    async with await house.client(scope, "ada" if scope == "user" else None) as http:
        assert (await http.get(path)).status_code == status


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_users_key_does_not_write_templates(house: House, method: str) -> None:
    await house.memory.set_template("greeting", "Hello {{ user_id }}")
    async with await house.client("user", "ada") as http:
        refused = await http.request(method, f"{TEMPLATES}/greeting", json={"body": "mine"})
        rendered = good(await http.post(f"{TEMPLATES}/greeting/render", json={}))

    problem(refused, 403)
    assert rendered == {"text": "Hello ada"}


async def test_a_users_key_sees_nothing_of_another_user(house: House) -> None:
    async with await house.client() as http:
        id_ = await a_conversation(http, "a secret of bob", user_id="bob")
        fact = good(
            await http.post("/api/memories", json={"user_id": "bob", "content": "secret"}), 201
        )
    async with await house.client("user", "ada") as http:
        for path in (
            f"/api/conversations/{id_}",
            f"/api/conversations/{id_}/messages",
            f"/api/conversations/{id_}/episodes",
            f"/api/memories/{fact['id']}/history",
        ):
            problem(await http.get(path), 404)
        extract = {"conversation_id": id_}
        problem(await http.post("/api/memories/extract", json=extract), 404)
        body = {"query": "secret of bob", "conversation_id": id_}
        recalled = good(await http.post("/api/recall", json=body))
        schema = {"operation": "get_memory", "conversation_id": id_}
        tool = await http.post("/api/tools/manage_user_memory", json=schema)

    assert "secret of bob" not in recalled["text"]
    assert recalled["items"] == []
    assert "secret" not in tool.text


async def test_an_admin_of_the_system_may_name_a_tenant_and_nobody_else(house: House) -> None:
    system = House(house.app, 0)
    named = {"X-Longterm-Tenant": str(house.tenant_id)}
    await house.key()
    await house.memory.set_template("of the house", "body")

    async with await system.client("admin") as http:
        seen = good(await http.get(TEMPLATES, headers=named))["items"]
        tenants = good(await http.get("/api/admin/tenants"))["items"]
        for nonsense in ("x", "-1", "", "9" * 30, "1.0"):
            problem(await http.get(TEMPLATES, headers={"X-Longterm-Tenant": nonsense}), 422)
    async with await system.client("app") as http:
        problem(await http.get(TEMPLATES, headers=named), 403)
    async with await house.other().client("admin") as http:
        problem(await http.get(TEMPLATES, headers=named), 403)
        own = good(await http.get("/api/admin/tenants"))["items"]

    assert [each["name"] for each in seen] == ["of the house"]
    assert {0, house.tenant_id} <= {each["tenant_id"] for each in tenants}
    assert len(own) == 1


async def test_tenants_are_made_by_an_admin_of_the_system(house: House) -> None:
    async with await House(house.app, 0).client("admin") as http:
        first = good(await http.post("/api/admin/tenants", json={}), 201)
        second = good(await http.post("/api/admin/tenants", json={}), 201)
        number = {"tenant_id": 5_000_000 + house.tenant_id}
        good(await http.post("/api/admin/tenants", json=number), 201)
        problem(await http.post("/api/admin/tenants", json=number), 409)
        problem(await http.post("/api/admin/tenants", json={"tenant_id": 0}), 422)
    async with await house.client("admin") as http:
        problem(await http.post("/api/admin/tenants", json={}), 403)

    assert first["tenant_id"] != second["tenant_id"]


async def test_keys_are_made_for_a_scope_that_fits(house: House) -> None:
    async with await house.client("admin") as http:
        for body in (
            {"name": "x", "scope": "user"},
            {"name": "x", "scope": "app", "user_id": "ada"},
            {"name": "x", "scope": "god"},
            {"name": ""},
        ):
            problem(await http.post("/api/admin/keys", json=body), 422)
        body = {"name": "x", "scope": "user", "user_id": "ada"}
        key = good(await http.post("/api/admin/keys", json=body), 201)["secret"]

    assert good(await as_(house, key, "/api/users/ada/state"))["user_id"] == "ada"


async def test_statistics_and_cleanup(house: House) -> None:
    async with await house.client("admin") as http:
        await a_conversation(http, "Hello")
        stats = good(await http.get("/api/admin/stats"))
        cleaned = good(await http.post("/api/admin/cleanup"))

    assert stats["counts"] == {
        "users": 1, "conversations": 1, "messages": 1, "facts": 0, "episodes": 0,
    }  # fmt: skip
    assert stats["jobs"] == {"queued": 1}
    assert stats["usage"] == []
    assert (cleaned["sessions_deleted"], cleaned["errors"]) == (0, [])


async def test_no_key_is_asked_for_on_this_machine_until_one_was_made(
    new_database: Callable[[str], str],
) -> None:
    database = new_database("api_first_key")
    app = create_app(Runtime(Settings(database_url=database, worker=False)))
    async with app.router.lifespan_context(app), a_client(app) as http:
        good(await http.put("/api/users/ada/state", json={"mode": "active"}))
        mine = await House(app, 1).memory.get_user_state("ada")
        made = good(await http.post("/api/admin/keys", json={"name": "first"}), 201)
        key = {"Authorization": f"Bearer {made['secret']}"}

        async with asyncio.timeout(60):
            while (refused := await http.get("/api/users/ada/state")).status_code == 200:
                await asyncio.sleep(0.05)

        problem(refused, 401)
        good(await http.get("/api/users/ada/state", headers=key))
        await House(app, 1).memory.revoke_key(made["id"])
        problem(await http.get("/api/users/ada/state"), 401)
        problem(await http.get("/api/users/ada/state", headers=key), 401)
    assert mine is not None


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"]
)
async def test_what_a_proxy_passes_on_needs_a_key(client: httpx.AsyncClient, header: str) -> None:
    good(await client.get(TEMPLATES))
    problem(await client.get(TEMPLATES, headers={header: "203.0.113.7"}), 401)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "memory.example"])
async def test_a_server_that_hears_others_always_asks_for_a_key(
    app_conninfo: str, host: str
) -> None:
    app = create_app(Runtime(Settings(database_url=app_conninfo, worker=False, host=host)))
    async with app.router.lifespan_context(app), a_client(app) as http:
        problem(await http.get(TEMPLATES, headers={"Host": "memory.example"}), 401)
        good(await http.get("/healthz", headers={"Host": "memory.example"}))


async def test_who_it_is_is_still_known_while_the_database_is_away(
    server: str, new_database: Callable[[str], str]
) -> None:
    """b7: chat has to answer then; what was never seen before is not let in."""
    database = new_database("api_outage")
    app = create_app(Runtime(Settings(database_url=database, worker=False)))
    async with app.router.lifespan_context(app):
        seen, unseen = await House(app, 1).key(), await House(app, 1).key()
        good(await as_(House(app, 1), seen, "/api/tools/manage_user_memory"))
        # Of two who notice at the same time, one waits for a connection.
        await House(app, 1).runtime.parts.aside.finish()
        async with no_database(server, database):
            good(await as_(House(app, 1), seen, "/api/tools/manage_user_memory"))
            answer = await as_(House(app, 1), unseen, "/api/tools/manage_user_memory")
            problem(answer, 503)
            problem(await as_(House(app, 1), seen), 503)

    assert answer.headers["retry-after"] == "1"
