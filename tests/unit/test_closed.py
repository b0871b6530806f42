"""A library that is closed, not opened yet, or somebody else's says so in a sentence."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from longterm import AsyncLongterm, ClosedError, ConflictError, Longterm, LongtermError, Tenant
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from tests.journeys.programs import clean_environment

# What anybody may do with a tenant that they kept.
USES: dict[str, Callable[[Tenant], object]] = {
    "add": lambda mem: mem.add_message("ada", "user", "Hello"),
    "count": lambda mem: mem.count_messages("ada"),
    "recall": lambda mem: mem.recall("ada", "Hello?"),
    "chat": lambda mem: mem.chat("ada", "Hello"),
    "stream": lambda mem: list(mem.stream("ada", "Hello")),
    "export": lambda mem: list(mem.export_user("ada")),
    "fact": lambda mem: mem.add_fact("ada", "Ada likes tea"),
    "forget": lambda mem: mem.forget_user("ada"),
    "key": lambda mem: mem.create_key("shop"),
}


def a_library(conninfo: str, **given: Any) -> Longterm:
    return Longterm(conninfo, embedder=ScriptedEmbedder(), **given)


@pytest.fixture
def closed(conninfo: str, tenant_id: int) -> tuple[Longterm, Tenant]:
    """A library that was closed, and a tenant of it that somebody kept."""
    with a_library(conninfo) as lt:
        return lt, lt.tenant(tenant_id)


@pytest.mark.parametrize("use", USES)
def test_a_tenant_that_was_kept_says_that_it_is_closed(
    closed: tuple[Longterm, Tenant], use: str
) -> None:
    with pytest.raises(ClosedError, match="not open"):
        USES[use](closed[1])


@pytest.mark.parametrize("opened", [False, True])
def test_a_library_that_is_not_open_says_so(
    closed: tuple[Longterm, Tenant], conninfo: str, opened: bool
) -> None:
    lt = closed[0] if opened else a_library(conninfo)

    for use in (lambda: lt.tenant(1), lt.drain, lt.cleanup, lt.list_tenants, lt.list_jobs):
        with pytest.raises(ClosedError, match="not open"):
            use()
    lt.close()
    lt.close()


async def test_the_async_library_says_so_too(conninfo: str, tenant_id: int) -> None:
    lt = AsyncLongterm(conninfo, embedder=ScriptedEmbedder())
    await lt.close()
    with pytest.raises(ClosedError):
        lt.tenant(1)
    await lt.open()
    mem = lt.tenant(tenant_id)
    exported = mem.export_user("ada")
    await anext(exported)
    await lt.close()
    await lt.close()

    for use in (
        lambda: mem.add_message("ada", "user", "Hello"),
        lambda: mem.chat("ada", "Hello"),
        lambda: mem.recall("ada", "Hello"),
        lambda: anext(mem.stream("ada", "Hello")),
        lambda: anext(exported),
        lt.drain,
    ):
        with pytest.raises(ClosedError):
            await use()


def test_a_library_is_opened_once(conninfo: str, tenant_id: int) -> None:
    before = threading.enumerate()
    with a_library(conninfo) as lt:
        mem = lt.tenant(tenant_id)
        with pytest.raises(ConflictError, match="open already"), lt:
            raise AssertionError("never reached")

        assert mem.count_messages("ada") == 0
    assert set(threading.enumerate()) <= set(before)


def test_what_is_read_while_it_is_closed_ends_with_a_sentence(
    conninfo: str, tenant_id: int
) -> None:
    with a_library(conninfo) as lt:
        stream = lt.tenant(tenant_id).stream("ada", "Hello")
        left = lt.tenant(tenant_id).stream("ada", "Hello")
        next(stream)
        next(left)

    with pytest.raises(ClosedError):
        list(stream)
    # Nothing is raised where nobody could catch it: warnings are errors here.
    del left


def test_who_waits_in_another_thread_is_told(conninfo: str, tenant_id: int) -> None:
    with a_library(conninfo) as lt, ThreadPoolExecutor() as threads:
        mem, begun = lt.tenant(tenant_id), threading.Event()

        def write() -> None:
            for number in range(10_000):
                mem.add_message("ada", "user", f"Message {number}")
                begun.set()

        writing = [threads.submit(write) for _ in range(3)]
        begun.wait(60)
        lt.close()

        for each in writing:
            with pytest.raises(ClosedError):
                each.result(60)


def test_two_threads_close_it_once(conninfo: str) -> None:
    lt = a_library(conninfo)
    lt.open()
    with ThreadPoolExecutor() as threads:
        closing = [threads.submit(lt.close) for _ in range(4)]

    assert [each.result() for each in closing] == [None] * 4


def test_a_model_that_calls_the_library_it_belongs_to_does_not_wait_for_itself(
    conninfo: str, tenant_id: int
) -> None:
    told: list[str] = []

    def answer(_: object) -> str:
        try:
            lt.tenant(tenant_id).count_messages("ada")
        except LongtermError as error:
            told.append(str(error))
        return "Hm."

    with a_library(conninfo, llm=ScriptedModel(answer)) as lt:
        lt.tenant(tenant_id).chat("ada", "Hello")

    assert "would wait for itself" in told[0]


def test_an_async_library_is_for_one_event_loop(conninfo: str, tenant_id: int) -> None:
    lt = AsyncLongterm(conninfo, embedder=ScriptedEmbedder())

    async def use() -> int:
        return await lt.tenant(tenant_id).count_messages("ada")

    asyncio.run(lt.open())
    with pytest.raises(ClosedError, match="another event loop"):
        asyncio.run(use())
    asyncio.run(lt.close())

    async def again() -> int:
        async with lt:
            return await use()

    assert asyncio.run(again()) == 0


def program(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    head = (
        "import atexit, os, sys\n"
        "from longterm import Longterm, LongtermError\n"
        "def attempt(use):\n"
        "    try:\n"
        "        print(use(), flush=True)\n"
        "    except LongtermError as error:\n"
        "        print(type(error).__name__, error, flush=True)\n"
    )
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", head + script, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=clean_environment(),
    )


FORK = """
lt = Longterm(sys.argv[1])
with lt:
    mem = lt.tenant(int(sys.argv[2]))
    mem.add_message("ada", "user", "Hello")
    if os.fork() == 0:
        attempt(lambda: mem.count_messages("ada"))
        attempt(lambda: lt.tenant(1).count_messages("ada"))
        attempt(lt.drain)
        lt.close()
        attempt(lambda: lt.tenant(1))
        with Longterm(sys.argv[1]) as own:
            print(own.tenant(int(sys.argv[2])).count_messages("ada"), flush=True)
        os._exit(0)
    os.wait()
    print(mem.count_messages("ada"), flush=True)
"""


def test_a_process_that_forked_opens_one_of_its_own(conninfo: str, tenant_id: int) -> None:
    ran = program(FORK, conninfo, str(tenant_id))

    *refused, closed, own, parents = ran.stdout.splitlines()
    assert [line.split()[0] for line in refused] == ["ClosedError"] * 3, ran.stderr
    assert all("before the process forked" in line for line in refused)
    assert closed.startswith("ClosedError Longterm is not open")
    assert (own, parents, ran.stderr) == ("1", "1", "")


AT_EXIT = """
lt = Longterm(data_dir=sys.argv[1])
lt.open()
mem = lt.tenant(1)
mem.add_message("ada", "user", "Hello")
# The last one registered is the first one called.
atexit.register(lambda: attempt(lambda: mem.count_messages("ada")))
atexit.register(lt.close)
atexit.register(lambda: attempt(lambda: mem.recall("ada", "What?")))
atexit.register(lambda: attempt(lambda: mem.count_messages("ada")))
"""


def test_a_library_that_atexit_closes_is_closed_and_its_server_stopped(used_dir: Path) -> None:
    ran = program(AT_EXIT, str(used_dir))

    count, recall, after = ran.stdout.splitlines()
    assert (count, ran.stderr, ran.returncode) == ("1", "", 0)
    assert recall.startswith("ClosedError Python is ending")
    assert after.startswith("ClosedError Longterm is not open")


def test_a_library_that_nobody_closes_is_closed_at_the_end_of_the_program(used_dir: Path) -> None:
    ran = program("lt = Longterm(data_dir=sys.argv[1])\nlt.open()\nlt.tenant(1)", str(used_dir))

    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0)


async def test_what_failed_to_open_leaves_nothing_behind(used_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file where a folder should be")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGTERM_JOURNAL_DIR", str(tmp_path / "journal"))
        lt = AsyncLongterm(data_dir=used_dir)

    with pytest.raises((LongtermError, OSError)):
        await lt.open()

    with pytest.raises(ClosedError):
        lt.tenant(1)


def test_where_it_is_connected_to_is_told_while_it_is_open(used_dir: Path) -> None:
    lt = Longterm(data_dir=used_dir)
    with pytest.raises(ClosedError):
        _ = lt.database_url

    with lt, psycopg.connect(lt.database_url) as conn:
        found = conn.execute("SELECT to_regclass('longterm.facts') IS NOT NULL").fetchone()

    assert found == (True,)
