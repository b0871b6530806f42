"""c7: over HTTP a secret is refused with one sentence that does not repeat it."""

from typing import Any

import httpx
import pytest

from tests.api.checks import a_conversation, good, problem
from tests.api.conftest import House
from tests.secrets_corpus import SECRETS

ADA = {"user_id": "ada"}
PASSWORD = "hunter2secret!"
SAID = f"My password is {PASSWORD}"

Request = tuple[str, str, dict[str, Any]]
REQUESTS: list[Request] = [
    ("POST", "/api/memories", {**ADA, "content": SAID}),
    ("POST", "/api/memories", {**ADA, "content": PASSWORD, "key": "password"}),
    ("POST", "/api/places", {**ADA, "place_id": "p", "place_name": "Home", "notes": SAID}),
    ("POST", "/api/places", {**ADA, "place_id": "p", "place_name": "Wifi key", "notes": SAID}),
    ("PUT", "/api/users/ada/memory/wifi_password", {"value": {"value": PASSWORD}}),
    ("PUT", "/api/users/ada/memory/note", {"value": {"a": [{"password": PASSWORD}]}}),
    ("POST", "/api/conversations", {**ADA, "title": SAID}),
]


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_a_secret_is_refused(
    http: httpx.AsyncClient, method: str, path: str, body: dict[str, Any]
) -> None:
    told = problem(await http.request(method, path, json=body), 422)

    assert "must not hold a secret" in told["detail"]
    assert PASSWORD not in str(told)


async def test_a_fact_and_a_title_are_not_corrected_to_a_secret(http: httpx.AsyncClient) -> None:
    fact = good(await http.post("/api/memories", json={**ADA, "content": "likes tea"}), 201)
    conversation_id = await a_conversation(http)

    for path in (f"/api/memories/{fact['id']}", f"/api/conversations/{conversation_id}"):
        body = {**ADA, "content": SAID} if "memories" in path else {**ADA, "title": SAID}
        problem(await http.put(path, json=body), 422)


async def test_the_tool_tells_an_agent(http: httpx.AsyncClient) -> None:
    body = {**ADA, "operation": "add_fact", "content": SAID}

    told = good(await http.post("/api/tools/manage_user_memory", json=body))

    assert not told["ok"]
    assert "must not hold a secret" in told["error"]


async def test_secrets_of_the_corpus_are_refused(http: httpx.AsyncClient, house: House) -> None:
    for sample in [one for one in SECRETS if one.is_sentence and len(str(one.text)) <= 500][::9]:
        problem(await http.post("/api/memories", json={**ADA, "content": sample.text}), 422)
    for sample in [one for one in SECRETS if one.json is not None]:
        path = "/api/users/ada/memory/note"
        problem(await http.put(path, json={"value": sample.json}), 422)

    assert await house.memory.get_active_facts("ada") == []
