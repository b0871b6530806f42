"""a5: what the database's own catalogue says about who may see what."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import (
    InsufficientPrivilege,
    InvalidTextRepresentation,
    UndefinedObject,
)

from longterm import AsyncTenant
from longterm.memory.asking import count
from longterm.memory.checkpoints import Checkpoints
from longterm.memory.idempotency import Idempotency
from longterm.memory.relay import Relay, Request
from longterm.providers.model import Usage
from longterm.records.checkpoint import Blob, Channel, NewCheckpoint, Thread, Write
from longterm.records.idempotency import Attempt
from longterm.records.ids import new_id
from longterm.records.scope import Scope
from longterm.records.thread import Entry, own_hash
from longterm.runtime import Runtime
from tests.outside import UNDER_WAY, Raw, tenant_tables

FILLED, OTHER = 2_000_000_010, 2_000_000_011
REFUSED = "row-level security|permission denied"
FOUR_WAYS = ("SELECT", "INSERT", "UPDATE", "DELETE")


async def asked(raw: Raw, query: sql.SQL, *params: object) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return await (await raw.execute(query, params)).fetchall()


@pytest.fixture(scope="module")
async def filled(runtime: Runtime) -> AsyncTenant:
    """A tenant with a row in every table."""
    mem = runtime.tenant(Scope(FILLED))
    await mem.add_message("ada", "user", "words")
    await mem.set_memory("ada", "key", {})
    await mem.set_template("template", "body")
    await mem.add_fact("ada", "fact")
    await mem.add_poi("ada", "place", "Place", None, "conversation", "message")
    current = (await mem.current_conversation("ada")).id
    for _ in range(21):
        await mem.add_message("ada", "user", "words of an episode that is told in short")
    await mem.digest(current)
    await count(runtime.parts, Scope(FILLED), "chat", "model", Usage())
    for dog in ("Rex", "Tom"):
        await mem.add_fact("ada", f"has a dog named {dog}")
    asked = await mem.chat("ada", "How old is my dog?")
    async with runtime.parts.database.tenant(Scope(FILLED)) as conn:
        await conn.run(UNDER_WAY, question_id=asked.message_id or 0, user_id="ada")
    said = Entry(role="user", own=own_hash("user", "words"), content="words")
    await Relay(runtime.parts, Scope(FILLED)).follow(Request(user_id="ada", entries=[said]))
    await mem.create_key("key", "user", "ada")
    attempt = Attempt(id=new_id(), caller="caller", key="key", request_hash=b"hash")
    await Idempotency(runtime.parts, Scope(FILLED, "ada")).begin(attempt, lease=timedelta(0))
    await mem.forget_user("eve")
    async with runtime.parts.database.tenant(Scope(FILLED)) as conn:
        await conn.run(
            "INSERT INTO imported (tenant_id, user_id, source, conversation_id)"
            " VALUES (%(tenant_id)s, 'ada', sha256('source'), %(id)s)",
            id=current,
        )
    await fill_checkpoints(Checkpoints.of(mem))
    return mem


async def fill_checkpoints(checkpoints: Checkpoints) -> None:
    """A row in each table of LangGraph's checkpoints."""
    thread, blob = Thread(user_id="ada", thread_id="thread"), Blob("bytes", b"words")
    channel = Channel(name="channel", version="1", is_list=False, pieces=(blob,))
    write = Write(task_id="task", place=0, task_path="", channel="channel", value=blob)
    await checkpoints.put(
        NewCheckpoint(
            thread=thread,
            id="1",
            parent_id=None,
            body=blob,
            metadata={},
            versions={"channel": "1"},
            channels=(channel,),
        )
    )
    await checkpoints.put_writes(thread, "1", [write])


@pytest.fixture
async def app(conninfo: str, filled: AsyncTenant) -> AsyncIterator[Raw]:
    """A fresh session with the rights of the application, and with no tenant set."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as conn:
        await conn.execute("SET ROLE longterm_app")
        await conn.execute("SET search_path = longterm, public")
        yield conn


async def has_rows(raw: Raw, table: str) -> bool:
    """Whether a table has a row of the tenant that is filled."""
    query = sql.SQL("SELECT 1 FROM {} WHERE tenant_id = %s").format(sql.Identifier(table))
    return await (await raw.execute(query, [FILLED])).fetchone() is not None


async def test_every_table_with_a_tenant_has_rows_to_protect(raw: Raw, filled: AsyncTenant) -> None:
    """Otherwise some tests below would prove nothing: a new table needs a line in `filled`."""
    empty = [table for table in await tenant_tables(raw) if not await has_rows(raw, table)]

    assert empty == []


async def test_every_table_with_a_tenant_has_row_level_security_enabled_and_forced(
    raw: Raw,
) -> None:
    """a5"""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class"
            " WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('r', 'p')"
        ),
    )

    confined = {name for name, enabled, forced in found if enabled and forced}
    assert set(await tenant_tables(raw)) <= confined
    assert {name for name, _, _ in found} - confined == {"migrations"}


async def test_every_table_with_a_tenant_has_a_policy_for_the_application(raw: Raw) -> None:
    """a5"""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT tablename FROM pg_policies WHERE schemaname = 'longterm'"
            " AND 'longterm_app' = ANY(roles) AND cmd = 'ALL' AND permissive = 'PERMISSIVE'"
            " AND qual ~ 'current_tenant|longterm.tenant_id'"
        ),
    )

    assert {table for (table,) in found} == set(await tenant_tables(raw))


async def tables_with_a_user(raw: Raw) -> list[str]:
    """Every table that holds something of a user."""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT relname FROM pg_attribute JOIN pg_class ON oid = attrelid"
            " WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('r', 'p')"
            " AND NOT relispartition AND attname = 'user_id'"
        ),
    )
    return [table for (table,) in found]


async def test_every_table_with_a_user_restricts_to_the_user_who_is_fixed(raw: Raw) -> None:
    """a5"""
    restricted = await asked(
        raw,
        sql.SQL(
            "SELECT tablename FROM pg_policies WHERE schemaname = 'longterm'"
            " AND 'longterm_app' = ANY(roles) AND cmd = 'ALL' AND permissive = 'RESTRICTIVE'"
        ),
    )
    assert {table for (table,) in restricted} == set(await tables_with_a_user(raw))


@pytest.mark.parametrize("role", ["longterm_app", "longterm_system"])
async def test_the_roles_own_nothing_and_are_above_nothing(raw: Raw, role: str) -> None:
    """a5"""
    (rights,) = await asked(
        raw,
        sql.SQL(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin"
            " FROM pg_roles WHERE rolname = %s"
        ),
        role,
    )
    owned = await asked(
        raw,
        sql.SQL("SELECT objid FROM pg_shdepend WHERE refobjid = %s::regrole AND deptype = 'o'"),
        role,
    )
    groups = await asked(
        raw, sql.SQL("SELECT roleid FROM pg_auth_members WHERE member = %s::regrole"), role
    )

    assert rights == (False,) * 6
    assert (owned, groups) == ([], [])


async def rights_of(raw: Raw, role: str) -> dict[str, set[str]]:
    """What a role may do with each table of ours, by itself or as anybody."""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT relname, privilege FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE',"
            " 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege"
            " WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')"
            " AND (has_table_privilege(%s, oid, privilege)"
            "      OR privilege <> ALL (ARRAY['DELETE', 'TRUNCATE', 'TRIGGER'])"
            "         AND has_any_column_privilege(%s, oid, privilege))"
        ),
        role,
        role,
    )
    rights: dict[str, set[str]] = {}
    for table, right in found:
        rights.setdefault(table, set()).add(right)
    # Which migrations were applied is everybody's to read, and holds nothing of a tenant.
    assert rights.pop("migrations", set()) <= {"SELECT"}
    return rights


async def test_the_application_reads_and_writes_rows_and_nothing_else(raw: Raw) -> None:
    """a5: no TRUNCATE, which asks no policy."""
    rights = await rights_of(raw, "longterm_app")

    assert set(rights) == set(await tenant_tables(raw))
    for table, given in rights.items():
        assert {"SELECT", "INSERT"} <= given <= set(FOUR_WAYS), table


async def test_the_system_sees_jobs_tenants_and_whose_key_it_is_and_nothing_else(raw: Raw) -> None:
    """a5"""
    rights = await rights_of(raw, "longterm_system")

    assert rights == {
        "jobs": set(FOUR_WAYS),
        "tenants": {"SELECT"},
        "api_keys": {"SELECT", "UPDATE"},
        # Who it was can't be told from these.
        "forgettings": {"SELECT"},
    }


async def test_the_system_changes_nothing_about_a_key_but_when_it_was_used(raw: Raw) -> None:
    """a5"""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'longterm.api_keys'::regclass"
            " AND attnum > 0 AND has_column_privilege('longterm_system', attrelid, attnum, %s)"
        ),
        "UPDATE",
    )

    assert found == [("last_used_at",)]


async def test_nobody_else_has_any_right(raw: Raw, worker_id: str) -> None:
    """a5"""
    stranger = f"longterm_stranger_{worker_id}"
    await raw.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(stranger)))
    await raw.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(stranger)))
    try:
        assert await rights_of(raw, stranger) == {}
    finally:
        await raw.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(stranger)))


async def test_nothing_goes_round_the_policies(raw: Raw) -> None:
    """a5: no function with its owner's rights, no view."""
    functions = await asked(
        raw,
        sql.SQL(
            "SELECT proname FROM pg_proc"
            " WHERE pronamespace = 'longterm'::regnamespace AND prosecdef"
        ),
    )
    views = await asked(
        raw,
        sql.SQL(
            "SELECT relname FROM pg_class"
            " WHERE relnamespace = 'longterm'::regnamespace AND relkind IN ('v', 'm')"
        ),
    )

    assert (functions, views) == ([], [])


async def test_every_unique_key_begins_with_the_tenant(raw: Raw) -> None:
    """a5: otherwise a conflict would tell of another tenant's row."""
    found = await asked(
        raw,
        sql.SQL(
            "SELECT indexrelid::regclass::text FROM pg_index"
            " JOIN pg_class ON pg_class.oid = indrelid"
            " JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]"
            " WHERE relnamespace = 'longterm'::regnamespace AND indisunique"
            " AND attname <> 'tenant_id' AND relname = ANY(%s)"
        ),
        await tenant_tables(raw),
    )

    assert found == []


STATEMENTS = {
    "SELECT": sql.SQL("SELECT count(*) FROM {}"),
    "INSERT": sql.SQL("INSERT INTO {} (tenant_id) VALUES (2000000010)"),
    "UPDATE": sql.SQL("UPDATE {} SET tenant_id = tenant_id"),
    "DELETE": sql.SQL("DELETE FROM {}"),
}


@pytest.mark.parametrize("way", STATEMENTS)
async def test_without_a_tenant_there_is_an_error_and_never_all_rows(
    app: Raw, raw: Raw, way: str
) -> None:
    """a5"""
    for table in await tenant_tables(raw):
        with pytest.raises(UndefinedObject, match=r"longterm\.tenant_id"):
            await app.execute(STATEMENTS[way].format(sql.Identifier(table)))


@pytest.mark.parametrize("way", STATEMENTS)
async def test_without_a_tenant_there_is_an_error_where_one_was_set_before_too(
    app: Raw, raw: Raw, way: str
) -> None:
    """a5: a setting that was local to a transaction is empty afterwards, and not unknown."""
    async with app.transaction():
        await app.execute("SET LOCAL longterm.tenant_id = '2000000010'")
        await app.execute("SELECT count(*) FROM messages")

    for table in await tenant_tables(raw):
        with pytest.raises(InvalidTextRepresentation, match="bigint"):
            await app.execute(STATEMENTS[way].format(sql.Identifier(table)))


async def test_a_row_cannot_be_given_to_another_tenant(app: Raw, raw: Raw) -> None:
    """a5"""
    insert, update = "INSERT INTO {} (tenant_id) VALUES (%s)", "UPDATE {} SET tenant_id = %s"
    for table in await tenant_tables(raw):
        for statement in (insert, update) if await has_rows(raw, table) else (insert,):
            with pytest.raises(InsufficientPrivilege, match=REFUSED):
                await in_scope(app, sql.SQL(statement).format(sql.Identifier(table)), [OTHER])


async def test_a_row_cannot_be_given_to_another_user(app: Raw, raw: Raw) -> None:
    """a5"""
    insert = "INSERT INTO {} (tenant_id, user_id) VALUES (2000000010, %s)"
    update = "UPDATE {} SET user_id = %s"
    for table in await tables_with_a_user(raw):
        for statement in (insert, update) if await has_rows(raw, table) else (insert,):
            query = sql.SQL(statement).format(sql.Identifier(table))
            with pytest.raises(InsufficientPrivilege, match=REFUSED):
                await in_scope(app, query, ["bob"], user_id="ada")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO templates (tenant_id, name, version, body) VALUES (0, 'x', 1, 'x')",
        "UPDATE templates SET body = 'mine'",
        "DELETE FROM templates",
    ],
)
async def test_the_systems_templates_can_be_read_and_not_written(
    app: Raw, raw: Raw, runtime: Runtime, statement: str
) -> None:
    """a6"""
    system = runtime.tenant(Scope(0))
    await system.set_template("of the system", "body")

    try:
        await in_scope(app, sql.SQL(statement), [])  # pyright: ignore[reportArgumentType]
    except InsufficientPrivilege:
        assert statement.startswith("INSERT")

    assert (await system.get_template("of the system")).body == "body"
    await system.delete_template("of the system")


async def in_scope(
    app: Raw, statement: sql.Composed | sql.SQL, params: Sequence[object], user_id: str = ""
) -> None:
    """Run a statement as the tenant that is filled, and take it back."""
    async with app.transaction(force_rollback=True):
        await app.execute("SELECT set_config('longterm.tenant_id', %s, true)", [str(FILLED)])
        await app.execute("SELECT set_config('longterm.user_id', %s, true)", [user_id])
        await app.execute(statement, params)
