"""The core journey on the oldest PostgreSQL that is supported, where its programs are installed."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from longterm import Longterm
from longterm.store.binaries import account_for
from longterm.store.migrate import OLDEST_POSTGRES
from tests.store.embedded_processes import open_to_all, until

PROGRAMS = Path(f"/usr/lib/postgresql/{OLDEST_POSTGRES}/bin")
PGVECTOR = Path(f"/usr/share/postgresql/{OLDEST_POSTGRES}/extension/vector.control")

pytestmark = pytest.mark.skipif(
    not (PROGRAMS / "initdb").exists() or not PGVECTOR.exists(),
    reason=f"PostgreSQL {OLDEST_POSTGRES} with pgvector is not installed",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    yield from open_to_all()


@pytest.fixture
def oldest(folder: Path) -> Iterator[str]:
    """A server of that version; gives its conninfo."""
    account, cluster = account_for(), folder / "cluster"
    account.make_private(cluster)
    made = account.popen(
        [PROGRAMS / "initdb", "-D", cluster, "-U", "postgres", "--auth=trust", "--encoding=UTF8"],
        output=subprocess.DEVNULL,
    )
    assert made.wait() == 0
    options = ["--listen_addresses=", f"--unix_socket_directories={cluster}", "--fsync=off"]
    server = account.popen(
        [PROGRAMS / "postgres", "-D", cluster, *options], output=subprocess.DEVNULL
    )
    until((cluster / ".s.PGSQL.5432").exists)
    yield make_conninfo(host=str(cluster), user="postgres", dbname="postgres")
    server.terminate()
    server.wait()


def test_the_core_journey_works_on_the_oldest_postgresql(oldest: str) -> None:
    with Longterm(database_url=oldest) as lt:
        mem = lt.tenant(1)
        mem.add_message("ada", "user", "My name is Ada and I live in Turin.")
        mem.add_message("ada", "assistant", "Nice to meet you.")
        lt.drain()
        facts = [fact.content for fact in mem.get_active_facts("ada")]
        found = mem.recall("ada", "Where do I live?")
        exported = json.dumps(list(mem.export_user("ada")), default=str)
        receipt = mem.forget_user("ada")
        left = mem.count_messages("ada")

    assert any("Ada" in fact for fact in facts)
    assert "Turin" in found.text
    assert "Turin" in exported
    assert receipt.id
    assert left == 0
