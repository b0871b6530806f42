"""One embedded PostgreSQL for the whole run, a database per test process, a tenant per test."""

import asyncio
import gc
import io
import itertools
import logging
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from blockbuster import BlockBuster
from hypothesis import settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from longterm import AsyncTenant, Longterm, Settings
from longterm.api import health
from longterm.memory import keys, recalling, searching
from longterm.observe import log
from longterm.postgres import stall
from longterm.providers import local
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store.embedded import EmbeddedPostgres
from longterm.store.migrate import migrate
from tests.scheduling import Together
from tests.store.embedded_processes import watched

_tenants = itertools.count(1)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    """Share the tests among the processes."""
    return Together(config, log)


def pytest_configure() -> None:
    """Hear what a shell ignores for what it starts in the background, and nohup: tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # Nothing happens here still, but programs that are started from here hear it.
        signal.signal(signal.SIGHUP, _nothing)


def _nothing(_number: int, _frame: object) -> None:
    pass


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Look for no garbage meanwhile: what is made stays, and would be looked through many times."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# No example fails for a busy machine, nor by chance: they are the same ones each time. Others, and
# more of them, are tried by hand: `LONGTERM_EXAMPLES=100 make test ARGS=tests/api`.
settings.register_profile(
    "longterm", deadline=None, derandomize="LONGTERM_EXAMPLES" not in os.environ
)
settings.load_profile("longterm")


@pytest.fixture(scope="session", autouse=True)
def journals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that a test leaves for later is written into anybody's data folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGTERM_JOURNAL_DIR", str(tmp_path_factory.mktemp("journals")))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_model() -> Iterator[None]:
    """All embedders of a process share one model: loading it takes a third of a second."""
    loaded_once = cache(local._load)  # pyright: ignore[reportPrivateUsage]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_load", loaded_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Nothing is left out because the machine stood still for seconds.

    Who tests what is done without sets a limit of their own.
    """
    limits = (
        (health, "_PATIENCE_S"),
        (keys, "_PATIENCE_S"),
        (recalling, "_LONGEST_WAIT_S"),
        (searching, "_PATIENCE_S"),
        (stall, "_SUSPECT_AFTER_S"),
    )
    with pytest.MonkeyPatch.context() as patch:
        for module, limit in limits:
            patch.setattr(module, limit, 60.0)
        yield


@pytest.fixture
async def one_day() -> None:
    """What is counted by day is not begun on one day and looked at on the next."""
    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    if midnight - now < timedelta(seconds=30):
        await asyncio.sleep((midnight - now).total_seconds() + 0.1)


@pytest.fixture(scope="session")
def no_blocking_guard() -> BlockBuster:
    """Who watches; made once, because that takes longer than most tests."""
    return BlockBuster("longterm")


@pytest.fixture(autouse=True)
def no_blocking_calls(no_blocking_guard: BlockBuster) -> Iterator[None]:
    """A call that blocks the event loop inside Longterm is an error."""
    no_blocking_guard.activate()
    yield
    no_blocking_guard.deactivate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[str]:
    """The conninfo of a superuser; pytest-xdist's processes share the server.

    `TEST_DATABASE_URL` chooses another one, such as an older PostgreSQL.
    """
    if (chosen := os.environ.get("TEST_DATABASE_URL")) is not None:
        yield chosen
        return
    base = tmp_path_factory.getbasetemp()
    root = base if worker_id == "master" else base.parent
    with EmbeddedPostgres(root / "embedded") as embedded:
        conninfo = embedded.start()
        _hurry(conninfo)
        yield conninfo


def _hurry(conninfo: str) -> None:
    """Wait for no disk: this server is thrown away, and what a crash leaves is tested on others."""
    with psycopg.connect(conninfo, autocommit=True) as conn:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            conn.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        conn.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def empty_database(server: str, worker_id: str) -> Callable[[str], str]:
    """Makes a database with nothing in it, not even our tables, and returns its conninfo."""
    return lambda name: _made(server, f"{name}_{worker_id}", "template1")


@pytest.fixture(scope="session")
async def template_database(server: str, empty_database: Callable[[str], str]) -> str:
    """The name of a database with our tables, to be copied: applying the migrations takes longer."""
    conninfo = empty_database("longterm_ready")
    # One process after the other: the roles are the server's, and who waits for another to have
    # made them gives up after ten seconds.
    async with await psycopg.AsyncConnection.connect(server) as turn:
        await turn.execute("SELECT pg_advisory_xact_lock(1)")
        await migrate(conninfo)
    return str(conninfo_to_dict(conninfo)["dbname"])


@pytest.fixture(scope="session")
def new_database(server: str, worker_id: str, template_database: str) -> Callable[[str], str]:
    """Makes a database without a single row, and returns its conninfo."""
    return lambda name: _made(server, f"{name}_{worker_id}", template_database)


def _made(server: str, name: str, template: str) -> str:
    made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
    with psycopg.connect(server, autocommit=True) as conn:
        # By force: who left it may not be gone yet.
        dropped = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        conn.execute(dropped.format(sql.Identifier(name)))
        conn.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
    return make_conninfo(server, dbname=name)


@pytest.fixture(scope="session")
def conninfo(new_database: Callable[[str], str]) -> str:
    """The database of this test process, as a superuser."""
    return new_database("longterm_test")


@pytest.fixture(scope="session")
async def runtime(conninfo: str) -> AsyncIterator[Runtime]:
    """A running Longterm without a worker; its many callers wait their turn on any machine."""
    async with Runtime(Settings(database_url=conninfo, connect_timeout_s=60)) as running:
        yield running


@pytest.fixture
async def jobs_swept(runtime: Runtime) -> AsyncIterator[None]:
    """The work that a test leaves undone goes with it.

    Tenants from 2,000,000,000 on stay for many tests.
    """
    yield
    async with runtime.parts.database.system() as conn:
        await conn.run("DELETE FROM jobs WHERE tenant_id < 2000000000")


@pytest.fixture(autouse=True)
def no_jobs_left(request: pytest.FixtureRequest) -> None:
    """Nobody finds the work of others in the queue: a worker would do all of it."""
    if "runtime" in request.fixturenames:
        request.getfixturevalue("jobs_swept")


@pytest.fixture
def tenant_id() -> int:
    """A tenant nobody used before: an empty memory."""
    return next(_tenants)


@pytest.fixture
def new_tenant(runtime: Runtime) -> Callable[[], AsyncTenant]:
    """Gives one empty memory after the other, for tests with many examples."""
    return lambda: runtime.tenant(Scope(next(_tenants)))


@pytest.fixture
def mem(runtime: Runtime, tenant_id: int) -> AsyncTenant:
    """The memory of a fresh tenant."""
    return runtime.tenant(Scope(tenant_id))


@pytest.fixture(scope="session")
async def raw_connections() -> AsyncIterator[dict[str, psycopg.AsyncConnection]]:
    """Connections of a superuser: a new one has to read the whole catalogue anew."""
    connections: dict[str, psycopg.AsyncConnection] = {}
    yield connections
    for conn in connections.values():
        await conn.close()


@pytest.fixture
async def raw(
    conninfo: str, runtime: Runtime, raw_connections: dict[str, psycopg.AsyncConnection]
) -> psycopg.AsyncConnection:
    """A superuser's connection, to look at the tables from outside."""
    if conninfo in raw_connections:
        # It may have been changed, or ended, by a test before.
        with suppress(psycopg.OperationalError):
            await raw_connections[conninfo].rollback()
            await raw_connections[conninfo].execute("RESET ALL")
            return raw_connections[conninfo]
        await raw_connections[conninfo].close()
    raw_connections[conninfo] = await psycopg.AsyncConnection.connect(
        conninfo, autocommit=True, options="-c search_path=longterm,public"
    )
    return raw_connections[conninfo]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder of one's own, for tests that start a server of their own."""
    return tmp_path / "data"


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a server that has our tables, and does not run."""
    made = tmp_path_factory.mktemp("furnished") / "data"
    with EmbeddedPostgres(made) as embedded, psycopg.connect(embedded.start()) as conn:
        conn.autocommit = True
        # What a killed server has written is there without it; only a machine would forget.
        conn.execute("ALTER SYSTEM SET fsync = off")
        with Longterm(data_dir=made):
            pass
    (made / "postgres.log").unlink()
    return made


@pytest.fixture(scope="session")
def furnish(furnished: Path) -> Callable[[Path], Path]:
    """Makes a data folder where a server was before: much sooner than one where none was."""

    def copy(to: Path) -> Path:
        to.parent.mkdir(parents=True, exist_ok=True)
        # Unlike shutil's, this copies the owners too.
        subprocess.run(["cp", "-Rp", furnished, to], check=True)
        return to

    return copy


@pytest.fixture
def used_dir(tmp_path: Path, furnish: Callable[[Path], Path]) -> Iterator[Path]:
    """A data folder where a server was before, and where none may run in the end."""
    yield from watched(furnish(tmp_path / "data"))


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What our programs would print, with everything switched on."""
    stream = io.StringIO()
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    monkeypatch.setattr("sys.stderr", stream)
    log.configure(level="DEBUG", log_format="json")
    yield stream
    root.handlers[:] = before
    root.setLevel(level)
