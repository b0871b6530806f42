"""A server or worker starts while its database is away, and waits for it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from longterm import Settings
from longterm.api.app import create_app
from longterm.errors import DatabaseGoneError, SetupError
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.outside import no_database

HANG_S = 120


@asynccontextmanager
async def serving(settings: Settings) -> AsyncGenerator[tuple[httpx.AsyncClient, Runtime]]:
    runtime = Runtime(settings, wait_for_database=True)
    app = create_app(runtime)
    transport = httpx.ASGITransport(app)
    http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
    async with app.router.lifespan_context(app), http, asyncio.timeout(HANG_S):
        yield http, runtime


async def until_whole(http: httpx.AsyncClient) -> None:
    while (await http.get("/readyz")).json()["degraded"]:
        await asyncio.sleep(0.05)


async def test_a_server_that_never_met_its_database_waits_for_it_and_sets_it_up(
    empty_database: Callable[[str], str], server: str, tmp_path: Path
) -> None:
    database = empty_database("late_empty")
    settings = Settings(database_url=database, journal_dir=tmp_path)
    body = {"user_id": "ada", "message": "Hello"}

    async with no_database(server, database):
        away = serving(settings)
        http, runtime = await away.__aenter__()
        alive = await http.get("/healthz")
        ready = await http.get("/readyz")
        refused = await http.post("/api/chat", json=body)
    await until_whole(http)
    answered = await http.post("/api/chat", json=body)
    migrated = runtime.migrated
    await away.__aexit__(None, None, None)

    assert alive.status_code == 200
    # Whether a key is needed is not known.
    assert (ready.status_code, ready.json()["ready"]) == (503, False)
    assert "No key can be checked" in ready.json()["detail"]
    assert refused.status_code == 503
    assert answered.status_code == 200
    assert migrated


@pytest.mark.parametrize("with_key", [False, True])
async def test_a_server_that_knows_its_callers_answers_them_from_the_start(
    new_database: Callable[[str], str], server: str, tmp_path: Path, with_key: bool
) -> None:
    database = new_database("late_known")
    settings = Settings(database_url=database, journal_dir=tmp_path)
    body = {"user_id": "ada", "message": "Hello"}
    headers: dict[str, str] = {}
    async with serving(settings) as (http, runtime):
        if with_key:
            key = await runtime.tenant(Scope(1)).create_key("test")
            headers = {"Authorization": f"Bearer {key.secret}"}
        first = await http.post("/api/chat", json=body, headers=headers)
    place = {**body, "message": "During", "conversation_id": first.json()["conversation_id"]}

    async with no_database(server, database):
        away = serving(settings)
        http, runtime = await away.__aenter__()
        ready = await http.get("/readyz")
        during = await http.post("/api/chat", json=place, headers=headers)
        stranger = await http.post(
            "/api/chat", json=place, headers={"Authorization": "Bearer lt_x"}
        )
    await until_whole(http)
    history = await runtime.tenant(Scope(1)).get_recent_messages("ada")
    await away.__aexit__(None, None, None)

    assert (ready.status_code, ready.json()["degraded"]) == (200, True)
    assert ready.json()["problems"] == ["The database does not answer."]
    assert (during.status_code, during.json()["degraded"]) == (200, True)
    assert stranger.status_code == 503
    assert [each.content for each in history if each.role == "user"] == ["Hello", "During"]


async def test_a_worker_waits_for_its_database(
    new_database: Callable[[str], str], server: str, tmp_path: Path
) -> None:
    database = new_database("late_worker")
    settings = Settings(database_url=database, journal_dir=tmp_path)
    async with Runtime(settings) as before:
        await before.tenant(Scope(1)).add_message("ada", "user", "My name is Ada")

    async with asyncio.timeout(HANG_S):
        async with no_database(server, database):
            runtime = Runtime(settings, wait_for_database=True)
            await runtime.open()
            worker = runtime.lasting_worker()
            working = asyncio.create_task(runtime.run(asyncio.create_task(worker.run())))
            await asyncio.sleep(0.1)
            assert worker.is_at_work
        while not await knows_a_fact(runtime):
            await asyncio.sleep(0.05)
        worker.stop()
        await working
        await runtime.close()


async def knows_a_fact(runtime: Runtime) -> bool:
    try:
        return bool(await runtime.tenant(Scope(1)).get_active_facts("ada"))
    except DatabaseGoneError:
        return False


async def test_a_database_that_comes_and_cannot_be_used_ends_the_start(
    new_database: Callable[[str], str], server: str, tmp_path: Path
) -> None:
    database = new_database("late_refused")
    async with await psycopg.AsyncConnection.connect(database) as conn:
        await conn.execute("UPDATE longterm.migrations SET version = 9999 WHERE version = 1")
    settings = Settings(database_url=database, journal_dir=tmp_path)

    async with asyncio.timeout(HANG_S):
        async with no_database(server, database):
            runtime = Runtime(settings, wait_for_database=True)
            await runtime.open()
        waiting = asyncio.create_task(asyncio.sleep(HANG_S))
        with pytest.raises(SetupError, match="newer Longterm"):
            await runtime.run(waiting)
        waiting.cancel()
        await runtime.close()


async def test_the_library_does_not_wait(
    new_database: Callable[[str], str], server: str, tmp_path: Path
) -> None:
    database = new_database("late_library")
    async with no_database(server, database):
        with pytest.raises(DatabaseGoneError):
            await Runtime(Settings(database_url=database, journal_dir=tmp_path)).open()
