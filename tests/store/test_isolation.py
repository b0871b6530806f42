"""a5: tenants, and users where one is fixed, are kept apart by the database alone."""

import re
from collections.abc import AsyncIterator, Callable, Sized
from typing import Any

import psycopg
import pytest

from longterm import AsyncTenant, LongtermError, Settings
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.arguments import Target, arguments, operations
from tests.outside import Raw, expire, rows_of
from tests.store.careless import TENANT, USER, Programmer

SECRET = "xyzzy"
OTHER_TENANT = 2_000_000_000
HOUSE = 2_000_000_001

# Nothing but an INSERT, whose tenant and user are values and not conditions.
NO_TENANT_CONDITION = {"create_key", "set_memory", "update_settings"}
NO_USER_CONDITION = {
    "cleanup", "extract_memories", "get_embedding_progress",
    "get_rolling_summary", "index", "reembed", "settle",
    "list_episodes", "delete_template",
    "get_context_for_query", "get_conversation", "get_messages", "get_session_history",
    "get_settings", "get_template", "import_messages", "list_templates", "set_memory",
    "set_template", "update_settings", "create_key", "get_stats", "list_keys", "revoke_key", "list_users",
}  # fmt: skip

NEW_ID = {"add_message", "set_memory", "create_session"}


async def fill(mem: AsyncTenant, raw: Raw, user_id: str, words: str, size: int) -> Target:
    """Store something of everything, `size` times where there can be many."""
    conversation = await mem.create_conversation(user_id, f"title {words}")
    message_id = 0
    for number in range(size):
        message_id = await mem.add_message(user_id, "user", f"{number} {words}")
    over, session_id = await mem.create_session(user_id), await mem.create_session(user_id)
    for number in range(size):
        await mem.store_turn(over, user_id, f"{number} {words}", words)
        await mem.store_turn(session_id, user_id, f"{number} {words}", words, {"said": words})
    await expire(raw, over)
    await mem.set_memory(user_id, "key", {"said": words})
    await mem.set_memory(user_id, f"key {words}", {"said": words})
    await mem.set_user_state(user_id, words)
    fact = await mem.add_fact(user_id, f"fact {words}", category="category")
    await mem.add_fact(user_id, f"fact {words}", category="category", key="key")
    await mem.add_poi(user_id, "place", f"Place {words}", words, conversation.id, message_id)
    await mem.digest(conversation.id)
    return Target(user_id, conversation.id, session_id, message_id, fact.id)


async def fill_tenant(mem: AsyncTenant, words: str, hours: int) -> None:
    """Store what belongs to no user."""
    await mem.set_template("template", words)
    await mem.set_template(f"template {words}", words)
    await mem.update_settings(conversation_retention=hours, session_retention=hours)


@pytest.fixture(scope="module")
async def runtime(conninfo: str) -> AsyncIterator[Runtime]:
    """One whose vectors cost nothing: two houses are filled for every operation."""
    settings = Settings(database_url=conninfo, connect_timeout_s=60)
    async with Runtime(settings, embedder=ScriptedEmbedder()) as running:
        yield running


@pytest.fixture(scope="module")
async def others(runtime: Runtime, conninfo: str) -> dict[str, Target]:
    """The users of the other tenant, who stay as they are through all tests."""
    mem = runtime.tenant(Scope(OTHER_TENANT))
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as raw:
        users = {user_id: await fill(mem, raw, user_id, SECRET, 3) for user_id in ("ada", "bob")}
    await fill_tenant(mem, SECRET, 7)
    return users


@pytest.fixture(scope="module")
async def bob(runtime: Runtime, conninfo: str) -> Target:
    """Somebody in the house of alice, who stays as he is through all tests."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as raw:
        return await fill(runtime.tenant(Scope(HOUSE)), raw, "bob", SECRET, 3)


async def outcome(mem: AsyncTenant, operation: str, target: Target) -> Any:
    """What an operation answers, or the error that it answers with."""
    try:
        return await getattr(mem, operation)(**arguments(operation, target))
    except (LongtermError, psycopg.errors.InsufficientPrivilege) as error:
        return error


def in_short(operation: str, came: Any) -> Any:
    """What can be compared between two runs: how many, and of what kind."""
    if isinstance(came, Exception):
        return type(came)
    if operation in NEW_ID:
        return "a new id"
    if isinstance(came, bool | int | str | None):
        return came
    return type(came), len(came) if isinstance(came, Sized) else None


@pytest.fixture
def hire(monkeypatch: pytest.MonkeyPatch) -> Callable[[Programmer], None]:
    """Lets a programmer loose on the way to a connection."""

    return lambda programmer: programmer.let_loose(monkeypatch)


@pytest.mark.parametrize("operation", operations())
async def test_there_are_conditions_to_forget(
    mem: AsyncTenant, raw: Raw, hire: Callable[[Programmer], None], operation: str
) -> None:
    """Otherwise the tests below would prove nothing."""
    target = await fill(mem, raw, "ada", "plain", 1)
    await fill_tenant(mem, "plain", 5)

    programmer = Programmer()
    hire(programmer)
    await outcome(mem, operation, target)

    assert (programmer.seen[TENANT] == 0) == (operation in NO_TENANT_CONDITION)
    assert (programmer.seen[USER] == 0) == (operation in NO_USER_CONDITION)


@pytest.mark.parametrize("operation", operations())
async def test_a_tenant_is_confined_when_every_condition_on_the_tenant_is_forgotten(
    new_tenant: Callable[[], AsyncTenant],
    others: dict[str, Target],
    raw: Raw,
    hire: Callable[[Programmer], None],
    operation: str,
) -> None:
    """a5: with ids of the other tenant's bob and ada, and with one's own ada."""
    mem, twin = new_tenant(), new_tenant()
    own = {one: await fill(one, raw, "ada", "plain", 1) for one in (mem, twin)}
    for one in own:
        await fill_tenant(one, "plain", 5)
    before = await rows_of(raw, OTHER_TENANT)

    async def outcomes(one: AsyncTenant) -> list[Any]:
        targets = (others["bob"], others["ada"], own[one])
        return [await outcome(one, operation, target) for target in targets]

    expected = await outcomes(twin)
    hire(Programmer(TENANT))
    came = await outcomes(mem)

    assert await rows_of(raw, OTHER_TENANT) == before
    assert SECRET not in repr(came)
    assert [in_short(operation, one) for one in came] == [
        in_short(operation, one) for one in expected
    ]


@pytest.mark.parametrize("forgets", [(), (USER,), (USER, TENANT)], ids=["none", "user", "both"])
@pytest.mark.parametrize("operation", operations())
async def test_a_fixed_user_is_confined_whatever_conditions_are_forgotten(
    runtime: Runtime,
    bob: Target,
    raw: Raw,
    hire: Callable[[Programmer], None],
    operation: str,
    forgets: tuple[re.Pattern[str], ...],
) -> None:
    """a5"""
    alice = runtime.tenant(Scope(HOUSE, "alice"))
    await runtime.tenant(Scope(HOUSE)).set_template("template", "{{ history }} {{ memory }}")
    before = await rows_of_user(raw, "bob")

    hire(Programmer(*forgets))
    came = await outcome(alice, operation, bob)

    assert await rows_of_user(raw, "bob") == before
    assert SECRET not in repr(came)
    assert not isinstance(came, int) or came == 0 or operation in NEW_ID
    if not forgets:
        assert not isinstance(came, psycopg.Error), "the driver's own error comes through"


async def rows_of_user(raw: Raw, user_id: str) -> dict[str, list[str]]:
    """Every row of the house that names a user, by table."""
    rows = await rows_of(raw, HOUSE)
    found = {table: [row for row in all_ if f",{user_id}," in row] for table, all_ in rows.items()}
    assert all(found[table] for table in ("users", "conversations", "messages", "user_memory"))
    return found


@pytest.mark.parametrize("user_id", ["alice", "o'neil", "back\\slash", "\\'; --", "é😀", "%s", '"'])
async def test_a_fixed_user_has_all_that_is_theirs(
    runtime: Runtime, raw: Raw, tenant_id: int, user_id: str
) -> None:
    """a5"""
    mem, fixed = runtime.tenant(Scope(tenant_id)), runtime.tenant(Scope(tenant_id, user_id))
    theirs = await fill(fixed, raw, user_id, "plain", 2)
    await fill(mem, raw, "somebody else", SECRET, 2)

    seen = [
        await fixed.count_messages(user_id),
        len(await fixed.get_session_history(theirs.session_id)),
        len(await fixed.get_all_memory(user_id)),
        len(await fixed.list_conversations(user_id)),
        (await fixed.cleanup()).sessions_deleted,
        (await mem.cleanup()).sessions_deleted,
    ]

    assert seen == [6, 2, 2, 2, 1, 1]
    assert await fixed.get_user_state(user_id) is not None


async def test_the_connection_of_a_fixed_user_serves_everybody_afterwards(
    runtime: Runtime, tenant_id: int
) -> None:
    """a5: what is set for one transaction is gone in the next."""
    mem, alice = runtime.tenant(Scope(tenant_id)), runtime.tenant(Scope(tenant_id, "alice"))
    await mem.add_message("bob", "user", "hello")

    counts = [await one.count_messages("bob") for one in (alice, mem) * 30]

    assert counts == [0, 1] * 30
