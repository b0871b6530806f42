"""b4: what expired is over at once, and a cleanup deletes it."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from longterm import AsyncTenant
from longterm.errors import MemoryNotFoundError
from longterm.records.turn import SessionContext
from tests.outside import Raw, expire, rows_of

DAY = timedelta(days=1)


Read: TypeAlias = Callable[[AsyncTenant, str], Awaitable[Any]]
"""A way to look at a conversation whose only message has the words `xyzzy`."""


async def _render(mem: AsyncTenant, _: str) -> str:
    await mem.set_template(
        "history", "{% for message in history %}{{ message.content }}{% endfor %}"
    )
    return await mem.render_template("history", user_id="ada")


READS: dict[str, Read] = {
    "history": lambda mem, _: mem.get_conversation_history("ada"),
    "recent": lambda mem, _: mem.get_recent_messages("ada"),
    "count": lambda mem, _: mem.count_messages("ada"),
    "list": lambda mem, _: mem.list_conversations("ada", archived=None),
    "search": lambda mem, _: mem.list_conversations("ada", search="xyzzy"),
    "session": lambda mem, id_: mem.get_session_history(id_),
    "context": lambda mem, id_: mem.get_context_for_query(id_, "and?"),
    "render": _render,
}
REFUSED: dict[str, Read] = {
    "get": lambda mem, id_: mem.get_conversation("ada", id_),
    "messages": lambda mem, id_: mem.get_messages(id_),
    "before": lambda mem, id_: mem.get_messages(id_, before=2**62),
    "after": lambda mem, id_: mem.get_messages(id_, after=1),
    "update": lambda mem, id_: mem.update_conversation("ada", id_, title="t"),
    "add": lambda mem, id_: mem.add_message("ada", "user", "hi", conversation_id=id_),
}


def is_empty(seen: Any) -> bool:
    """Whether nothing was seen."""
    if isinstance(seen, SessionContext):
        return not seen.turns and not seen.text
    return not seen if isinstance(seen, int | str) else len(seen) == 0


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_an_expired_conversation_is_seen_by_no_read_before_any_cleanup(
    mem: AsyncTenant, raw: Raw, read: Read
) -> None:
    """b4"""
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "xyzzy")
    assert not is_empty(await read(mem, conversation.id))

    await expire(raw, conversation.id)

    assert is_empty(await read(mem, conversation.id))


@pytest.mark.parametrize("read", REFUSED.values(), ids=REFUSED)
async def test_naming_an_expired_conversation_is_naming_one_that_is_not_there(
    mem: AsyncTenant, raw: Raw, tenant_id: int, read: Read
) -> None:
    """b4"""
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "xyzzy")
    await expire(raw, conversation.id)
    before = await rows_of(raw, tenant_id)

    with pytest.raises(MemoryNotFoundError):
        await read(mem, conversation.id)

    assert await rows_of(raw, tenant_id) == before


async def test_cleanup_deletes_what_expired_and_counts_it(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b4"""
    for turns in (1, 2, 3):
        session_id = await mem.create_session("ada")
        for _ in range(turns):
            await mem.store_turn(session_id, "ada", "question", "answer")
        await expire(raw, session_id)
    alive = await mem.create_session("ada")
    await mem.store_turn(alive, "ada", "question", "answer")
    kept = await mem.create_conversation("ada")

    result = await mem.cleanup()

    assert (result.sessions_deleted, result.turns_deleted, result.errors) == (3, 6, ())
    assert result.execution_time > 0
    assert len(await mem.get_session_history(alive)) == 1
    rows = await rows_of(raw, tenant_id)
    assert len(rows["messages"]) == 2
    assert len(rows["conversations"]) == 2
    assert (await mem.get_conversation("ada", kept.id)).id == kept.id


async def test_a_second_cleanup_has_nothing_to_do(mem: AsyncTenant, raw: Raw) -> None:
    """b4"""
    session_id = await mem.create_session("ada")
    await mem.store_turn(session_id, "ada", "question", "answer")
    await expire(raw, session_id)

    await mem.cleanup()
    again = await mem.cleanup()

    assert (again.sessions_deleted, again.turns_deleted) == (0, 0)


async def test_a_cleanup_leaves_the_expired_conversations_of_other_tenants(
    mem: AsyncTenant, raw: Raw, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5, b4"""
    others = await new_tenant().create_session("ada")
    await expire(raw, others)

    result = await mem.cleanup()

    assert result.sessions_deleted == 0
    cursor = await raw.execute("SELECT 1 FROM conversations WHERE id = %s", [others])
    assert await cursor.fetchone() is not None


async def test_a_session_lives_for_24_hours_after_its_last_turn(mem: AsyncTenant, raw: Raw) -> None:
    """b4"""
    session_id = await mem.create_session("ada")
    await mem.store_turn(session_id, "ada", "question", "answer")
    await expire(raw, session_id, ago=-timedelta(minutes=1))

    await mem.store_turn(session_id, "ada", "question", "answer")

    session = await mem.get_conversation("ada", session_id)
    assert session.expires_at is not None
    assert abs(session.expires_at - session.updated_at - DAY) < timedelta(seconds=1)
    assert abs(session.expires_at - datetime.now(UTC) - DAY) < timedelta(minutes=1)


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_each_message_puts_the_end_off(mem: AsyncTenant, raw: Raw, role: str) -> None:
    """b4"""
    conversation = await mem.create_conversation("ada", retention=DAY)
    await expire(raw, conversation.id, ago=-timedelta(minutes=1))

    await mem.add_message("ada", role, "words")

    after = await mem.get_conversation("ada", conversation.id)
    assert conversation.expires_at is not None
    assert after.expires_at is not None
    assert after.expires_at >= conversation.expires_at


async def test_conversations_made_by_a_person_are_kept(mem: AsyncTenant) -> None:
    """b4"""
    made = await mem.create_conversation("ada")
    await mem.add_message("bob", "user", "hello")
    current = await mem.current_conversation("bob")

    assert (made.retention_hours, made.expires_at) == (None, None)
    assert (current.retention_hours, current.expires_at) == (None, None)


@pytest.mark.parametrize(
    ("retention", "hours"),
    [("keep", None), (DAY, 24.0), (36, 36.0), (0.5, 0.5), (timedelta(days=36_500), 876_000.0)],
)
async def test_a_conversation_is_kept_for_as_long_as_it_was_made_for(
    mem: AsyncTenant, retention: Any, hours: float | None
) -> None:
    """b4"""
    made = await mem.create_conversation("ada", retention=retention)

    assert made.retention_hours == hours
    assert (made.expires_at is None) == (hours is None)
    if made.expires_at is not None and hours is not None:
        assert made.expires_at - made.created_at == timedelta(hours=hours)


async def test_retention_can_be_changed_later(mem: AsyncTenant) -> None:
    """b4, d1"""
    conversation = await mem.create_conversation("ada")

    shorter = await mem.update_conversation("ada", conversation.id, retention=2)
    untouched = await mem.update_conversation("ada", conversation.id, title="t")
    kept = await mem.update_conversation("ada", conversation.id, retention="keep")

    assert shorter.retention_hours == untouched.retention_hours == 2
    assert shorter.expires_at is not None
    assert untouched.expires_at == shorter.expires_at
    assert (kept.retention_hours, kept.expires_at) == (None, None)


async def test_a_turn_for_an_expired_session_begins_a_new_one_under_its_id(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b1, b4"""
    session_id = await mem.create_session("ada")
    for _ in range(3):
        await mem.store_turn(session_id, "ada", "old question", "old answer")
    await expire(raw, session_id)

    turn = await mem.store_turn(session_id, "ada", "new question", "new answer")

    assert (turn.session_id, turn.turn_number) == (session_id, 1)
    assert await mem.get_session_history(session_id) == [turn]
    rows = await rows_of(raw, tenant_id)
    assert not any(re.search("old", row) for row in rows["messages"])


async def test_a_turn_for_another_users_expired_session_is_refused(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b1, b4"""
    session_id = await mem.create_session("bob")
    await mem.store_turn(session_id, "bob", "question", "answer")
    await expire(raw, session_id)

    with pytest.raises(MemoryNotFoundError):
        await mem.store_turn(session_id, "ada", "question", "answer")

    assert len((await rows_of(raw, tenant_id))["messages"]) == 2


async def test_cleanup_forgets_the_ids_that_no_journal_holds_any_more(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """b7: what was said under an id is written once; the id is not kept for ever."""
    await mem.chat("ada", "long ago")
    await raw.execute(
        "UPDATE applied_writes SET at = now() - interval '31 days' WHERE tenant_id = %s",
        [tenant_id],
    )
    await mem.chat("ada", "today")

    await mem.cleanup()

    # The question and the answer of today.
    assert len((await rows_of(raw, tenant_id))["applied_writes"]) == 2
    assert await mem.count_messages("ada") == 4
