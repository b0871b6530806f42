"""Whose memory it is: keys, scopes and tenants, also of many at once."""

import asyncio
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.conftest import PROTOCOLS, House, connected, fact_of, known, message, post

LIST = message("tools/call", name="list_memories", arguments={})
REMEMBER = message("tools/call", name="remember", arguments={"content": "once"})


async def test_without_a_good_key_there_is_nothing(house: House) -> None:
    for headers in ({}, {"Authorization": "Bearer lt_" + "x" * 43}, {"X_Longterm_User": "ada"}):
        answer = await post(house.url, LIST, **headers)

        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_a_client_with_a_wrong_key_gets_an_error(house: House, mode: str) -> None:
    with pytest.raises((MCPError, ExceptionGroup)):
        async with connected(house.url, mode=mode, Authorization="Bearer lt_wrong") as client:
            await client.list_tools()


@pytest.mark.parametrize("scope", ["app", "admin"])
@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_an_application_names_the_user_in_a_header(
    house: House, scope: Any, mode: str
) -> None:
    key = await house.bearer(scope)
    users = {"ada": "The user is Ada", "zoë": "The user is Zoë"}

    for user_id, content in users.items():
        async with connected(
            house.url, mode=mode, Authorization=key, X_Longterm_User=user_id
        ) as client:
            await fact_of(client, content)
            assert await known(client) == [content]
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        async with connected(house.url, mode=mode, Authorization=key) as client:
            await client.list_tools()

    assert "X-Longterm-User" in _sentence(caught.value)
    for user_id, content in users.items():
        facts = await house.memory.get_active_facts(user_id)
        assert [fact.content for fact in facts] == [content]


async def test_a_users_key_is_good_for_that_user_alone(house: House) -> None:
    key = await house.bearer("user", "ada")

    same = await post(house.url, LIST, Authorization=key, X_Longterm_User="ada")
    other = await post(house.url, LIST, Authorization=key, X_Longterm_User="bob")
    elsewhere = await post(house.url, LIST, Authorization=key, X_Longterm_Tenant="1")

    assert same.status_code == 200
    assert other.status_code == 403
    assert other.json()["error"]["message"] == "This key belongs to another user."
    assert elsewhere.status_code == 403


@pytest.mark.parametrize("user_id", [b"", b"x" * 256, b"zo\xeb"])
async def test_a_user_who_can_not_be_is_refused(house: House, user_id: bytes) -> None:
    key = (await house.bearer("app")).encode()

    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.post(
            f"{house.url}/mcp",
            json=LIST,
            headers={b"Authorization": key, b"X-Longterm-User": user_id},
        )

    assert answer.status_code == 422
    assert answer.json()["error"]["message"]


async def test_a_revoked_key_is_refused_by_the_next_request(house: House) -> None:
    made = await house.memory.create_key("test", "user", "ada")
    key = f"Bearer {made.secret}"

    before = await post(house.url, LIST, Authorization=key)
    await house.memory.revoke_key(made.key.id)
    after = await post(house.url, LIST, Authorization=key)

    assert (before.status_code, after.status_code) == (200, 401)


@pytest.mark.parametrize("mode", PROTOCOLS)
async def test_tenants_that_ask_at_once_are_answered_each_with_its_own(
    house: House, mode: str
) -> None:
    """a5: the same user id in two tenants, over one server, side by side."""
    places = [house, house.other()]

    async def live(place: House) -> list[list[str]]:
        async with place.client("ada", mode) as client:
            await fact_of(client, f"The user is of tenant {place.tenant_id}")
            return await asyncio.gather(*(known(client) for _ in range(20)))

    answers = await asyncio.gather(*(live(place) for place in places))

    for place, seen in zip(places, answers, strict=True):
        assert seen == [[f"The user is of tenant {place.tenant_id}"]] * 20


async def test_a_session_id_opens_nothing(house: House) -> None:
    """Whoever learns one has nothing: what counts is the key of the very request."""
    other = house.other()
    await house.memory.add_fact("ada", "private")
    begun = await post(
        house.url,
        message(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        ),
        Authorization=await house.bearer(),
    )
    session = begun.headers.get("mcp-session-id", "0123456789abcdef0123456789abcdef")

    answer = await post(
        house.url,
        LIST,
        Authorization=await other.bearer(),
        Mcp_Session_Id=session,
        Mcp_Protocol_Version="2025-11-25",
    )

    assert begun.status_code == 200
    assert "mcp-session-id" not in begun.headers
    assert answer.json()["result"]["structuredContent"] == {"memories": [], "total": 0}


async def test_any_server_answers_any_request(house: House) -> None:
    """Nothing is kept in a process between two requests."""
    key = await house.bearer()
    asked = [post(url, LIST, Authorization=key) for url in (house.url, house.second_url)]

    await post(house.second_url, REMEMBER, Authorization=key)
    answers = [await each for each in asked]

    for answer in answers:
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["result"]["structuredContent"]["total"] == 1


async def test_a_repeated_request_is_not_answered_with_what_is_anothers(house: House) -> None:
    key = await house.bearer("app")
    same = {"Authorization": key, "Idempotency_Key": "once"}

    first = await post(house.url, REMEMBER, **same, X_Longterm_User="ada")
    again = await post(house.url, REMEMBER, **same, X_Longterm_User="ada")
    other = await post(house.url, REMEMBER, **same, X_Longterm_User="bob")

    assert again.headers["idempotent-replayed"] == "true"
    assert first.json() == again.json()
    assert other.status_code == 422
    assert first.json()["result"]["structuredContent"]["fact_id"] not in other.text


async def test_without_any_key_it_is_me_or_whom_the_header_names(open_url: str) -> None:
    async with connected(open_url) as client:
        await fact_of(client, "The user is me")
        mine = await known(client)
    async with connected(open_url, X_Longterm_User="ada") as client:
        hers = await known(client)
    async with connected(open_url, X_Longterm_User="me") as client:
        mine_by_name = await known(client)

    assert mine == mine_by_name == ["The user is me"]
    assert hers == []


def _sentence(error: BaseException) -> str:
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return " ".join((str(error), *map(_sentence, inner)))
