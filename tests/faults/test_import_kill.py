"""§3 Yours: an import that is killed and run again is as good as one in one go."""

import asyncio
import json
import sys
from pathlib import Path

from psycopg.conninfo import make_conninfo

from longterm import AsyncTenant
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.imports import samples
from tests.outside import Raw, rows_of


async def said(raw: Raw, tenant_id: int) -> list[tuple[object, ...]]:
    cursor = await raw.execute(
        "SELECT messages.metadata::text, title, turn_count, role, turn, content, said_at FROM"
        " longterm.messages JOIN (SELECT tenant_id, id AS conversation_id, title, turn_count"
        " FROM longterm.conversations) AS one USING (tenant_id, conversation_id)"
        " WHERE tenant_id = %s ORDER BY title, turn, role DESC",
        [tenant_id],
    )
    return await cursor.fetchall()


async def hung_up(raw: Raw, name: str) -> None:
    """Wait until the database has noticed too: what was sent to it before may be committed yet."""
    connected = "SELECT 1 FROM pg_stat_activity WHERE application_name = %s"
    while await (await raw.execute(connected, [name])).fetchone():
        await asyncio.sleep(0.01)


async def test_an_import_that_is_killed_and_run_again_stores_each_message_once(
    conninfo: str,
    mem: AsyncTenant,
    tenant_id: int,
    runtime: Runtime,
    tmp_path: Path,
    raw: Raw,
) -> None:
    path = tmp_path / "export.json"
    talks = [{**samples.chatgpt(f"c{n}", 25), "title": f"Talk {n:04}"} for n in range(400)]
    path.write_text(json.dumps(talks))
    other = tenant_id + 1_600_000_000
    await runtime.tenant(Scope(other)).import_conversations("ada", path)

    name = f"importer {tenant_id}"
    importer = await asyncio.create_subprocess_exec(
        sys.executable, str(Path(__file__).parent / "importer.py"),
        make_conninfo(conninfo, application_name=name), str(tenant_id), str(path),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert importer.stdout is not None
    await importer.stdout.readline()
    importer.kill()
    await importer.wait()
    await hung_up(raw, name)

    stored = len((await rows_of(raw, tenant_id))["messages"])
    report = await mem.import_conversations("ada", path)

    assert stored > 0
    assert (report.messages, report.known) == (20_000 - stored, stored)
    assert await said(raw, tenant_id) == await said(raw, other)
