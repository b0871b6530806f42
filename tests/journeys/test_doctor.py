"""`longterm doctor`: each thing that can be wrong, for real."""

import asyncio
import json
import re
import shutil
import socket
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from longterm import Settings, SetupError
from longterm.doctor import Check, examine, port
from longterm.runtime import Runtime
from longterm.store import binaries
from longterm.store.embedded import EmbeddedPostgres
from longterm.store.migrate import migrate
from tests.journeys.programs import longterm, longterm_here
from tests.store.embedded_processes import at_work, only_linux, open_to_all, watched

pytestmark = only_linux

CODES = re.compile(r"`([A-Z][^`]+)`")


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield from watched(tmp_path / "data")


@pytest.fixture
def public_dir() -> Iterator[Path]:
    yield from open_to_all()


@pytest.fixture
def weak(server: str) -> str:
    """A new user of the database who may log in, and nothing else."""
    name = f"weak_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    return name


async def wrong(settings: Settings) -> dict[str, Check]:
    """What the doctor finds wrong, by name."""
    return {check.name: check for check in await examine(settings) if not check.ok}


def external(conninfo: str, *, connect_timeout_s: float = 60) -> Settings:
    return Settings(database_url=conninfo, port=0, connect_timeout_s=connect_timeout_s)


def embedded(folder: Path, programs: Path | None = None) -> Settings:
    return Settings(database_url=None, data_dir=folder, postgres_bin=programs, port=0)


async def obey(check: Check, conninfo: str) -> None:
    """Do as an administrator what the doctor says, to the letter."""
    assert check.mend is not None
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as conn:
        for command in CODES.findall(check.mend):
            await conn.execute(command.encode())


def test_where_nothing_is_yet_nothing_is_made(data_dir: Path) -> None:
    seen = longterm_here("doctor", "--data-dir", data_dir, "--port", "0")

    assert seen.returncode == 0, seen.stdout
    assert "make run" in seen.stdout
    assert seen.stdout.endswith("All is well.\n")
    assert not data_dir.exists()


def test_an_embedded_database_is_started_for_the_check_and_stopped_again(used_dir: Path) -> None:
    seen = longterm("doctor", "--data-dir", used_dir, "--port", "0", "--json")

    told = json.loads(seen.stdout)
    assert (seen.returncode, told["ok"]) == (0, True), told
    names = [check["name"] for check in told["checks"]]
    assert names == [
        *("programs", "data folder", "disk", "server"),
        *("version", "encoding", "pgvector", "rights", "schema", "pooler", "clock", "jobs"),
        *("workers", "keys", "journal", "model", "embedder", "port"),
    ]
    assert "started for this check" in str(told["checks"][3])
    assert at_work(used_dir) == []


def test_what_is_wrong_comes_with_how_to_mend_it_and_status_1(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    seen = longterm_here("doctor", "--data-dir", tmp_path / "file" / "data", "--port", "0")

    assert seen.returncode == 1
    assert "✗ data folder" in seen.stdout
    assert "→ give it to this user" in seen.stdout
    assert "1 of these must be mended" in seen.stdout


async def test_no_programs(data_dir: Path, tmp_path: Path) -> None:
    found = await wrong(embedded(data_dir, tmp_path / "nothing"))

    assert list(found) == ["programs"]
    assert "bin/postgres" in found["programs"].found


@pytest.fixture
def spoilt_dir(used_dir: Path) -> Path:
    """A data folder whose database does not start."""
    (used_dir / "postgres-18" / "PG_VERSION").write_text("9\n")
    return used_dir


async def test_a_server_that_does_not_start(spoilt_dir: Path) -> None:
    found = await wrong(embedded(spoilt_dir))

    assert list(found) == ["server"]
    assert "postgres.log" in str(found["server"].mend)


@pytest.fixture
def plain_postgres(public_dir: Path) -> Settings:
    """An embedded database without pgvector."""
    programs = copy_without_pgvector(public_dir / "lib")
    with EmbeddedPostgres(public_dir / "data", binaries=programs):
        pass
    return embedded(public_dir / "data", programs)


async def test_an_embedded_server_without_pgvector(plain_postgres: Settings) -> None:
    found = await wrong(plain_postgres)

    assert list(found) == ["pgvector"]
    assert "postgresql-18-pgvector" in str(found["pgvector"].mend)
    with pytest.raises(SetupError, match="no pgvector"):
        await Runtime(plain_postgres).open()


def copy_without_pgvector(folder: Path) -> Path:
    """Copy the programs of PostgreSQL, all but this extension."""
    real = binaries.find().folder
    package = real.parent
    unwanted = shutil.ignore_patterns("vector*", "include", "*.a")
    copy = folder / package.name / real.name
    shutil.copytree(real, copy, ignore=unwanted)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    return copy


async def test_what_the_doctor_says_lets_a_weak_user_set_a_database_up(
    empty_database: Callable[[str], str], weak: str
) -> None:
    await migrate(empty_database("doctor_first"))

    await check_set_up(empty_database("doctor_weak"), weak)


@pytest.fixture
def fresh_server(data_dir: Path) -> Iterator[str]:
    """A server that no Longterm has used: it lacks even our roles."""
    with EmbeddedPostgres(data_dir) as postgres:
        conninfo = postgres.start()
        with psycopg.connect(conninfo, autocommit=True) as conn:
            conn.execute("CREATE ROLE weak LOGIN")
        yield conninfo


async def test_what_the_doctor_says_lets_a_weak_user_set_the_first_database_up(
    fresh_server: str,
) -> None:
    await check_set_up(fresh_server, "weak")


async def check_set_up(database: str, weak: str) -> None:
    """Let a weak user set up an empty database, with the help of the doctor."""
    as_weak = make_conninfo(database, user=weak)
    before = await wrong(external(as_weak))
    assert set(before) == {"pgvector", "rights"}

    for check in before.values():
        await obey(check, database)

    assert await wrong(external(as_weak)) == {}
    assert await migrate(as_weak)
    assert await wrong(external(as_weak)) == {}


async def test_what_the_doctor_says_lets_a_weak_user_use_what_an_administrator_set_up(
    new_database: Callable[[str], str], weak: str
) -> None:
    database = new_database("doctor_granted")
    as_weak = make_conninfo(database, user=weak)
    before = await wrong(external(as_weak))
    assert set(before) == {"rights"}

    await obey(before["rights"], database)

    assert await wrong(external(as_weak)) == {}
    async with Runtime(external(as_weak)) as runtime, runtime.parts.database.system() as conn:
        assert await conn.value("SELECT current_user::text") == "longterm_system"


async def test_migrations_and_dead_jobs(new_database: Callable[[str], str]) -> None:
    database = new_database("doctor_jobs")
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as conn:
        await conn.execute(
            "INSERT INTO longterm.jobs (tenant_id, task, key, state) VALUES (1, 'digest', '', 'dead')"
        )
        await conn.execute("DELETE FROM longterm.migrations WHERE version = 1")
        behind = await wrong(external(database))
        await conn.execute(
            "INSERT INTO longterm.migrations (version, name, checksum) VALUES (9999, 'newer', '')"
        )
        ahead = await wrong(external(database))

    assert set(behind) == {"schema", "jobs"}
    assert "0001 foundation" in behind["schema"].found
    assert "longterm migrate" in str(behind["schema"].mend)
    assert "longterm jobs retry" in str(behind["jobs"].mend)
    assert "newer Longterm" in ahead["schema"].found


@asynccontextmanager
async def refusing(code: str, message: str) -> AsyncGenerator[str]:
    """A PostgreSQL that lets nobody in: answers every greeting with an error."""
    fields = f"SFATAL\0VFATAL\0C{code}\0M{message}\0\0".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length, kind = await reader.readexactly(4), await reader.readexactly(4)
        await reader.readexactly(int.from_bytes(length) - 8)
        asks_for_encryption = int.from_bytes(kind) in (80877103, 80877104)
        writer.write(b"N" if asks_for_encryption else b"E" + (len(fields) + 4).to_bytes(4) + fields)
        await writer.drain()
        if asks_for_encryption:
            await answer(reader, writer)
        else:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        number = listening.sockets[0].getsockname()[1]
        yield f"postgresql://me:secret@127.0.0.1:{number}/memory"


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [
        ("28P01", 'password authentication failed for user "me"', "the password is wrong"),
        ("28000", 'no pg_hba.conf entry for host "10.0.0.1", user "me"', "it admits nobody"),
        ("53300", "sorry, too many clients already", "it has no connection left"),
        ("57P03", "the database system is starting up", "no connection"),
    ],
)
async def test_a_database_that_lets_us_not_in(code: str, message: str, told: str) -> None:
    async with refusing(code, message) as url:
        found = await wrong(external(url))

    assert list(found) == ["connection"]
    assert found["connection"].found.startswith(told)
    assert message in found["connection"].found
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"user": "nobody_known"}, "it does not know this user"),
        ({"dbname": "no_such_thing"}, "it has no database of this name"),
    ],
)
async def test_a_name_that_the_database_does_not_know(
    server: str, change: dict[str, str], told: str
) -> None:
    found = await wrong(external(make_conninfo(server, **change)))

    assert list(found) == ["connection"]
    assert (
        f"correct the {told}" in str(found["connection"].mend) or told in found["connection"].found
    )


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("this is no address", "DATABASE_URL cannot be read"),
        ("postgresql://me:secret@x..y/memory", "DATABASE_URL cannot be read"),
        ("postgresql://me:secret@127.0.0.1:1/memory", "nobody listens there"),
        ("host=/no/such/folder user=me password=secret", "nobody listens there"),
    ],
)
async def test_a_database_that_is_not_there(url: str, told: str) -> None:
    found = await wrong(external(url))

    assert list(found) == ["connection"]
    assert found["connection"].found.startswith(told)
    assert "secret" not in str(found)


async def test_a_database_that_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        number = silent.getsockname()[1]

        url = f"postgresql://me:secret@127.0.0.1:{number}/memory"
        found = await wrong(external(url, connect_timeout_s=2))

    assert found["connection"].found.startswith("its host does not answer in time")


def test_a_port_that_another_program_has() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0)
        check = port("127.0.0.1", other.getsockname()[1])

    assert not check.ok
    assert "--port" in str(check.mend)
