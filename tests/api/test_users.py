"""a3, a4, a6: key-value memory, state and templates over HTTP."""

from typing import Any

import httpx
import pytest

from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House


async def test_key_value_memory_keeps_every_type(http: httpx.AsyncClient) -> None:
    value = {"nested": {"list": [1, 1.5, True, None, "é"]}, "big": 2**70, "e": 1e22}

    stored = good(await http.put("/api/users/ada/memory/a key", json={"value": value}))
    read = good(await http.get("/api/users/ada/memory/a key"))
    (listed,) = good(await http.get("/api/users/ada/memory"))["items"]

    assert read == {"key": "a key", "value": value}
    assert stored == {**read, "id": listed["id"]}
    assert (listed["key"], listed["value"], listed["user_id"]) == ("a key", value, "ada")


async def test_keys_may_have_slashes(http: httpx.AsyncClient) -> None:
    good(await http.put("/api/users/ada/memory/a/memory/b", json={"value": {"a": 1}}))

    assert good(await http.get("/api/users/ada/memory/a%2Fmemory%2Fb"))["key"] == "a/memory/b"


async def test_user_ids_may_have_slashes_and_mean_nobody_else(
    http: httpx.AsyncClient, house: House
) -> None:
    """a5"""
    good(await http.put("/api/users/ada/memory/memory/b", json={"value": {"a": 1}}))
    good(await http.put("/api/users/ada%2fmemory/memory/b", json={"value": {"a": 2}}))

    assert good(await http.get("/api/users/ada/memory/memory/b"))["value"] == {"a": 1}
    assert good(await http.get("/api/users/ada%2Fmemory/memory/b"))["value"] == {"a": 2}
    assert good(await http.get("/api/users/ada%2Fmemory/state"))["user_id"] == "ada/memory"
    problem(await http.get("/api/users/ada%2Fmemory%00/state"), 400)
    problem(await http.get("/api/users/ada%00memory/state"), 400)
    async with await house.client("user", "ada") as hers:
        problem(await hers.get("/api/users/ada%2Fmemory/state"), 403)


async def test_a_path_that_a_proxy_has_changed_is_refused(http: httpx.AsyncClient) -> None:
    """Else forgetting the user `ada/memory` would clear the memory of ada."""
    good(await http.put("/api/users/ada/memory/a", json={"value": {}}))

    undone = await http.delete("/api/users/ada/memory", params={"user_id": "ada/memory"})

    assert "same in the query and in the path" in problem(undone, 422)["detail"]
    assert len(good(await http.get("/api/users/ada/memory"))["items"]) == 1


async def test_keys_are_deleted_one_by_one_or_all(http: httpx.AsyncClient) -> None:
    for key in "abc":
        good(await http.put(f"/api/users/ada/memory/{key}", json={"value": {}}))

    good(await http.delete("/api/users/ada/memory/a"), 204)

    problem(await http.delete("/api/users/ada/memory/a"), 404)
    problem(await http.get("/api/users/ada/memory/a"), 404)
    assert good(await http.delete("/api/users/ada/memory")) == {"deleted": 2}
    assert good(await http.get("/api/users/ada/memory"))["items"] == []


@pytest.mark.parametrize("body", [{}, {"value": []}, {"value": None}, {"value": {"a": "\x00"}}, []])
async def test_a_value_that_is_no_object_is_refused(http: httpx.AsyncClient, body: object) -> None:
    problem(await http.put("/api/users/ada/memory/key", json=body), 422)


async def test_a_state_is_set_and_forgotten(http: httpx.AsyncClient, house: House) -> None:
    before = good(await http.get("/api/users/ada/state"))
    halted = good(await http.put("/api/users/ada/state", json={"mode": "halted"}))
    good(await http.delete("/api/users/ada/state"), 204)

    own = {"tenant_id": house.tenant_id, "user_id": "ada"}
    assert before == {**own, "mode": "active", "updated_at": None}
    assert (halted["mode"], halted["updated_at"] is None) == ("halted", False)
    problem(await http.delete("/api/users/ada/state"), 404)
    problem(await http.put("/api/users/ada/state", json={"mode": ""}), 422)


async def test_templates_are_stored_listed_rendered_and_deleted(http: httpx.AsyncClient) -> None:
    await a_conversation(http, "Hello")
    body = {"body": "{{ greeting }} {{ user_id }}: {{ history[0].content }}"}

    made = good(await http.put("/api/templates/of/greeting", json=body))
    again = good(await http.put("/api/templates/of/greeting", json=body))
    read = good(await http.get("/api/templates/of/greeting"))
    listed = good(await http.get("/api/templates"))["items"]
    wanted = {"user_id": "ada", "variables": {"greeting": "Dear"}}
    rendered = good(await http.post("/api/templates/of/greeting/render", json=wanted))

    assert (made["version"], again["version"], read["body"]) == (1, 2, body["body"])
    assert [each["name"] for each in listed] == ["of/greeting"]
    assert rendered == {"text": "Dear ada: Hello"}
    assert (
        "greeting"
        in problem(await http.post("/api/templates/of/greeting/render", json={}), 422)["detail"]
    )
    good(await http.delete("/api/templates/of/greeting"), 204)
    problem(await http.delete("/api/templates/of/greeting"), 404)
    problem(await http.get("/api/templates/of/greeting"), 404)
    problem(await http.post("/api/templates/of/greeting/render", json=wanted), 404)


async def test_a_template_that_cannot_be_read_is_refused(http: httpx.AsyncClient) -> None:
    problem(await http.put("/api/templates/bad", json={"body": "{{ oops"}), 422)


async def test_users_are_listed_for_applications_in_pages(house: House) -> None:
    """d8"""
    for name in ("ada", "bob", "carol"):
        await house.memory.add_message(name, "user", "hello")
    await house.memory.add_fact("bob", "Bob likes jazz")

    async with await house.client("app") as app, await house.client("user", "ada") as ada:
        first = (await app.get("/api/users", params={"limit": 2})).json()
        rest = (await app.get("/api/users", params={"cursor": first["next_cursor"]})).json()
        found = (await app.get("/api/users", params={"search": "aro"})).json()
        refused = await ada.get("/api/users")

    assert [one["id"] for one in first["items"]] == ["ada", "bob"]
    assert (first["items"][1]["facts"], first["items"][1]["conversations"]) == (1, 1)
    assert (
        [one["id"] for one in rest["items"]] == ["carol"] == [one["id"] for one in found["items"]]
    )
    assert refused.status_code == 403


async def test_changes_tell_what_to_look_at_again(house: House) -> None:
    """d8"""
    mem = house.memory
    await mem.add_message("ada", "user", "My name is Ada")
    async with await house.client("user", "ada") as http:

        async def changes() -> dict[str, Any]:
            answer = await http.get("/api/changes")
            again = await http.get(
                "/api/changes", headers={"If-None-Match": answer.headers["etag"]}
            )
            assert again.status_code == 304
            return answer.json()

        before = await changes()
        conversation = await mem.current_conversation("ada")
        await mem.digest(conversation.id)
        learned = await changes()
        await mem.update_conversation("ada", conversation.id, pinned=True)
        pinned = await changes()
        await mem.add_poi("ada", "home", "Rua Augusta")
        await mem.set_memory("ada", "key", {"a": 1})
        kept = await changes()

    assert (before["learning"], learned["learning"]) == (1, 0)
    assert before["answering"] == []
    assert learned["memory"] != before["memory"]
    assert pinned["conversations"] != learned["conversations"]
    assert pinned["memory"] == learned["memory"]
    assert kept["places"] != pinned["places"]
    assert kept["keyvalues"] != pinned["keyvalues"]


async def test_insight_tells_errors_to_those_who_run_the_service_only(house: House) -> None:
    """d8"""
    await house.memory.add_message("ada", "user", "hello")
    async with house.runtime.parts.database.system() as conn:
        broken = "UPDATE jobs SET last_error = 'It broke.' WHERE tenant_id = %(of)s"
        await conn.run(broken, of=house.tenant_id)

    async with await house.client("app") as app, await house.client("user", "ada") as ada:
        tenant = (await app.get("/api/insight")).json()
        own = (await ada.get("/api/insight", params={"days": 7})).json()
        wrong = await ada.get("/api/insight", params={"days": 0})

    assert tenant["queue"]["failures"][0]["error"] == "It broke."
    assert own["queue"]["failures"] == []
    assert own["queue"]["queued"] >= 1
    assert own["messages_per_day"][0]["user"] == 1
    assert set(own) == {"messages_per_day", "memory_per_day", "recall", "queue", "usage", "hygiene"}
    assert wrong.status_code == 422
