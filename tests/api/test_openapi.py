"""The description is complete and true: every operation, and whatever it is sent."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longterm.api.auth import PUBLIC
from tests.api.conftest import House
from tests.api.described import ROOT
from tests.api.schemas import JUNK, Schema, fitting, flaws, resolved
from tests.api.test_walk import Things, fill

ALL = [
    (method.upper(), path, operation)
    for path, operations in ROOT["paths"].items()
    for method, operation in operations.items()
]
KEYED = [one for one in ALL if one[1] not in PUBLIC]
# Of CONTRACT.md, but for /mcp, export and forgetting, which come later.
CONTRACT = """
    POST /chat
    POST /api/chat
    POST /api/chat/stream
    GET POST /api/conversations
    GET /api/conversations/current
    GET PUT DELETE /api/conversations/{conversation_id}
    GET POST /api/conversations/{conversation_id}/messages
    GET /api/conversations/{conversation_id}/episodes
    GET POST /api/memories
    PUT DELETE /api/memories/{memory_id}
    GET /api/memories/{memory_id}/history
    POST /api/memories/extract
    GET /api/memories/document
    GET POST /api/places
    POST /api/places/{place_id}/mentions
    POST /api/recall
    GET DELETE /api/users/{user_id}/memory
    GET PUT DELETE /api/users/{user_id}/memory/{key}
    GET PUT DELETE /api/users/{user_id}/state
    GET /api/templates
    GET PUT DELETE /api/templates/{name}
    POST /api/templates/{name}/render
    GET POST /api/tools/manage_user_memory
    GET POST /api/admin/tenants
    GET POST DELETE /api/admin/keys
    POST /api/admin/cleanup
    GET /api/admin/stats
    POST /v1/chat/completions
    GET /v1/models
    POST /v1/embeddings
    GET /healthz
    GET /readyz
    GET /metrics
"""


def named(value: object) -> str:
    return value if isinstance(value, str) else ""


def test_every_route_of_the_contract_is_there() -> None:
    wanted = {
        (method, line.split()[-1])
        for line in CONTRACT.strip().splitlines()
        for method in line.split()[:-1]
    }

    assert wanted <= {(method, path) for method, path, _ in ALL}


@pytest.mark.parametrize(("method", "path", "operation"), KEYED, ids=named)
def test_an_operation_is_described_with_its_errors_and_an_example(
    method: str, path: str, operation: Schema
) -> None:
    assert operation["summary"]
    assert operation["description"].split("\n")[0].endswith(".")
    assert operation["security"] == [{"key": []}]
    openai = path.startswith("/v1/")
    invalid = "400" if openai else "422"
    assert {"401", "403", invalid, "429", "503"} <= set(operation["responses"])
    for status, response in operation["responses"].items():
        assert response["description"]
        if status >= "4":
            kind = "application/json" if openai else "application/problem+json"
            assert set(response["content"]) == {kind}
    body = operation.get("requestBody")
    if body is not None:
        content = body["content"].get("application/json")
        if content is None:
            # A file, which has no example.
            return
        assert {"400", "413", "415"} <= set(operation["responses"])
        assert "examples" in content or resolved(content["schema"], ROOT)["examples"]


def examples() -> list[tuple[str, Any, Schema]]:
    found: list[tuple[str, Any, Schema]] = []
    for name, schema in ROOT["components"]["schemas"].items():
        found += [(name, example, schema) for example in schema.get("examples", ())]
    return found


@pytest.mark.parametrize(("name", "example", "schema"), examples(), ids=named)
def test_an_example_fits_its_schema(name: str, example: Any, schema: Schema) -> None:
    assert list(flaws(example, schema, ROOT)) == []


def test_no_reference_leads_nowhere() -> None:
    text = json.dumps(ROOT)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}

    assert names <= set(ROOT["components"]["schemas"])
    assert "HTTPValidationError" not in text


@pytest.fixture
async def filled(house: House) -> AsyncIterator[tuple[Things, httpx.AsyncClient]]:
    """A user of whom something of everything is stored, and an administrator of all tenants."""
    things = await fill(house, "bob")
    async with await House(house.app, 0).client("admin") as http:
        http.headers["X-Longterm-Tenant"] = str(house.tenant_id)
        yield things, http


@st.composite
def requests(draw: st.DrawFn, path: str, operation: Schema) -> Schema:
    """A request that fits the description, or has junk in some places."""
    told: Schema = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.get("parameters", ()):
        place, name = parameter["in"], parameter["name"]
        if place == "header" and name != "If-None-Match":
            continue
        if parameter.get("required") or draw(st.booleans()):
            value = draw(fitting(parameter["schema"], ROOT) | JUNK)
            told[place][name] = value if isinstance(value, str) else json.dumps(value)
    if "requestBody" in operation:
        schema = next(iter(operation["requestBody"]["content"].values()))["schema"]
        told["body"] = draw(fitting(schema, ROOT) | JUNK)
        if draw(st.booleans()):
            told["body"] = _spoilt(told["body"], draw)
    told["user"] = draw(st.sampled_from(["bob", "bob", "bob", "nobody", None]))
    told["known"] = draw(st.booleans())
    return told


def _spoilt(body: Any, draw: st.DrawFn) -> Any:
    """A body with junk in one place."""
    if not isinstance(body, dict):
        return body
    members = cast("Schema", body)
    return {**members, draw(st.sampled_from([*sorted(members), "other"])): draw(JUNK)}


def _of_user(body: Any, user_id: str | None) -> Any:
    """A body that names a user who is there."""
    if user_id is None or not isinstance(body, dict) or "user_id" not in body:
        return cast("Any", body)
    return {**cast("Schema", body), "user_id": user_id}


def sent(
    http: httpx.AsyncClient, method: str, path: str, told: Schema, things: Things
) -> httpx.Request:
    """The request as bytes, which are not always UTF-8."""
    url = things.url(path) if told["known"] else path
    for name, value in told["path"].items():
        url = url.replace("{" + name + "}", _quoted(value) or "x")
    query = dict(told["query"])
    if told["user"] is not None:
        query["user_id"] = told["user"]
    text = "&".join(f"{name}={_quoted(value)}" for name, value in query.items())
    headers = [
        (name.encode(), value.encode(errors="replace").replace(b"\n", b" ").replace(b"\0", b" "))
        for name, value in told["header"].items()
    ]
    if "body" not in told:
        return http.build_request(method, f"{url}?{text}", headers=headers)
    content = json.dumps(_of_user(told["body"], told["user"])).encode()
    headers.append((b"Content-Type", b"application/json"))
    return http.build_request(method, f"{url}?{text}", content=content, headers=headers)


def _quoted(value: str) -> str:
    text = quote(value.encode(errors="surrogatepass"), safe="")
    # A path of dots means another path, to whoever sends it.
    return text.replace(".", "%2E").replace("%2F", "-")


@pytest.mark.parametrize(("method", "path", "operation"), KEYED, ids=named)
@settings(
    # What schemathesis does not send: half character pairs, numbers beyond every type.
    max_examples=6,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_whatever_is_sent_is_answered_as_described(
    filled: tuple[Things, httpx.AsyncClient],
    data: st.DataObject,
    method: str,
    path: str,
    operation: Schema,
) -> None:
    things, http = filled
    told = data.draw(requests(path, operation))
    request = sent(http, method, path, told, things)

    answer = await http.send(request)

    documented = operation["responses"]
    assert answer.status_code < 500, answer.text
    assert str(answer.status_code) in documented, answer.text
    content = documented[str(answer.status_code)].get("content", {})
    kind = answer.headers.get("content-type")
    if not content:
        assert answer.content == b""
        return
    assert str(kind).partition(";")[0] in content
    if str(kind).startswith(("text/event-stream", "application/x-ndjson")):
        openai = path.startswith("/v1/")
        begins = "data: " if openai else ("event: ", '{"type": "longterm-export"')
        assert answer.text.startswith(begins)
        return
    assert list(flaws(answer.json(), content[kind].get("schema", {}), ROOT)) == []
