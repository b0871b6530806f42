"""b4, b11: what a tenant decides for itself, by HTTP."""

import pytest

from tests.api.conftest import House

NOTHING = dict.fromkeys(
    (
        *("conversation_retention", "session_retention", "model_calls_per_day"),
        *("model_tokens_per_day", "memory"),
    )
)
URL = "/api/admin/settings"


async def test_settings_come_back_as_they_were_put(house: House) -> None:
    wanted = {
        "conversation_retention": "keep",
        "session_retention": 0.5,
        "model_calls_per_day": 10,
        "model_tokens_per_day": 0,
        "memory": False,
    }
    async with await house.client("admin") as http:
        before = await http.get(URL)
        put = await http.put(URL, json=wanted)
        after = await http.get(URL)
        await http.put(URL, json={})
        reset = await http.get(URL)

    assert [answer.status_code for answer in (before, put, after)] == [200, 200, 200]
    assert before.json() == reset.json() == NOTHING
    assert put.json() == after.json() == wanted


async def test_a_switch_that_is_put_is_obeyed_by_the_next_chat(house: House) -> None:
    """b11"""
    async with await house.client("admin") as http:
        await http.put(URL, json={"memory": False})
        answer = await http.post("/api/chat", json={"user_id": "ada", "message": "Hello"})
        in_session = await http.post("/chat", json={"user_id": "ada", "query": "Hello"})

    assert answer.status_code == in_session.status_code == 200
    assert answer.json()["message_id"] is None
    assert in_session.json()["session_id"]
    assert await house.memory.count_messages("ada") == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"memory": "no"},
        {"session_retention": 0},
        {"session_retention": "forever"},
        {"model_calls_per_day": -1},
        {"unknown": 1},
    ],
)
async def test_settings_that_make_no_sense_are_refused(
    house: House, bad: dict[str, object]
) -> None:
    async with await house.client("admin") as http:
        answer = await http.put(URL, json=bad)
        after = await http.get(URL)

    assert answer.status_code == 422
    assert after.json() == NOTHING


async def test_only_an_admin_sees_or_changes_settings(house: House) -> None:
    async with await house.client("app") as http:
        statuses = [(await http.get(URL)).status_code, (await http.put(URL, json={})).status_code]

    assert statuses == [403, 403]
