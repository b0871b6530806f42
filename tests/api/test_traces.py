"""b9: one trace id through a request, its log, its jobs, and the calls to models."""

import io
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from longterm import AsyncTenant, Settings
from longterm.api.app import create_app
from longterm.errors import ModelGoneError
from longterm.observe import trace
from longterm.observe.trace import Trace
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.api.conftest import a_client
from tests.outside import Raw, no_database
from tests.providers import vendor_server
from tests.providers.vendor_server import VendorServer

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
GIVEN = {"traceparent": f"00-{TRACE_ID}-00f067aa0ba902b7-01"}


@pytest.fixture
async def vendor() -> AsyncIterator[VendorServer]:
    async with vendor_server.running() as server:
        yield server


@pytest.fixture
async def with_vendor(
    vendor: VendorServer, new_database: Callable[[str], str]
) -> AsyncIterator[FastAPI]:
    """The application with a model and an embedder that are reached by HTTP."""
    settings = Settings(
        database_url=new_database("traces"),
        worker=False,
        llm="openai-compatible:some",
        llm_base_url=f"{vendor.url}/v1",
        embedder="openai-compatible:other",
        embedder_base_url=f"{vendor.url}/v1",
    )
    made = create_app(Runtime(settings))
    async with made.router.lifespan_context(made):
        yield made


def trace_ids(vendor: VendorServer) -> dict[str, set[str | None]]:
    """The traces that the vendor was told, by path."""
    found: dict[str, set[str | None]] = {}
    for request in vendor.requests:
        told = trace.read(request.headers.get("traceparent"))
        found.setdefault(request.path, set()).add(told and told.trace_id)
    return found


def events(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


async def test_a_trace_goes_from_the_request_through_its_jobs_to_the_models(
    with_vendor: FastAPI, vendor: VendorServer
) -> None:
    """b9"""
    async with a_client(with_vendor) as http:
        body = {"message": "My name is Ada.", "user_id": "ada"}
        answer = await http.post("/api/chat", json=body, headers=GIVEN)
    asked = trace_ids(vendor)
    vendor.requests.clear()

    await with_vendor.state.process.runtime.worker().drain()

    learned = trace_ids(vendor)
    assert answer.status_code == 200
    assert asked == {"/v1/chat/completions": {TRACE_ID}, "/v1/embeddings": {TRACE_ID}}
    assert learned == asked


async def test_a_request_without_a_trace_begins_one(
    with_vendor: FastAPI, vendor: VendorServer
) -> None:
    """b9"""
    async with a_client(with_vendor) as http:
        for header in ({}, {"traceparent": "nonsense"}):
            body = {"message": "Hello.", "user_id": "bob"}
            await http.post("/api/chat", json=body, headers=header)

    told = trace_ids(vendor)["/v1/chat/completions"]
    assert len(told) == 2
    assert None not in told


async def test_the_library_makes_no_trace_up(
    runtime: Runtime, mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b9"""
    await mem.add_message("ada", "user", "Hello.")

    cursor = await raw.execute("SELECT traceparent FROM jobs WHERE tenant_id = %s", [tenant_id])
    assert await cursor.fetchall() == [(None,)]


async def test_of_those_who_ask_for_one_job_the_last_trace_is_kept(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b9"""
    first, last = trace.new(), trace.new()
    for one in (first, last):
        with trace.within(one):
            await mem.add_message("ada", "user", "Hello.")
    await mem.add_message("ada", "user", "Nobody's.")

    cursor = await raw.execute("SELECT traceparent FROM jobs WHERE tenant_id = %s", [tenant_id])
    assert await cursor.fetchall() == [(str(last),)]


async def test_every_line_of_a_request_and_of_its_job_tells_whose_it_is(
    new_database: Callable[[str], str], lines: io.StringIO
) -> None:
    """b9: tenant, user, conversation, operation and error."""
    model = ScriptedModel(lambda _: ModelGoneError("The model is away."))
    runtime = Runtime(Settings(database_url=new_database("lines"), worker=False), llm=model)
    app = create_app(runtime)
    async with app.router.lifespan_context(app), a_client(app) as http:
        place = await runtime.tenant(Scope(1)).create_conversation("ada")
        body = {"message": "Hello.", "user_id": "ada", "conversation_id": place.id}
        await http.post("/api/chat", json=body, headers={**GIVEN, "X-Request-Id": "mine"})
        await runtime.worker().drain()

    whose = {"tenant": 1, "user": "ada", "trace_id": TRACE_ID}
    answered = next(event for event in events(lines) if event["event"] == "not answered")
    assert whose.items() <= answered.items()
    assert answered["request_id"] == "mine"
    assert (answered["operation"], answered["conversation"]) == ("answer", place.id)
    assert "away" in answered["error"]
    failed = [event for event in events(lines) if event["level"] == "error"]
    of_job = [event for event in failed if event.get("task") == "learn"]
    assert {event["operation"] for event in of_job} == {"learn"}
    assert all(whose.items() <= event.items() for event in of_job)
    assert all(event["error"] for event in of_job)
    assert any(event["conversation"] == place.id for event in of_job if "conversation" in event)


async def test_the_lines_of_a_request_whose_database_is_away_tell_whose_it_is(
    client: httpx.AsyncClient, server: str, app_conninfo: str, lines: io.StringIO
) -> None:
    """b9"""
    await client.get("/api/conversations", params={"user_id": "ada"})
    async with no_database(server, app_conninfo):
        asked = {"user_id": "ada"}
        answer = await client.get("/api/conversations", params=asked, headers=GIVEN)

    assert answer.status_code == 503
    failed = next(event for event in events(lines) if event["event"] == "operation failed")
    expected = {
        "tenant": 1, "user": "ada", "operation": "list_conversations", "trace_id": TRACE_ID,
    }  # fmt: skip
    assert expected.items() <= failed.items()
    assert failed["error"]


async def test_a_job_that_no_trace_asked_for_begins_one(
    runtime: Runtime, mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b9: what it asks for in turn belongs to the same."""
    await mem.add_message("ada", "user", "Hello.")
    with runtime.parts.tracer.begin("digest", None, kind="consumer"):
        under_way = trace.current()
        await mem.index((await mem.current_conversation("ada")).id)

    cursor = await raw.execute(
        "SELECT traceparent FROM jobs WHERE tenant_id = %s AND task = 'learn'", [tenant_id]
    )
    assert isinstance(under_way, Trace)
    assert await cursor.fetchall() == [(str(under_way),)]


async def test_a_browser_of_an_allowed_site_may_send_its_trace(
    new_database: Callable[[str], str],
) -> None:
    settings = Settings(
        database_url=new_database("cors"), worker=False, cors_origins=("https://a.example",)
    )
    app = create_app(Runtime(settings))
    asked = {
        "Origin": "https://a.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "traceparent",
    }
    async with a_client(app) as http:
        answer: httpx.Response = await http.options("/api/chat", headers=asked)

    assert answer.status_code == 200
