"""a5: SQL with a user fixed can't hang a row on somebody else's, nor give one to somebody else."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from longterm import AsyncTenant, Settings
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import erasure
from tests.memory.planted import plant, words
from tests.outside import Raw

HOUSE = 1
ALICE, BOB = words("alice"), words("bob")

KEYS = """
    SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent,
           (SELECT array_agg(attname::text ORDER BY place)
              FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
              JOIN pg_attribute ON attrelid = conrelid AND attnum = key.number) AS columns,
           (SELECT array_agg(attname::text ORDER BY place)
              FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
              JOIN pg_attribute ON attrelid = confrelid AND attnum = key.number) AS referenced
      FROM pg_constraint
     WHERE contype = 'f'
       AND connamespace = 'longterm'::regnamespace
     ORDER BY 1, 3
"""

REFERENCES = """
    SELECT class.relname || '.' || attribute.attname
      FROM pg_class AS class
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
     WHERE class.relnamespace = 'longterm'::regnamespace
       AND class.relkind = 'r'
       AND class.relname = ANY(%s)
       AND attribute.attname ~ '(conversation|message|question|answer|episode|passage|fact)_id$'
"""

# Nothing is read or changed by way of these without the user in the query, and what they name may
# be gone: no foreign key.
LOOSE = {
    "answers.answer_id", "audit.source_message_id", "facts.source_conversation_id",
    "facts.source_message_id", "imported.conversation_id", "passages.conversation_id",
    "place_mentions.conversation_id", "place_mentions.message_id", "threads.message_id",
    "users.current_conversation_id",
}  # fmt: skip


@pytest.fixture(scope="module")
async def runtime(new_database: Callable[[str], str]) -> AsyncIterator[Runtime]:
    """A house in which alice and bob have something in every table."""
    settings = Settings(database_url=new_database("foreign_rows"), connect_timeout_s=60)
    async with Runtime(settings) as running:
        embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
        mem = AsyncTenant(replace(running.parts, embedders=embedders), Scope(HOUSE))
        for planted in (ALICE, BOB):
            await plant(mem, running.parts, HOUSE, planted)
        yield running


@pytest.fixture
async def raw(runtime: Runtime) -> AsyncIterator[Raw]:
    """A superuser whose every transaction is rolled back."""
    conninfo = str(runtime.settings.database_url)
    async with await psycopg.AsyncConnection.connect(conninfo) as conn:
        await conn.execute("SET search_path = longterm, public")
        await conn.commit()
        yield conn
        await conn.rollback()


async def become_alice(raw: Raw) -> None:
    await raw.execute("SET LOCAL ROLE longterm_app")
    await raw.execute("SET LOCAL longterm.tenant_id = '1'")
    await raw.execute("SET LOCAL longterm.user_id = 'zqaliceuserzq'")


async def test_every_reference_names_its_user_or_is_known_not_to(raw: Raw) -> None:
    """A new column fails here until it has a foreign key with the user, or is in the list."""
    keys = await (await raw.execute(KEYS)).fetchall()
    references = await (await raw.execute(REFERENCES, [list(erasure.OF_USER)])).fetchall()

    assert [key for key in keys if "user_id" not in key[2]] == []
    bound = {f"{child}.{column}" for child, _, columns, _ in keys for column in columns}
    own = {"conversations.id", "messages.id", "episodes.id"}
    assert {name for (name,) in references} - bound - own == LOOSE


async def test_no_row_of_a_fixed_user_refers_to_a_row_of_somebody_else(raw: Raw) -> None:
    keys = await (await raw.execute(KEYS)).fetchall()
    tried: list[tuple[str, str]] = []
    for child, parent, columns, referenced in keys:
        pairs = [
            pair for pair in zip(columns, referenced, strict=True) if pair[0] not in
            ("tenant_id", "user_id")
        ]  # fmt: skip
        if not pairs:
            continue
        theirs = await _a_row(raw, parent, BOB["user"], [name for _, name in pairs])
        # Otherwise a unique key would refuse it first.
        await raw.execute(sql.SQL("DELETE FROM {} WHERE user_id = %s").format(
            sql.Identifier(child)), [BOB["user"]])  # fmt: skip
        await become_alice(raw)
        changed = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value))
            for (name, _), value in zip(pairs, theirs, strict=True)
        )
        attack = sql.SQL(
            "UPDATE {child} SET {changed} WHERE ctid ="
            " (SELECT max(ctid) FROM {child} WHERE {column} IS NOT NULL)"
        ).format(child=sql.Identifier(child), changed=changed, column=sql.Identifier(pairs[0][0]))
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            await raw.execute(attack)
        await raw.rollback()
        tried.append((child, parent))

    assert {
        ("messages", "conversations"), ("episodes", "conversations"), ("threads", "conversations"),
        ("clarifications", "conversations"), ("ledger", "messages"), ("answers", "messages"),
        ("passages", "messages"), ("passages", "episodes"), ("passages", "facts"),
        ("postings", "passages"), ("embeddings", "passages"), ("place_mentions", "places"),
    } == {*tried}  # fmt: skip


async def _a_row(raw: Raw, table: str, user_id: str, columns: list[str]) -> list[object]:
    query = sql.SQL("SELECT {} FROM {} WHERE user_id = %s LIMIT 1").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table)
    )
    row = await (await raw.execute(query, [user_id])).fetchone()
    assert row is not None
    return list(row)


async def test_a_fixed_user_inserts_no_message_into_a_conversation_of_somebody_else(
    raw: Raw,
) -> None:
    conversation = await _a_row(raw, "conversations", BOB["user"], ["id"])
    for user, error in (
        (ALICE["user"], psycopg.errors.ForeignKeyViolation),
        (BOB["user"], psycopg.errors.InsufficientPrivilege),
    ):
        await become_alice(raw)
        with pytest.raises(error):
            await raw.execute(
                "INSERT INTO messages (tenant_id, conversation_id, user_id, turn, role, content)"
                " VALUES (%s, %s, %s, 1000, 'user', 'hello')",
                [HOUSE, *conversation, user],
            )
        await raw.rollback()


@pytest.mark.parametrize("table", erasure.OF_USER)
async def test_a_fixed_user_gives_no_row_away_and_touches_none_of_somebody_else(
    raw: Raw, table: str
) -> None:
    name = sql.Identifier(table)
    attacks = (
        sql.SQL("UPDATE {} SET user_id = %s WHERE user_id = current_user_id()"),
        sql.SQL("UPDATE {} SET user_id = current_user_id() WHERE user_id = %s"),
        sql.SQL("DELETE FROM {} WHERE user_id = %s"),
    )
    for attack in attacks:
        await become_alice(raw)
        try:
            touched = (await raw.execute(attack.format(name), [BOB["user"]])).rowcount
        except psycopg.errors.InsufficientPrivilege:
            touched = 0
        await raw.rollback()

        assert touched == 0


async def test_a_current_conversation_of_somebody_else_is_none(runtime: Runtime, raw: Raw) -> None:
    mem = runtime.tenant(Scope(HOUSE))
    theirs = await mem.current_conversation(BOB["user"])
    await raw.execute(
        "UPDATE users SET current_conversation_id = %s WHERE user_id = %s",
        [theirs.id, ALICE["user"]],
    )
    await raw.commit()

    await mem.add_message(ALICE["user"], "user", "hello")

    assert (await mem.current_conversation(ALICE["user"])).user_id == ALICE["user"]
    page = await mem.get_messages(theirs.id)
    assert {message.user_id for message in page.items} <= {BOB["user"]}
