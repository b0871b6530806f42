"""SPEC 1, a1: how messages make turns, and into which conversation they go."""

from uuid import uuid4

import pytest

from longterm import AsyncTenant
from longterm.errors import MemoryNotFoundError
from tests.outside import Raw, expire


async def turns_of(mem: AsyncTenant, conversation_id: str) -> list[tuple[int, str]]:
    """The turns and roles of a conversation, in order."""
    page = await mem.get_messages(conversation_id, limit=1000)
    return [(message.turn, message.role) for message in page]


@pytest.mark.parametrize(
    ("roles", "turns"),
    [
        ("user", [1]),
        ("user assistant", [1, 1]),
        ("user assistant user assistant", [1, 1, 2, 2]),
        ("user user assistant", [1, 2, 2]),
        ("assistant", [1]),
        ("assistant assistant", [1, 2]),
        ("assistant user assistant assistant user", [1, 2, 2, 3, 4]),
    ],
)
async def test_a_user_message_opens_a_turn_and_an_answer_closes_it_or_is_its_own(
    mem: AsyncTenant, roles: str, turns: list[int]
) -> None:
    """SPEC 1"""
    conversation = await mem.create_conversation("ada")

    for role in roles.split():
        await mem.add_message("ada", role, "words", conversation_id=conversation.id)

    stored = await turns_of(mem, conversation.id)
    assert stored == list(zip(turns, roles.split(), strict=True))
    counted = await mem.get_conversation("ada", conversation.id)
    assert counted.turn_count == turns[-1]


async def test_a_stored_turn_answers_nothing_but_itself(mem: AsyncTenant) -> None:
    """SPEC 1"""
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "left open", conversation_id=conversation.id)

    turn = await mem.store_turn(conversation.id, "ada", "question", "answer")
    await mem.add_message("ada", "assistant", "late", conversation_id=conversation.id)

    assert turn.turn_number == 2
    assert await turns_of(mem, conversation.id) == [
        (1, "user"),
        (2, "user"),
        (2, "assistant"),
        (3, "assistant"),
    ]


async def test_the_number_of_a_deleted_turn_is_not_given_again(mem: AsyncTenant) -> None:
    """SPEC 1"""
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "one", conversation_id=conversation.id)
    last = await mem.add_message("ada", "user", "two", conversation_id=conversation.id)
    await mem.delete_message(last)

    await mem.add_message("ada", "user", "three", conversation_id=conversation.id)

    assert await turns_of(mem, conversation.id) == [(1, "user"), (3, "user")]


async def test_turns_are_numbered_in_each_conversation(mem: AsyncTenant) -> None:
    """SPEC 1"""
    one, two = await mem.create_conversation("ada"), await mem.create_conversation("ada")

    for conversation in (one, two, one, two):
        await mem.add_message("ada", "user", "words", conversation_id=conversation.id)

    assert await turns_of(mem, one.id) == [(1, "user"), (2, "user")]
    assert await turns_of(mem, two.id) == [(1, "user"), (2, "user")]


async def test_the_first_message_makes_the_current_conversation(mem: AsyncTenant) -> None:
    """a1"""
    await mem.add_message("ada", "user", "hello")

    current = await mem.current_conversation("ada")

    (message,) = await mem.get_messages(current.id)
    assert (message.content, current.kind, current.turn_count) == ("hello", "conversation", 1)
    assert len(await mem.list_conversations("ada")) == 1


async def test_the_current_conversation_is_made_when_it_is_asked_for(mem: AsyncTenant) -> None:
    """a1"""
    current = await mem.current_conversation("ada")
    again = await mem.current_conversation("ada")
    await mem.add_message("ada", "user", "hello")

    assert again == current
    assert await turns_of(mem, current.id) == [(1, "user")]


async def test_messages_follow_the_conversation_that_was_used_last(mem: AsyncTenant) -> None:
    """a1"""
    first = await mem.create_conversation("ada")
    second = await mem.create_conversation("ada")
    assert (await mem.current_conversation("ada")).id == second.id

    await mem.add_message("ada", "user", "back to the first", conversation_id=first.id)
    await mem.add_message("ada", "assistant", "here")

    assert await turns_of(mem, first.id) == [(1, "user"), (1, "assistant")]
    assert (await mem.current_conversation("ada")).id == first.id


async def test_the_current_conversation_is_each_users_own(mem: AsyncTenant) -> None:
    """a1"""
    adas = await mem.current_conversation("ada")
    bobs = await mem.current_conversation("bob")

    assert adas.id != bobs.id
    assert (await mem.current_conversation("ada")).id == adas.id


async def test_a_session_never_becomes_current(mem: AsyncTenant) -> None:
    """a1, b4"""
    current = await mem.current_conversation("ada")
    session_id = await mem.create_session("ada")

    await mem.store_turn(session_id, "ada", "question", "answer")
    await mem.add_message("ada", "user", "in the session", conversation_id=session_id)
    await mem.add_message("ada", "user", "not in the session")

    assert (await mem.current_conversation("ada")).id == current.id
    assert await turns_of(mem, current.id) == [(1, "user")]
    assert len(await turns_of(mem, session_id)) == 3


async def test_an_archived_conversation_is_not_current(mem: AsyncTenant) -> None:
    """a1, d1"""
    archived = await mem.current_conversation("ada")
    await mem.update_conversation("ada", archived.id, archived=True)

    await mem.add_message("ada", "user", "hello")

    current = await mem.current_conversation("ada")
    assert current.id != archived.id
    assert await turns_of(mem, current.id) == [(1, "user")]
    assert await turns_of(mem, archived.id) == []


async def test_an_archived_conversation_takes_messages_that_name_it(mem: AsyncTenant) -> None:
    """d1"""
    archived = await mem.current_conversation("ada")
    await mem.update_conversation("ada", archived.id, archived=True)

    await mem.add_message("ada", "user", "one more", conversation_id=archived.id)

    assert await turns_of(mem, archived.id) == [(1, "user")]
    assert (await mem.get_conversation("ada", archived.id)).archived


async def test_a_deleted_conversation_is_not_current(mem: AsyncTenant) -> None:
    """a1"""
    deleted = await mem.current_conversation("ada")
    await mem.delete_conversation("ada", deleted.id)

    await mem.add_message("ada", "user", "hello")

    assert (await mem.current_conversation("ada")).id != deleted.id
    assert await mem.count_messages("ada") == 1


async def test_an_expired_conversation_is_not_current(mem: AsyncTenant, raw: Raw) -> None:
    """a1, b4"""
    expired = await mem.current_conversation("ada")
    await expire(raw, expired.id)

    await mem.add_message("ada", "user", "hello")

    current = await mem.current_conversation("ada")
    assert current.id != expired.id
    assert await turns_of(mem, current.id) == [(1, "user")]


async def test_a_message_to_a_conversation_that_is_not_there_is_an_error(mem: AsyncTenant) -> None:
    """a2"""
    with pytest.raises(MemoryNotFoundError):
        await mem.add_message("ada", "user", "hello", conversation_id=uuid4())

    assert len(await mem.list_conversations("ada")) == 0
