"""`longterm doctor`: models that do not answer, a journal, a clock, and who does the work."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from longterm import Longterm, Settings, doctor
from longterm.doctor import Check, examine, machine, models
from longterm.journal.journal import Journal
from longterm.postgres.pool import identity
from tests.journeys.programs import longterm
from tests.providers import shapes
from tests.providers.shapes import Says
from tests.store.pgbouncer import needs_pgbouncer, running
from tests.unit.test_doctor import found

KEY = SecretStr("sk-secret")
MODELS = json.dumps({"object": "list", "data": [{"id": "one"}, {"id": "two"}]})
EMBEDDING = json.dumps({
    "object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1},
    "data": [{"object": "embedding", "index": 0, "embedding": [0.6, 0.8]}],
})  # fmt: skip
NOT_FOUND = json.dumps({"error": {"message": 'model "nope" not found', "type": "not_found_error"}})
DENIED = json.dumps({"error": {"message": "Incorrect API key provided", "type": "invalid"}})


@asynccontextmanager
async def answering(status: int | None, body: str = "") -> AsyncGenerator[str]:
    """A server that gives every request the same answer; with no status, none at all."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if status is not None:
            head = f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\n"
            length = f"Content-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
            writer.write((head + length + body).encode())
            await writer.drain()
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def looked_at(settings: Settings, name: str) -> Check:
    checks = await models.examine(settings, patience_s=3)
    return next(check for check in checks if check.name == name)


def with_model(url: str) -> Settings:
    return Settings(llm="ollama:nope", llm_base_url=url, llm_api_key=KEY)


def with_embedder(url: str) -> Settings:
    return Settings(embedder="ollama:nope", embedder_base_url=url, embedder_api_key=KEY)


def with_upstream(url: str) -> Settings:
    return Settings(upstream_url=url, upstream_key=KEY)


BAD = [
    pytest.param(401, DENIED, id="401"),
    pytest.param(404, NOT_FOUND, id="404"),
    pytest.param(200, "<html>Hello</html>", id="garbage"),
    pytest.param(None, "", id="silence"),
    pytest.param(500, "", id="500"),
]


@pytest.mark.parametrize(("status", "body"), BAD)
@pytest.mark.parametrize(
    ("settings", "name", "variable"),
    [
        (with_model, "model", "LONGTERM_LLM"),
        (with_embedder, "embedder", "LONGTERM_EMBEDDER"),
        (with_upstream, "upstream", "LONGTERM_UPSTREAM_URL"),
    ],
)
async def test_what_does_not_answer_as_it_should_has_failed(
    settings: Callable[[str], Settings], name: str, variable: str, status: int | None, body: str
) -> None:
    async with answering(status, body) as url:
        check = await looked_at(settings(url), name)

    assert check.status == "failed"
    assert variable in str(check.mend)
    assert "sk-secret" not in str(check)
    assert "\n" not in check.found


async def test_nobody_listens() -> None:
    nowhere = "http://127.0.0.1:1/v1"

    for settings, name in (
        (with_model, "model"), (with_embedder, "embedder"), (with_upstream, "upstream"),
    ):  # fmt: skip
        assert (await looked_at(settings(nowhere), name)).status == "failed"


async def test_what_answers_is_well() -> None:
    async with answering(200, json.dumps(shapes.openai_answer(Says("yes")))) as url:
        assert (await looked_at(with_model(url), "model")).status == "ok"
    async with answering(200, EMBEDDING) as url:
        embedder = await looked_at(with_embedder(url), "embedder")
    async with answering(200, MODELS) as url:
        upstream = await looked_at(with_upstream(url), "upstream")

    assert (embedder.status, embedder.found) == ("ok", "ollama:nope, vectors of 2 numbers")
    assert (upstream.status, upstream.found) == ("ok", "it has 2 models")


async def test_a_key_that_clients_may_send_themselves_is_a_warning() -> None:
    async with answering(401, DENIED) as url:
        check = await looked_at(Settings(upstream_url=url), "upstream")

    assert check.status == "warning"
    assert "LONGTERM_UPSTREAM_KEY" in str(check.mend)


def test_the_command_fails_where_the_model_does(tmp_path: Path) -> None:
    given = ("--data-dir", str(tmp_path / "data"), "--port", "0")
    broken = {"LONGTERM_LLM": "ollama:nope", "OLLAMA_BASE_URL": "http://127.0.0.1:1/v1"}

    seen = longterm("doctor", *given, **broken)
    told = longterm("doctor", "--json", *given, **broken)

    assert (seen.returncode, told.returncode) == (1, 1)
    assert any(line.startswith("✗ model") and " → " in line for line in seen.stdout.splitlines())
    statuses = {check["name"]: check["status"] for check in json.loads(told.stdout)["checks"]}
    assert (statuses["model"], statuses["embedder"]) == ("failed", "ok")


async def test_messages_that_wait_and_a_journal_that_cannot_be_written(
    conninfo: str, tmp_path: Path
) -> None:
    settings = Settings(database_url=conninfo, journal_dir=tmp_path / "journal")
    (empty, room) = await asyncio.to_thread(machine.journal, settings, conninfo)
    kept = Journal(tmp_path / "journal" / identity(conninfo), max_bytes=10**6, max_records=10)
    await asyncio.to_thread(kept.append, {"stream": "ada", "payload": {"content": "Hello"}})

    (waiting, _) = await asyncio.to_thread(machine.journal, settings, conninfo)
    (tmp_path / "file").write_text("")
    blocked = Settings(database_url=conninfo, journal_dir=tmp_path / "file" / "journal")
    (refused,) = await asyncio.to_thread(machine.journal, blocked, conninfo)

    assert (empty.status, room.status) == ("ok", "ok")
    assert waiting.status == "warning"
    assert waiting.found.startswith("1 messages wait")
    assert refused.status == "failed"


@pytest.mark.parametrize(
    ("ahead_s", "status"),
    [(0.5, "ok"), (-1.5, "ok"), (30, "warning"), (-30, "warning"), (600, "failed")],
)
def test_clocks_that_differ(ahead_s: float, status: str) -> None:
    check = doctor.clock(replace(found(), clock_ahead_s=ahead_s))

    assert check.status == status


def test_who_may_come_in() -> None:
    loopback, public = Settings(), Settings(host="0.0.0.0")
    with_key, without = replace(found(), has_keys=True), replace(found(), has_keys=False)

    checks = [
        machine.keys(settings, each)
        for settings in (loopback, public)
        for each in (with_key, without)
    ]

    assert [check and check.status for check in checks] == ["ok", "ok", "ok", "failed"]


@pytest.fixture
def late(new_database: Callable[[str], str]) -> str:
    """A database with work that nobody does."""
    database = new_database("doctor_late")
    with Longterm(database) as lt:
        lt.tenant(1).add_message("ada", "user", "Hello")
    return database


async def test_work_that_nobody_does_is_a_warning(late: str) -> None:
    async with await psycopg.AsyncConnection.connect(late, autocommit=True) as conn:
        await conn.execute("UPDATE longterm.jobs SET due_at = now() - interval '2 hours'")

    checks = {check.name: check for check in await examine(Settings(database_url=late, port=0))}

    assert checks["workers"].status == "warning"
    assert "due for 72" in checks["workers"].found
    assert checks["clock"].status == checks["encoding"].status == "ok"
    assert checks["pooler"].found.startswith("none")


async def test_a_database_that_only_reads_has_failed(new_database: Callable[[str], str]) -> None:
    database = new_database("doctor_read_only")
    settings = Settings(
        database_url=make_conninfo(database, options="-c default_transaction_read_only=on"), port=0
    )

    checks = {check.name: check for check in await examine(settings)}

    assert checks["writable"].status == "failed"


async def test_another_encoding_has_failed(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS doctor_latin")
        conn.execute(
            "CREATE DATABASE doctor_latin TEMPLATE template0 ENCODING 'LATIN1'"
            " LOCALE_PROVIDER libc LOCALE 'C'"
        )

    url = make_conninfo(server, dbname="doctor_latin")
    checks = {check.name: check for check in await examine(Settings(database_url=url, port=0))}

    assert checks["encoding"].status == "failed"
    assert "ENCODING 'UTF8'" in str(checks["encoding"].mend)


@needs_pgbouncer
async def test_a_pooler_is_seen(conninfo: str) -> None:
    with running(conninfo) as pooled:
        checks = {
            check.name: check for check in await examine(Settings(database_url=pooled, port=0))
        }

    assert checks["pooler"].found.startswith("a pooler")
    assert {check.status for check in checks.values()} <= {"ok", "warning"}
