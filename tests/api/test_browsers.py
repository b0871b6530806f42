"""What browsers send, and what they are told: origins, CORS, ETags, HEAD and OPTIONS."""

import httpx
import pytest

from tests.api.checks import a_conversation, good, problem
from tests.api.test_limits import running

TEMPLATES = "/api/templates"
ADA = {"user_id": "ada"}


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost:3000",
        "http://127.0.0.1:9999",
        "http://127.0.0.1",
        "null",
        "",
        "file://",
        "http://127.0.0.1:8765.evil.example",
        "http://[",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
async def test_a_page_of_another_site_gets_no_answer(
    client: httpx.AsyncClient, origin: str, method: str
) -> None:
    for path in (TEMPLATES, "/healthz", "/"):
        answer = await client.request(method, path, headers={"Origin": origin})
        problem(answer, 403)
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8765", "HTTP://127.0.0.1:8765"])
async def test_our_own_page_is_answered(client: httpx.AsyncClient, origin: str) -> None:
    good(await client.get(TEMPLATES, headers={"Origin": origin}))


async def test_the_usual_port_may_be_left_out(client: httpx.AsyncClient) -> None:
    headers = {"Host": "localhost", "Origin": "http://localhost:80"}

    good(await client.get(TEMPLATES, headers=headers))


async def test_what_another_site_embeds_is_refused_and_a_link_is_followed(
    client: httpx.AsyncClient,
) -> None:
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}

    for path in (TEMPLATES, "/", "/metrics"):
        problem(await client.get(path, headers=embedded), 403)
    problem(await client.get(TEMPLATES, headers=followed), 403)
    problem(await client.post("/", headers=followed), 403)
    assert (await client.get("/", headers=followed)).status_code == 200
    for site in ("same-origin", "none"):
        good(await client.get(TEMPLATES, headers={"Sec-Fetch-Site": site}))


async def test_an_origin_that_is_allowed_may_call(app_conninfo: str) -> None:
    friend = {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}
    asks = {
        **friend,
        "Access-Control-Request-Method": "PUT",
        # The last two are among those that the openai package sends from a browser.
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key,"
        "x-stainless-lang,x-stainless-retry-count",
    }
    async with running(app_conninfo, cors_origins=("https://app.example",)) as http:
        preflight = await http.options(TEMPLATES, headers=asks)
        answer = await http.get(TEMPLATES, headers=friend)
        refused = await http.get("/api/nothing", headers=friend)
        stranger = await http.options(TEMPLATES, headers={**asks, "Origin": "https://evil.example"})

    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://app.example"
    assert "PUT" in preflight.headers["access-control-allow-methods"]
    for each in (answer, refused):
        assert each.headers["access-control-allow-origin"] == "https://app.example"
        assert "access-control-allow-credentials" not in each.headers
    problem(refused, 404)
    problem(stranger, 403)


async def test_a_further_name_is_answered_to(app_conninfo: str) -> None:
    async with running(app_conninfo, allowed_hosts=("memory.example",)) as http:
        good(await http.get(TEMPLATES, headers={"Host": "memory.example"}))
        problem(await http.get(TEMPLATES, headers={"Host": "evil.example"}), 421)


async def test_who_has_the_answer_is_told_that_it_still_holds(http: httpx.AsyncClient) -> None:
    id_ = await a_conversation(http, "Hello")
    good(await http.put(f"{TEMPLATES}/a", json={"body": "a"}))
    for path in (
        "/api/conversations",
        f"/api/conversations/{id_}",
        f"/api/conversations/{id_}/messages",
        "/api/memories/document",
        TEMPLATES,
        f"{TEMPLATES}/a",
        "/api/tools/manage_user_memory",
    ):
        first = await http.get(path, params=ADA)
        tag = first.headers["etag"]
        for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            again = await http.get(path, params=ADA, headers={"If-None-Match": known})
            assert (again.status_code, again.content) == (304, b""), path
            assert again.headers["etag"] == tag
        other = await http.get(path, params=ADA, headers={"If-None-Match": '"x"'})
        assert other.content == first.content
        assert first.headers["cache-control"] == "private, no-cache"


async def test_a_change_changes_the_etag(http: httpx.AsyncClient) -> None:
    before = (await http.get("/api/memories/document", params=ADA)).headers["etag"]
    good(await http.post("/api/memories", json={**ADA, "content": "new"}), 201)

    after = await http.get("/api/memories/document", params=ADA, headers={"If-None-Match": before})

    assert after.status_code == 200
    assert after.headers["etag"] != before


async def test_what_is_not_there_and_what_was_found_have_no_etag(http: httpx.AsyncClient) -> None:
    absent = await http.get(f"{TEMPLATES}/absent", headers={"If-None-Match": "*"})
    listed = await http.get("/api/memories", params=ADA)

    problem(absent, 404)
    assert "etag" not in absent.headers
    assert "etag" not in listed.headers
    assert listed.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/healthz", "/", TEMPLATES, "/api/memories/document?user_id=ada"])
async def test_head_is_get_without_the_body(http: httpx.AsyncClient, path: str) -> None:
    head, get = await http.head(path), await http.get(path)

    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    assert head.headers.get("etag") == get.headers.get("etag")
    if path != "/":
        assert head.headers["content-length"] == str(len(get.content))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/healthz", "GET, HEAD, OPTIONS"),
        ("/api/conversations", "GET, HEAD, OPTIONS, POST"),
        ("/api/conversations/7", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("/api/recall", "OPTIONS, POST"),
        ("/api/users/ada/memory/key", "DELETE, GET, HEAD, OPTIONS, PUT"),
    ],
)
async def test_a_path_tells_all_its_methods(
    http: httpx.AsyncClient, path: str, allowed: str
) -> None:
    options = await http.options(path)
    wrong = await http.patch(path, json={})

    assert (options.status_code, options.headers["allow"]) == (204, allowed)
    problem(wrong, 405)
    assert wrong.headers["allow"] == allowed
    problem(await http.options("/api/nothing"), 404)
