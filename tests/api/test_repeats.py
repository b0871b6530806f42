"""`Idempotency-Key`: any POST is safe to repeat."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import httpx
import psycopg
import pytest

from longterm.api.people import Anybody
from longterm.memory.idempotency import Idempotency
from longterm.records.idempotency import Attempt
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House

ADA = {"user_id": "ada"}


def key() -> dict[str, str]:
    return {"Idempotency-Key": uuid4().hex}


async def test_a_post_with_the_same_key_and_body_is_done_once(
    house: House, http: httpx.AsyncClient
) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"
    body, same = {**ADA, "role": "user", "content": "once"}, key()

    first = await http.post(path, json=body, headers=same)
    again = [await http.post(path, json=body, headers=same) for _ in range(3)]

    assert "idempotent-replayed" not in first.headers
    for answer in again:
        assert (answer.status_code, answer.content) == (first.status_code, first.content)
        assert answer.headers["content-type"] == first.headers["content-type"]
        assert answer.headers["idempotent-replayed"] == "true"
    assert await house.memory.count_messages("ada") == 1


async def test_without_a_key_or_with_another_one_it_is_done_again(
    house: House, http: httpx.AsyncClient
) -> None:
    body = {**ADA, "title": "title"}

    for headers in ({}, {}, key(), key()):
        good(await http.post("/api/conversations", json=body, headers=headers), 201)

    assert len(await house.memory.list_conversations("ada")) == 4


@pytest.mark.parametrize("change", ["body", "path", "query"])
async def test_the_same_key_with_another_request_is_refused(
    house: House, http: httpx.AsyncClient, change: str
) -> None:
    same = key()
    good(await http.post("/api/conversations", json=ADA, headers=same), 201)

    path = "/api/memories" if change == "path" else "/api/conversations"
    body = {**ADA, "title": "other"} if change == "body" else ADA
    query = ADA if change == "query" else {}
    refused = problem(await http.post(path, json=body, params=query, headers=same), 422)

    assert refused["code"] == "idempotency_key_reused"
    assert len(await house.memory.list_conversations("ada")) == 1


async def test_of_two_at_once_one_is_told_that_the_other_is_under_way(house: House) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(asked: Anybody) -> int:
        begun.set()
        await go_on.wait()
        return await asked.of().memory.add_message("ada", "user", "once")

    house.app.add_api_route("/api/slowly", slowly, methods=["POST"], include_in_schema=False)
    same = key()
    async with await house.client() as http:
        first = asyncio.create_task(http.post("/api/slowly", params=ADA, headers=same))
        await begun.wait()
        second = await http.post("/api/slowly", params=ADA, headers=same)
        go_on.set()
        done = good(await first)
        third = good(await http.post("/api/slowly", params=ADA, headers=same))

    assert problem(second, 409)["code"] == "in_progress"
    assert second.headers["retry-after"] == "1"
    assert third == done
    assert await house.memory.count_messages("ada") == 1


async def test_many_at_once_are_done_once(house: House, http: httpx.AsyncClient) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"
    body, same = {**ADA, "role": "user", "content": "once"}, key()

    answers = await asyncio.gather(*(http.post(path, json=body, headers=same) for _ in range(20)))

    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert await house.memory.count_messages("ada") == 1


async def test_what_was_refused_may_be_tried_again_with_the_same_key(
    http: httpx.AsyncClient,
) -> None:
    same = key()
    problem(await http.post("/api/memories", json={**ADA, "content": ""}, headers=same), 422)

    good(await http.post("/api/memories", json={**ADA, "content": "good"}, headers=same), 201)


async def test_what_broke_may_be_tried_again_with_the_same_key(
    house: House, http: httpx.AsyncClient
) -> None:
    broken = [True, False]

    async def sometimes() -> str:
        if broken.pop(0):
            raise RuntimeError
        return "done"

    house.app.add_api_route("/api/sometimes", sometimes, methods=["POST"], include_in_schema=False)
    same = key()
    problem(await http.post("/api/sometimes", headers=same), 500)

    assert good(await http.post("/api/sometimes", headers=same)) == "done"


async def test_the_keys_of_two_callers_have_nothing_to_do_with_each_other(house: House) -> None:
    same = key()
    async with await house.client() as one, await house.client() as two:
        first = good(await one.post("/api/conversations", json=ADA, headers=same), 201)
        second = good(await two.post("/api/conversations", json=ADA, headers=same), 201)
    async with await house.client("user", "ada") as three:
        third = good(await three.post("/api/conversations", json=ADA, headers=same), 201)
        again = good(await three.post("/api/conversations", json=ADA, headers=same), 201)

    assert len({first["id"], second["id"], third["id"]}) == 3
    assert again == third


@pytest.mark.parametrize("bad", ["", " ", "a b", "x" * 256, "é"])
async def test_a_key_is_short_and_visible(http: httpx.AsyncClient, bad: str) -> None:
    headers = [(b"Idempotency-Key", bad.encode("latin-1"))]

    problem(await http.post("/api/conversations", json=ADA, headers=headers), 422)


async def test_whose_answer_it_is_stands_beside_it(house: House, http: httpx.AsyncClient) -> None:
    """Somebody who is forgotten must be forgotten here, too."""
    await http.post("/api/conversations", json=ADA, headers=key())

    assert await _rows(house, "SELECT user_id, status FROM longterm.idempotency") == [("ada", 201)]


async def test_whose_answer_it_is_is_known_also_where_only_a_conversation_is_named(
    house: House, http: httpx.AsyncClient
) -> None:
    made = await a_conversation(http)
    said = {**ADA, "role": "user", "content": "My name is Ada."}
    await http.post(f"/api/conversations/{made}/messages", json=said)
    session = str(uuid4())
    turn = {**ADA, "query": "words", "response": "more words"}
    good(await http.post(f"/api/sessions/{session}/turns", json=turn), 201)

    good(await http.post("/api/memories/extract", json={"conversation_id": made}, headers=key()))
    context = f"/api/sessions/{session}/context"
    good(await http.post(context, json={"query": "more"}, headers=key()))
    of_key = {"name": "hers", "scope": "user", "user_id": "ada"}
    good(await http.post("/api/admin/keys", json=of_key, headers=key()), 201)

    assert await _rows(house, "SELECT user_id FROM longterm.idempotency") == [("ada",)] * 3


async def test_the_secret_of_a_key_is_in_no_kept_answer(
    house: House, http: httpx.AsyncClient
) -> None:
    same = key()
    first = await http.post("/api/admin/keys", json={"name": "shop"}, headers=same)
    again = await http.post("/api/admin/keys", json={"name": "shop"}, headers=same)

    secret = first.json()["secret"]
    assert again.json() == {**first.json(), "secret": "(shown once)"}
    kept = await _rows(house, "SELECT convert_from(body, 'UTF8') FROM longterm.idempotency")
    assert secret not in repr(kept)


@pytest.mark.parametrize("how", [{"temporary": True}, {"memory": False}])
async def test_a_chat_that_leaves_nothing_behind_leaves_no_answer_for_a_repetition(
    house: House, http: httpx.AsyncClient, how: dict[str, bool]
) -> None:
    """b11: nothing of it is in any table, so it is answered anew."""
    body, same = {**ADA, **how, "message": "xyzzy"}, key()

    first = await http.post("/api/chat", json=body, headers=same)
    again = await http.post("/api/chat", json=body, headers=same)

    assert (first.status_code, again.status_code) == (200, 200)
    assert "idempotent-replayed" not in again.headers
    assert await _rows(house, "SELECT key FROM longterm.idempotency") == []


async def test_an_answer_is_kept_for_a_day_and_then_deleted(
    house: House, http: httpx.AsyncClient
) -> None:
    same = key()
    first = good(await http.post("/api/conversations", json=ADA, headers=same), 201)
    aged = "UPDATE longterm.idempotency SET created_at = now() - interval '25 hours'"
    await _rows(house, aged)

    # Its id follows from the key, so what is made anew is told apart by its time.
    await house.memory.delete_conversation("ada", first["id"])
    second = good(await http.post("/api/conversations", json=ADA, headers=same), 201)
    await _rows(house, aged)
    good(await http.post("/api/conversations", json=ADA, headers=key()), 201)

    assert first["created_at"] != second["created_at"]
    assert len(await _rows(house, "SELECT key FROM longterm.idempotency")) == 1


async def test_a_cleanup_deletes_what_was_kept_long_enough(
    house: House, http: httpx.AsyncClient
) -> None:
    for hours in (23, 25):
        good(await http.post("/api/conversations", json=ADA, headers=key()), 201)
        aged = f"UPDATE longterm.idempotency SET created_at = now() - interval '{hours} hours'"
        await _rows(house, aged)
    good(await http.post("/api/conversations", json=ADA, headers=key()), 201)
    kept = len(await _rows(house, "SELECT key FROM longterm.idempotency"))
    await _rows(house, "UPDATE longterm.idempotency SET created_at = now() - interval '25 hours'")

    await house.memory.cleanup()

    assert kept == 1
    assert await _rows(house, "SELECT key FROM longterm.idempotency") == []


async def test_the_key_of_a_request_that_died_is_free_again_after_its_lease(house: House) -> None:
    kept = Idempotency(house.runtime.parts, Scope(house.tenant_id))
    dead, next_ = _attempt(), _attempt()

    assert await kept.begin(dead, lease=timedelta(hours=1)) is None
    under_way = await kept.begin(next_, lease=timedelta(hours=1))
    await _rows(house, "UPDATE longterm.idempotency SET lease_until = now() - interval '1 s'")
    taken = await kept.begin(next_, lease=timedelta(hours=1))
    await kept.finish(dead, user_id=None, status=200, content_type=None, body=b"late")

    assert under_way is not None
    assert under_way.status is None
    assert taken is None
    still = await kept.begin(_attempt(), lease=timedelta(hours=1))
    assert still is not None
    assert (still.attempt, still.status) == (next_.id, None)


def _attempt() -> Attempt:
    return Attempt(id=new_id(), caller="caller", key="key", request_hash=b"hash")


async def _rows(house: House, query: str) -> list[tuple[object, ...]]:
    """Ask as a superuser, about one tenant."""
    database = house.runtime.settings.database_url or ""
    of_tenant = f"{query} WHERE tenant_id = {house.tenant_id}"
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as conn:
        cursor = await conn.execute(of_tenant.encode())
        return await cursor.fetchall() if cursor.description else []
