"""d5: a title is made from the first message, and an edited one is never overwritten."""

import pytest

from longterm import AsyncTenant
from longterm.records.conversation import Conversation
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.store import conversations


async def titled(runtime: Runtime, mem: AsyncTenant, user_id: str = "ada") -> Conversation:
    """The current conversation once the background work is done."""
    await runtime.worker().drain()
    return await mem.current_conversation(user_id)


async def test_a_title_is_made_from_the_first_message(runtime: Runtime, mem: AsyncTenant) -> None:
    """d5"""
    await mem.add_message("ada", "user", "How do I bake bread? I have flour.")
    await mem.add_message("ada", "assistant", "With patience.")
    before = await mem.current_conversation("ada")

    after = await titled(runtime, mem)

    assert (before.title, before.title_by) == (None, None)
    assert (after.title, after.title_by) == ("How do I bake bread?", "rule")


async def test_a_session_gets_a_title_too(runtime: Runtime, mem: AsyncTenant) -> None:
    """d5"""
    session_id = await mem.create_session("ada")
    await mem.store_turn(session_id, "ada", "How do I bake bread?", "With patience.")

    await runtime.worker().drain()

    assert (await mem.get_conversation("ada", session_id)).title == "How do I bake bread?"


async def test_a_made_title_stays_when_the_conversation_goes_on(
    runtime: Runtime, mem: AsyncTenant
) -> None:
    """d5"""
    await mem.add_message("ada", "user", "The first")
    await titled(runtime, mem)
    await mem.add_message("ada", "user", "The second")

    assert (await titled(runtime, mem)).title == "The first"


async def test_an_edited_title_is_never_overwritten(runtime: Runtime, mem: AsyncTenant) -> None:
    """d5"""
    await mem.add_message("ada", "user", "The first message")
    current = await mem.current_conversation("ada")
    await mem.update_conversation("ada", current.id, title="Mine")

    after = await titled(runtime, mem)
    await mem.add_message("ada", "user", "Another message")
    later = await titled(runtime, mem)

    assert (after.title, after.title_by) == ("Mine", "person")
    assert (later.title, later.title_by) == ("Mine", "person")


async def test_a_title_edited_while_another_is_made_is_not_overwritten(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    """d5"""
    made = await mem.create_conversation("ada", "Mine")

    async with runtime.parts.database.tenant(Scope(tenant_id)) as conn:
        taken = await conversations.set_made_title(
            conn, conversation_id=made.id, title="Made", title_by="rule"
        )

    assert not taken
    assert (await mem.get_conversation("ada", made.id)).title == "Mine"


async def test_an_edited_title_replaces_a_made_one(runtime: Runtime, mem: AsyncTenant) -> None:
    """d5"""
    await mem.add_message("ada", "user", "The first message")
    made = await titled(runtime, mem)

    edited = await mem.update_conversation("ada", made.id, title="Mine")

    assert (edited.title, edited.title_by) == ("Mine", "person")
    assert (await titled(runtime, mem)).title == "Mine"


async def test_a_title_given_at_the_start_is_a_persons(runtime: Runtime, mem: AsyncTenant) -> None:
    """d5"""
    await mem.create_conversation("ada", "Mine")
    await mem.add_message("ada", "user", "The first message")

    after = await titled(runtime, mem)

    assert (after.title, after.title_by) == ("Mine", "person")


async def test_a_change_of_something_else_leaves_the_title_to_be_made(
    runtime: Runtime, mem: AsyncTenant
) -> None:
    """d5"""
    await mem.add_message("ada", "user", "The first message")
    current = await mem.current_conversation("ada")
    await mem.update_conversation("ada", current.id, metadata={"colour": "blue"})

    assert (await titled(runtime, mem)).title == "The first message"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("hello", "hello"),
        ("  hello \n there ", "hello"),
        ("a " * 100, ("a " * 29).strip() + "…"),
        ("x" * 100, "x" * 59 + "…"),
        ("パンの作り方は？ 教えて", "パンの作り方は？"),
        ("3.14 is pi", "3.14 is pi"),
    ],
)
async def test_a_made_title_is_the_first_sentence_cut_at_a_word(
    runtime: Runtime, mem: AsyncTenant, content: str, title: str
) -> None:
    """d5"""
    await mem.add_message("ada", "user", content)

    assert (await titled(runtime, mem)).title == title


async def test_an_answer_that_only_calls_tools_gives_no_title(
    runtime: Runtime, mem: AsyncTenant
) -> None:
    """d5, d2"""
    await mem.add_message("ada", "assistant", "", tool_calls=[{"id": "call_1"}])
    await titled(runtime, mem)

    await mem.add_message("ada", "user", "The first words")

    assert (await titled(runtime, mem)).title == "The first words"


async def test_a_conversation_that_was_deleted_meanwhile_needs_no_title(
    runtime: Runtime, mem: AsyncTenant
) -> None:
    """d5"""
    await mem.add_message("ada", "user", "hello")
    await mem.clear_conversation_history("ada")

    await runtime.worker().drain()

    assert len(await mem.list_conversations("ada")) == 0
