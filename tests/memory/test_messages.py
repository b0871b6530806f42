"""d1: the messages of a conversation, page by page."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.errors import MemoryNotFoundError
from longterm.records.message import Message
from longterm.records.page import Page


async def fill(mem: AsyncTenant, contents: str) -> str:
    """A conversation with a message for each character; returns its id."""
    conversation = await mem.create_conversation("ada")
    for content in contents:
        await mem.add_message("ada", "user", content, conversation_id=conversation.id)
    return conversation.id


def said(page: Page[Message]) -> str:
    """What the messages of a page say."""
    return "".join(message.content for message in page)


async def test_the_newest_messages_come_in_the_order_they_were_said(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abcde")

    assert said(await mem.get_messages(conversation_id)) == "abcde"
    assert said(await mem.get_messages(conversation_id, limit=2)) == "de"


async def test_pages_go_back_to_the_beginning(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abcde")

    newest = await mem.get_messages(conversation_id, limit=2)
    older = await mem.get_messages(conversation_id, limit=2, before=newest.next_cursor)
    oldest = await mem.get_messages(conversation_id, limit=2, before=older.next_cursor)

    assert [said(page) for page in (newest, older, oldest)] == ["de", "bc", "a"]
    assert oldest.next_cursor is None


async def test_pages_go_forward_to_the_end(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abcdef")
    first = (await mem.get_messages(conversation_id))[0]

    next_ = await mem.get_messages(conversation_id, limit=3, after=first.id)
    last = await mem.get_messages(conversation_id, limit=3, after=next_.next_cursor)

    assert [said(page) for page in (next_, last)] == ["bcd", "ef"]
    assert last.next_cursor is None


async def test_pages_are_stable_while_messages_are_added(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abcd")
    newest = await mem.get_messages(conversation_id, limit=2)

    await mem.add_message("ada", "user", "e", conversation_id=conversation_id)
    older = await mem.get_messages(conversation_id, limit=2, before=newest.next_cursor)
    newer = await mem.get_messages(conversation_id, after=newest[-1].id)

    assert [said(page) for page in (older, newest, newer)] == ["ab", "cd", "e"]


async def test_a_cursor_of_a_message_that_is_gone_still_works(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abcd")
    newest = await mem.get_messages(conversation_id, limit=2)

    await mem.delete_message(newest[0].id)

    older = await mem.get_messages(conversation_id, before=newest.next_cursor)
    assert said(older) == "ab"


async def test_both_roles_of_a_turn_come_in_their_order(mem: AsyncTenant) -> None:
    """d1"""
    session_id = await mem.create_session("ada")
    for number in range(3):
        await mem.store_turn(session_id, "ada", f"q{number} ", f"a{number} ")

    newest = await mem.get_messages(session_id, limit=3)
    older = await mem.get_messages(session_id, limit=3, before=newest.next_cursor)

    assert said(older) + said(newest) == "q0 a0 q1 a1 q2 a2 "


async def test_a_conversation_without_messages_has_an_empty_page(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "")

    page = await mem.get_messages(conversation_id)

    assert (page.items, page.next_cursor) == ((), None)


async def test_messages_of_a_conversation_that_is_not_there_are_an_error(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """d1, a5"""
    others = await fill(new_tenant(), "secret")

    for conversation_id in (uuid4(), others):
        with pytest.raises(MemoryNotFoundError):
            await mem.get_messages(conversation_id)
        with pytest.raises(MemoryNotFoundError):
            await mem.get_messages(conversation_id, after=1)


async def test_before_and_after_exclude_each_other(mem: AsyncTenant) -> None:
    """d1"""
    conversation_id = await fill(mem, "abc")

    with pytest.raises(InvalidInputError, match="one of before, after and around"):
        await mem.get_messages(conversation_id, before=3, after=1)
