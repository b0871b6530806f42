"""d3, c2: facts, the document, places, recall and the tool over HTTP."""

from uuid import uuid4

import httpx
import pytest

from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House

ADA = {"user_id": "ada"}


async def remember(http: httpx.AsyncClient, content: str, **more: object) -> dict[str, object]:
    return good(await http.post("/api/memories", json={**ADA, "content": content, **more}), 201)


async def test_a_fact_is_made_corrected_and_deleted_and_its_history_told(
    http: httpx.AsyncClient,
) -> None:
    made = await remember(http, "Ada likes trains.", type="preference", category="travel")
    path = f"/api/memories/{made['id']}"

    changed = good(
        await http.put(path, json={**ADA, "content": "Ada likes boats.", "pinned": True})
    )
    history = good(await http.get(f"{path}/history", params=ADA))["items"]
    good(await http.delete(path, params=ADA), 204)

    assert (made["type"], made["origin"], made["is_active"]) == ("preference", "api", True)
    assert (changed["version"], changed["pinned"], changed["origin"]) == (2, True, "person")
    assert [each["content"] for each in history] == ["Ada likes trains.", "Ada likes boats."]
    assert history[0]["closed"] == "replaced"
    for gone in (
        await http.get(f"{path}/history", params=ADA),
        await http.put(path, json={**ADA, "pinned": True}),
        await http.delete(path, params=ADA),
    ):
        problem(gone, 404)


async def test_facts_are_filtered(http: httpx.AsyncClient) -> None:
    await remember(http, "Ada likes trains.", type="preference", category="travel")
    pinned = await remember(http, "Ada is a mathematician.", type="identity")
    await http.put(f"/api/memories/{pinned['id']}", json={**ADA, "pinned": True})
    archived = await remember(http, "Ada had a cat.")
    await http.put(f"/api/memories/{archived['id']}", json={**ADA, "archived": True})

    async def listed(**query: str) -> list[str]:
        found = good(await http.get("/api/memories", params={**ADA, **query}))
        assert found["next_cursor"] is None
        return [each["content"].split()[-1] for each in found["items"]]

    assert await listed() == ["trains.", "mathematician."]
    assert await listed(type="identity") == ["mathematician."]
    assert await listed(category="travel") == ["trains."]
    assert await listed(pinned="true") == ["mathematician."]
    assert await listed(archived="true") == ["cat."]
    assert await listed(archived="any", text="ADA HAD") == ["cat."]
    assert await listed(as_of="2000-01-01T00:00:00+02:00") == []
    problem(await http.get("/api/memories", params={**ADA, "type": "rumour"}), 422)
    problem(await http.get("/api/memories", params={**ADA, "as_of": "2000-01-01T00:00:00"}), 422)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"content": ""}, "content"),
        ({"content": "x" * 501}, "content"),
        ({"content": "my password is hunter2!secret"}, "secret"),
        ({"type": "rumour"}, "type"),
        ({"confidence": 1.1}, "confidence"),
        ({"importance": -1}, "importance"),
        ({"source_conversation_id": "x"}, "source_conversation_id"),
        ({"source_message_id": 2**64}, "source_message_id"),
        ({"actor": "extractor"}, "actor"),
        ({"colour": "red"}, "colour"),
        ({"user_id": "a\x00"}, "user_id"),
        ({"user_id": "x" * 256}, "user_id"),
    ],
)
async def test_what_is_no_fact_is_refused_and_not_repeated(
    http: httpx.AsyncClient, change: dict[str, object], says: str
) -> None:
    answer = await http.post("/api/memories", json={**ADA, "content": "good", **change})

    problem(answer, 422)
    assert says in answer.text
    assert "hunter2" not in answer.text


async def test_the_document_has_facts_places_and_counts(http: httpx.AsyncClient) -> None:
    await remember(http, "Ada likes trains.")
    home = {**ADA, "place_id": "home", "place_name": "Rua Augusta", "notes": "lives there"}
    good(await http.post("/api/places", json=home), 201)

    document = good(await http.get("/api/memories/document", params=ADA))

    assert [fact["content"] for fact in document["facts"]] == ["Ada likes trains."]
    assert document["placer_user_datapoints"][0]["place_name"] == "Rua Augusta"
    assert document["metadata"]["schema_version"] == "1.0"
    assert document["metadata"]["total_pois"] == 1


async def test_facts_are_extracted_from_a_conversation(http: httpx.AsyncClient) -> None:
    id_ = await a_conversation(http, "My name is Ada.")

    found = good(await http.post("/api/memories/extract", json={**ADA, "conversation_id": id_}))

    assert [(fact["key"], fact["content"]) for fact in found["items"]] == [("name", "Ada")]
    for absent in (str(uuid4()), await a_conversation(http, "I am Bob.", user_id="bob")):
        body = {**ADA, "conversation_id": absent}
        problem(await http.post("/api/memories/extract", json=body), 404)


async def test_places_and_their_mentions(http: httpx.AsyncClient) -> None:
    place = {
        **ADA,
        "place_id": "a/b",
        "place_name": "Café",
        "conversation_id": "c",
        "message_id": 1,
    }
    mention = {**ADA, "conversation_id": "d", "message_id": "2"}

    assert good(await http.post("/api/places", json=place), 201) == {"place_id": "a/b"}
    good(await http.post("/api/places/a%2Fb/mentions", json=mention), 201)

    (found,) = good(await http.get("/api/places", params=ADA))["items"]
    assert [(one["conversation_id"], one["message_id"]) for one in found["mentions"]] == [
        ("c", "1"),
        ("d", "2"),
    ]
    assert found["conversations"] == 2
    problem(await http.post("/api/places/elsewhere/mentions", json=mention), 404)
    problem(await http.post("/api/places", json={**place, "place_name": ""}), 422)


async def test_recall_has_every_field_of_the_librarys(
    house: House, http: httpx.AsyncClient
) -> None:
    id_ = await a_conversation(http, "My name is Ada.", "I keep bees on the roof.")
    await house.memory.digest(id_)
    await house.memory.embed("ada")

    query = {"query": "what insects are there?", "limit": 3, "budget_tokens": 500, "min_turn": 2}
    found = good(await http.post("/api/recall", json={**ADA, "conversation_id": id_, **query}))
    same = await house.memory.recall("ada", "what insects are there?", conversation_id=id_, limit=3)

    assert found["items"][0]["text"] == same.items[0].text == "I keep bees on the roof."
    assert set(found) >= {
        "items", "facts", "episodes", "turns", "stable_prefix", "turn_tail", "text", "tokens",
        "resolved_query", "timings_ms", "degraded", "stale",
    }  # fmt: skip
    assert set(found["items"][0]) >= {
        "kind", "id", "text", "score", "why", "conversation_id", "message_ids", "turn_start",
        "turn_end", "said_at", "tokens",
    }  # fmt: skip
    assert "Ada" in found["text"]


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 0},
        {"kinds": list[str]()},
        {"kinds": ["x"]},
        {"query": ""},
        {"as_of": "now"},
        {"budget_tokens": -1},
        {"min_turn": 1},
    ],
)
async def test_what_cannot_be_recalled_is_refused(
    http: httpx.AsyncClient, change: dict[str, object]
) -> None:
    problem(await http.post("/api/recall", json={**ADA, "query": "x", **change}), 422)


@pytest.mark.parametrize("form", ["openai", "anthropic", "json"])
async def test_the_tool_is_declared_and_called(http: httpx.AsyncClient, form: str) -> None:
    path = "/api/tools/manage_user_memory"
    declared = good(await http.get(path, params={"form": form}))
    call = {**ADA, "operation": "add_fact", "content": "The user is vegetarian."}

    done = good(await http.post(path, json=call))
    mistaken = good(await http.post(path, json={**ADA, "operation": "update_fact"}))

    assert "manage_user_memory" in str(declared)
    assert (done["ok"], done["operation"]) == (True, "add_fact")
    assert (mistaken["ok"], mistaken["error"]) == (False, "This operation needs fact_id.")
    problem(await http.get(path, params={"form": "xml"}), 422)
    problem(await http.post(path, json={**ADA, "operation": "drop"}), 422)


async def test_a_memory_is_read_by_its_id_and_the_trail_says_who_made_it(house: House) -> None:
    async with await house.client("app") as http:
        made = good(await http.post("/api/memories", json={**ADA, "content": "Ada likes tea"}), 201)
        read = good(await http.get(f"/api/memories/{made['id']}", params=ADA))
        problem(await http.get(f"/api/memories/{made['id']}", params={"user_id": "eve"}), 404)
        trail = good(await http.get("/api/audit"))
        of_eve = good(await http.get("/api/audit", params={"user_id": "eve"}))
    async with await house.client("user", user_id="eve") as http:
        seen = good(await http.get("/api/audit"))
        problem(await http.get("/api/audit", params=ADA), 403)

    assert read == made
    assert [(entry["user_id"], entry["action"]) for entry in trail["items"]] == [
        ("ada", "insert fact")
    ]
    assert of_eve["items"] == seen["items"] == []
