"""d1, d2: conversations, messages and episodes over HTTP."""

from uuid import uuid4

import httpx
import pytest

from longterm.api.wire.messages import Message
from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House

ADA = {"user_id": "ada"}


async def test_a_conversation_is_made_read_changed_and_deleted(http: httpx.AsyncClient) -> None:
    made = good(
        await http.post(
            "/api/conversations",
            json={**ADA, "title": "Lisbon", "retention": 24, "metadata": {"a": [1, None]}},
        ),
        201,
    )
    path = f"/api/conversations/{made['id']}"

    read = good(await http.get(path, params=ADA))
    changed = good(
        await http.put(path, json={**ADA, "title": "Porto", "archived": True, "retention": "keep"})
    )
    good(await http.delete(path, params=ADA), 204)

    assert {**read, "messages": None} == {**made, "messages": None, "answering": None}
    assert read["messages"]["items"] == []
    assert (made["retention_hours"], made["metadata"]) == (24, {"a": [1, None]})
    assert (changed["title"], changed["title_by"]) == ("Porto", "person")
    assert (changed["archived"], changed["expires_at"]) == (True, None)
    problem(await http.get(path, params=ADA), 404)
    problem(await http.delete(path, params=ADA), 404)
    problem(await http.put(path, json={**ADA, "title": "again"}), 404)


async def test_an_id_of_ones_own_is_made_once_and_never_somebody_elses(house: House) -> None:
    """d1, a5"""
    bobs = await house.memory.create_conversation("bob", "his secret")
    chosen = str(uuid4())
    async with await house.client("user", "ada") as http:
        made = good(await http.post("/api/conversations", json={"conversation_id": chosen}), 201)
        again = good(await http.post("/api/conversations", json={"conversation_id": chosen}), 201)
        taken = await http.post("/api/conversations", json={"conversation_id": bobs.id})
        unknown = await http.get(f"/api/conversations/{uuid4()}")
        wrong = await http.post("/api/conversations", json={"conversation_id": "mine"})

    assert made["id"] == again["id"] == chosen
    assert problem(taken, 404)["detail"] == problem(unknown, 404)["detail"]
    problem(wrong, 422)
    assert [one.id for one in await house.memory.list_conversations("ada")] == [chosen]


async def test_the_list_has_pages_archives_and_a_search(http: httpx.AsyncClient) -> None:
    ids = [await a_conversation(http, f"about {n}", title=f"title {n}") for n in range(5)]
    await http.put(f"/api/conversations/{ids[0]}", json={**ADA, "archived": True})

    seen: list[str] = []
    cursor: str | None = None
    while cursor or not seen:
        query = {**ADA, "limit": "2", **({"cursor": cursor} if cursor else {})}
        page = good(await http.get("/api/conversations", params=query))
        seen += [each["id"] for each in page["items"]]
        cursor = page["next_cursor"]

    async def listed(**query: str) -> list[str]:
        answer = good(await http.get("/api/conversations", params={**ADA, **query}))
        return [each["id"] for each in answer["items"]]

    assert seen == ids[:0:-1]
    assert await listed(archived="true") == ids[:1]
    assert set(await listed(archived="any")) == set(ids)
    assert await listed(search="about 3") == [ids[3]]
    problem(await http.get("/api/conversations", params={**ADA, "cursor": "x"}), 422)
    problem(await http.get("/api/conversations", params={**ADA, "limit": "0"}), 422)
    problem(await http.get("/api/conversations", params={**ADA, "archived": "perhaps"}), 422)


async def test_the_current_conversation_is_made_once(http: httpx.AsyncClient) -> None:
    first = good(await http.get("/api/conversations/current", params=ADA))
    again = good(await http.get("/api/conversations/current", params=ADA))

    assert first["id"] == again["id"]


async def test_one_message_or_several_are_appended(http: httpx.AsyncClient) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"
    payload = {"tool_calls": [{"name": "x", "big": 10**30}], "custom_payload": {"é": 1.5}}

    one = {**ADA, "role": "user", "content": "I am Ada.", "name": "Ada", **payload}
    stored = [good(await http.post(path, json=one), 201)]
    bare = [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Bye."}]
    stored.append(good(await http.post(path, params=ADA, json=bare), 201))
    named = {
        **ADA,
        "messages": [{"role": "user", "content": "PS", "created_at": "2024-01-01T00:00:00Z"}],
    }
    stored.append(good(await http.post(path, json=named), 201))

    found = good(await http.get(path, params=ADA))["items"]
    assert [message["content"] for message in found] == ["I am Ada.", "Hello.", "Bye.", "PS"]
    assert [message["turn"] for message in found] == [1, 1, 2, 3]
    assert [message["id"] for message in found] == [
        each["id"] for answer in stored for each in answer["items"]
    ]
    assert {name: found[0][name] for name in payload} == payload
    assert found[3]["created_at"] == "2024-01-01T00:00:00Z"


async def test_of_several_messages_all_are_stored_or_none(http: httpx.AsyncClient) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"
    said = [{"role": "user", "content": "good"}, {"role": "user", "content": "  "}]

    refused = problem(await http.post(path, params=ADA, json=said), 422)

    assert "blank" in refused["detail"]
    assert good(await http.get(path, params=ADA))["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"role": "system", "content": "x"},
        {"role": "user"},
        {"role": "user", "content": "a\x00b"},
        {"role": "user", "content": "x", "created_at": "2024-01-01T00:00:00"},
        {"role": "user", "content": "x", "tool_call": []},
        {"messages": []},
        "words",
        7,
        None,
    ],
)
async def test_what_is_no_message_is_refused(http: httpx.AsyncClient, body: object) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"

    problem(await http.post(path, params=ADA, json=body), 422)


async def test_what_is_wrong_with_a_message_is_told_once(http: httpx.AsyncClient) -> None:
    path = f"/api/conversations/{await a_conversation(http)}/messages"
    wrong = {"role": "system", "content": "x"}

    for body in (wrong, [wrong], {"messages": [wrong]}):
        refused = problem(await http.post(path, params=ADA, json=body), 422)
        assert [each["where"].split(".")[-1] for each in refused["errors"]] == ["role"]
        assert "'user' or 'assistant'" in refused["detail"]


async def test_messages_are_read_in_both_directions(http: httpx.AsyncClient) -> None:
    path = f"/api/conversations/{await a_conversation(http, *map(str, range(7)))}/messages"

    async def walk(**query: str) -> list[list[str]]:
        pages: list[list[str]] = []
        while True:
            page = good(await http.get(path, params={**ADA, "limit": "3", **query}))
            pages.append([message["content"] for message in page["items"]])
            if page["next_cursor"] is None:
                return pages
            query = {"cursor": page["next_cursor"]}

    first = good(await http.get(path, params={**ADA, "limit": "1000"}))["items"][0]["id"]

    assert await walk() == [["4", "5", "6"], ["1", "2", "3"], ["0"]]
    assert await walk(after=str(first)) == [["1", "2", "3"], ["4", "5", "6"]]
    problem(await http.get(path, params={**ADA, "before": "1", "after": "1"}), 422)
    problem(await http.get(path, params={**ADA, "cursor": "before-1", "after": "1"}), 422)
    problem(await http.get(path, params={**ADA, "cursor": "nonsense"}), 422)


async def test_episodes_are_listed(house: House, http: httpx.AsyncClient) -> None:
    id_ = await a_conversation(http, *(f"I like the number {n}." for n in range(21)))
    await house.memory.digest(id_)
    await house.memory.learn(id_)

    episodes = good(await http.get(f"/api/conversations/{id_}/episodes", params=ADA))["items"]

    assert [(each["turn_start"], each["turn_end"]) for each in episodes] == [(1, 11)]
    problem(await http.get(f"/api/conversations/{uuid4()}/episodes", params=ADA), 404)


async def test_a_user_must_be_named_where_any_can_be_meant(http: httpx.AsyncClient) -> None:
    refused = problem(await http.get("/api/conversations"), 422)

    assert "user_id" in refused["detail"]
    body = {"user_id": "ada"}
    problem(await http.post("/api/conversations", params={"user_id": "bob"}, json=body), 422)
    good(await http.post("/api/conversations", params={"user_id": "ada"}, json=body), 201)


async def test_a_page_of_messages_has_the_members_of_its_description(
    http: httpx.AsyncClient,
) -> None:
    asked = {**ADA, "message": "My name is Ada."}
    id_ = good(await http.post("/api/chat", json=asked))["conversation_id"]
    path = f"/api/conversations/{id_}/messages"

    plain = good(await http.get(path, params=ADA))
    rendered = good(await http.get(path, params={**ADA, "render": "html"}))

    assert all(set(item) == {*Message.model_fields} for item in plain["items"])
    assert plain["items"][-1]["used"] is not None
    assert all(item["html"] for item in rendered["items"])
    for item in (*plain["items"], *rendered["items"]):
        del item["html"]
    assert plain == rendered
