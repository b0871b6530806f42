"""§3 Yours: after the statements of the receipt, no file of the database holds what is forgotten."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from longterm import AsyncLongterm, AsyncTenant, Settings
from longterm.store.embedded import EmbeddedPostgres
from tests.memory.planted import GONE, plant, plant_and_remove, words
from tests.outside import Raw


def files_with(folder: Path, wanted: dict[str, str]) -> dict[str, set[str]]:
    """Which words are in which files; the write-ahead log is not promised to be clean."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*"):
        # The server makes and deletes files meanwhile.
        with suppress(FileNotFoundError):
            if path.is_file() and "pg_wal" not in path.parts:
                held = path.read_bytes()
                here = {word for word in wanted.values() if word.encode() in held}
                if here:
                    found[str(path.relative_to(folder))] = here
    return found


async def until_nobody_sees_what_was_before(raw: Raw) -> None:
    """Wait for whoever began before: until then, old rows are kept by whatever statement."""
    seeing = "SELECT 1 FROM pg_stat_activity WHERE backend_xmin IS NOT NULL"
    own = " AND pid <> pg_backend_pid()"
    while await (await raw.execute(seeing + own)).fetchone():
        await asyncio.sleep(0.02)


@pytest.fixture
def url(used_dir: Path) -> Iterator[str]:
    with EmbeddedPostgres(used_dir) as embedded:
        yield embedded.start()


async def test_no_file_of_the_data_folder_holds_a_word_of_a_forgotten_user(
    used_dir: Path, url: str
) -> None:
    planted = words("f")
    settings = Settings(data_dir=used_dir, journal_dir=used_dir / "journal")
    async with (
        AsyncLongterm(url, settings=settings) as lt,
        await psycopg.AsyncConnection.connect(url, autocommit=True) as raw,
    ):
        mem: AsyncTenant = lt.tenant(1)
        await mem.add_message("bob", "user", "stays")
        await plant(mem, lt.parts, 1, planted)
        # What is in the journal may be written back to a table between the two looks.
        journal = await asyncio.to_thread(files_with, used_dir / "journal", planted)
        await raw.execute("ANALYZE")
        await raw.execute("CHECKPOINT")
        before = await asyncio.to_thread(files_with, used_dir, planted)
        # One is in RAM only, the other in a table that no checkpoint writes.
        elsewhere = {planted["window"], planted["clarification"]}
        seen = set[str]().union(*before.values(), *journal.values())
        assert set(planted.values()) - elsewhere <= seen

        receipt = await mem.forget_user(planted["user"])
        await until_nobody_sees_what_was_before(raw)
        for statement in receipt.vacuum:
            await raw.execute(statement.encode())

        assert await asyncio.to_thread(files_with, used_dir, planted) == {}
        assert await lt.tenant(1).count_messages("bob") == 1


async def test_no_file_of_the_data_folder_holds_what_was_removed_before_the_user_was_forgotten(
    used_dir: Path, url: str
) -> None:
    planted = words("r", GONE)
    async with (
        AsyncLongterm(url, settings=Settings(data_dir=used_dir)) as lt,
        await psycopg.AsyncConnection.connect(url, autocommit=True) as raw,
    ):
        mem: AsyncTenant = lt.tenant(1)
        await plant_and_remove(mem, raw, planted)
        await raw.execute("ANALYZE")
        await raw.execute("CHECKPOINT")
        before = await asyncio.to_thread(files_with, used_dir, planted)
        assert set(planted.values()) == set[str]().union(*before.values())

        receipt = await mem.forget_user(planted["goneuser"])
        await until_nobody_sees_what_was_before(raw)
        for statement in receipt.vacuum:
            await raw.execute(statement.encode())

        assert await asyncio.to_thread(files_with, used_dir, planted) == {}
