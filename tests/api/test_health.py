"""/healthz, /readyz and /metrics."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import psycopg
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from longterm import Settings, __version__
from longterm.api.app import create_app
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.outside import no_database

DEAD_JOB = """
    INSERT INTO longterm.jobs (tenant_id, task, key, state, last_error)
    VALUES (7, 'digest', 'lost', 'dead', 'ConflictError: no')
"""


def numbers(text: str) -> dict[str, float]:
    """Every number that Prometheus would read, by name and labels."""
    return {
        f"{sample.name}{list(sample.labels.values()) or ''}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_healthz_tells_that_the_process_is_up(client: httpx.AsyncClient) -> None:
    answer = await client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "service": "longterm", "version": __version__}


async def test_readyz_tells_about_all_that_the_work_depends_on(client: httpx.AsyncClient) -> None:
    answer = await client.get("/readyz")

    found = answer.json()
    assert answer.status_code == 200
    assert found["ready"] is True
    assert found["database"]["kind"] == "external"
    assert found["database"]["answers"] is True
    assert found["database"]["version"].startswith("18.")
    assert found["worker"] == "off"
    assert set(found["queue"]) == {"queued", "running", "dead", "lag_s"}
    assert found["migrations"]["applied"] == found["migrations"]["known"]
    assert found["problems"] == []
    (journal,) = found["disks"]
    assert journal["folder"] == "journal"
    assert journal["free_bytes"] > 0
    assert 0 < journal["free_share"] <= 1


async def test_without_its_database_a_server_still_serves_and_says_why_it_is_degraded(
    client: httpx.AsyncClient, server: str, app_conninfo: str
) -> None:
    before = await client.get("/metrics")
    assert "longterm_jobs['queued']" in numbers(before.text)

    async with no_database(server, app_conninfo):
        # Who is the first to ask finds out; who asks at the same time waits for a connection.
        ready = await client.get("/readyz")
        up, metrics, page = [await client.get(path) for path in ("/healthz", "/metrics", "/status")]

    assert up.status_code == 200
    assert ready.status_code == 200
    assert ready.json()["problems"] == ["The database does not answer."]
    assert (ready.json()["ready"], ready.json()["degraded"]) == (True, True)
    assert ready.json()["database"]["answers"] is False
    assert metrics.status_code == 200
    assert "longterm_jobs['queued']" not in numbers(metrics.text)
    assert page.status_code == 200
    assert "Degraded" in page.text
    assert "does not answer" in page.text


async def test_a_server_without_database_and_journal_cannot_serve(
    new_database: Callable[[str], str], server: str, tmp_path: Path
) -> None:
    database, journal = new_database("api_no_journal"), tmp_path / "journal"
    settings = Settings(database_url=database, journal_dir=journal, journal_max_records=1)
    app = create_app(Runtime(settings))
    transport = httpx.ASGITransport(app)
    http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
    async with app.router.lifespan_context(app), http:
        async with no_database(server, database), asyncio.timeout(60):
            await http.post("/api/chat", json={"user_id": "ada", "message": "Hello"})
            while (found := await http.get("/readyz")).status_code == 200:
                await asyncio.sleep(0.02)
            page = await http.get("/status")

        async with asyncio.timeout(60):
            while (await http.get("/readyz")).json()["degraded"]:
                await asyncio.sleep(0.05)

    assert found.status_code == 503
    assert found.headers["content-type"] == "application/problem+json"
    assert found.headers["retry-after"] == "1"
    assert "Messages cannot be kept on disk." in found.json()["detail"]
    assert (found.json()["status"], found.json()["ready"]) == (503, False)
    assert "Not ready" in page.text


async def test_a_server_is_whole_again_when_its_database_comes_back(
    client: httpx.AsyncClient, server: str, app_conninfo: str
) -> None:
    async with no_database(server, app_conninfo):
        assert (await client.get("/readyz")).json()["degraded"]

    async with asyncio.timeout(60):
        while (await client.get("/readyz")).json()["degraded"]:
            await asyncio.sleep(0.05)


async def test_missing_migrations_are_told(client: httpx.AsyncClient, app_conninfo: str) -> None:
    async with await psycopg.AsyncConnection.connect(app_conninfo, autocommit=True) as conn:
        await conn.execute("UPDATE longterm.migrations SET version = -version")

        answer = await client.get("/readyz")

        await conn.execute("UPDATE longterm.migrations SET version = -version")
    assert answer.status_code == 503
    assert "longterm migrate" in answer.json()["detail"]


async def test_dead_jobs_are_counted_and_do_not_stop_the_service(
    client: httpx.AsyncClient, app_conninfo: str
) -> None:
    async with await psycopg.AsyncConnection.connect(app_conninfo, autocommit=True) as conn:
        await conn.execute(DEAD_JOB)

        ready = await client.get("/readyz")
        metrics = await client.get("/metrics")
        page = await client.get("/status")

        await conn.execute("DELETE FROM longterm.jobs WHERE tenant_id = 7")
    assert ready.status_code == 200
    assert ready.json()["queue"]["dead"] == 1
    assert numbers(metrics.text)["longterm_jobs['dead']"] == 1
    assert "longterm jobs retry" in page.text


async def test_metrics_count_what_was_done(app: FastAPI, client: httpx.AsyncClient) -> None:
    runtime: Runtime = app.state.process.runtime
    before = numbers((await client.get("/metrics")).text)

    await runtime.tenant(Scope(1)).add_message("ada", "user", "My name is Ada")

    answer = await client.get("/metrics")
    after = numbers(answer.text)
    name = "longterm_messages_stored_total"
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert after[name] == before[name] + 1
    assert after["longterm_jobs['queued']"] >= 1
    assert after["longterm_jobs_lag_seconds"] >= 0
    assert "Ada" not in answer.text


async def test_the_worker_of_a_server_does_what_is_queued(
    new_database: Callable[[str], str],
) -> None:
    app = create_app(Runtime(Settings(database_url=new_database("api_worker"))))
    transport = httpx.ASGITransport(app)
    http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
    async with app.router.lifespan_context(app), http:
        await app.state.process.runtime.tenant(Scope(1)).add_message("ada", "user", "Hello")

        async with asyncio.timeout(60):
            while (found := (await http.get("/readyz")).json())["queue"]["queued"] > 1:
                await asyncio.sleep(0.02)

        # The one that is left is the next cleanup.
        assert (found["worker"], found["queue"]["queued"]) == ("running", 1)


async def test_a_worker_that_ended_makes_a_server_degraded_until_it_is_started_again(
    new_database: Callable[[str], str],
) -> None:
    database = new_database("api_worker_ended")
    app = create_app(Runtime(Settings(database_url=database)))
    transport = httpx.ASGITransport(app)
    http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
    async with app.router.lifespan_context(app), http:
        async with asyncio.timeout(60):
            # Who looks too late finds it started again; the next pause is twice as long.
            while (ended := await http.get("/readyz")).json()["worker"] != "ended":
                await _end_worker(app, database)

        assert ended.status_code == 200
        assert ended.json()["degraded"] is True
        assert "worker ended" in ended.json()["problems"][0]
        await app.state.process.runtime.tenant(Scope(1)).add_message("ada", "user", "Hello")
        async with asyncio.timeout(60):
            while (found := (await http.get("/readyz")).json())["degraded"]:
                await asyncio.sleep(0.02)
            while (await http.get("/readyz")).json()["queue"]["queued"] > 1:
                await asyncio.sleep(0.02)
        assert found["worker"] == "running"


async def _end_worker(app: FastAPI, database: str) -> None:
    """Take its table away until the worker notices."""
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as conn:
        await conn.execute("ALTER TABLE longterm.jobs RENAME TO elsewhere")
        app.state.process.runtime.wake.set()
        while app.state.process.worker_state == "running":
            await asyncio.sleep(0.02)
        await conn.execute("ALTER TABLE longterm.elsewhere RENAME TO jobs")
