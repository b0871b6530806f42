"""d1: conversations of a user."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from longterm import AsyncTenant
from longterm.errors import MemoryNotFoundError
from longterm.records.conversation import Conversation
from tests.outside import Raw, expire, rows_of


async def make(mem: AsyncTenant, *titles: str, user_id: str = "ada") -> list[Conversation]:
    """Conversations with these titles, the oldest first."""
    return [await mem.create_conversation(user_id, title) for title in titles]


async def titles(mem: AsyncTenant, **how: Any) -> list[str | None]:
    """The titles of one page of a list."""
    return [found.title for found in await mem.list_conversations("ada", **how)]


async def test_create_conversation(mem: AsyncTenant, tenant_id: int) -> None:
    """d1"""
    made = await mem.create_conversation("ada", "Bread", metadata={"b": 1, "a": 1.0})

    found = await mem.get_conversation("ada", made.id)

    assert found == made
    assert (made.tenant_id, made.user_id, made.kind) == (tenant_id, "ada", "conversation")
    assert (made.title, made.title_by, made.archived) == ("Bread", "person", False)
    assert repr(made.metadata) == "{'b': 1, 'a': 1.0}"
    assert made.turn_count == 0
    assert UUID(made.id).version == 7


async def test_a_conversation_is_found_by_any_spelling_of_its_id(mem: AsyncTenant) -> None:
    """d1"""
    made = await mem.create_conversation("ada")

    for spelling in (made.id.upper(), f"{{{made.id}}}", UUID(made.id), UUID(made.id).hex):
        assert await mem.get_conversation("ada", spelling) == made


@pytest.mark.parametrize("whose", ["nobody's", "another user's", "another tenant's"])
async def test_a_conversation_that_is_not_the_users_is_not_there(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant], whose: str
) -> None:
    """d1, a5"""
    id_ = str(uuid4())
    if whose == "another user's":
        id_ = (await mem.create_conversation("bob")).id
    if whose == "another tenant's":
        id_ = (await new_tenant().create_conversation("ada")).id

    with pytest.raises(MemoryNotFoundError):
        await mem.get_conversation("ada", id_)
    with pytest.raises(MemoryNotFoundError):
        await mem.update_conversation("ada", id_, title="mine now")
    assert not await mem.delete_conversation("ada", id_)


async def test_the_conversation_used_last_is_listed_first(mem: AsyncTenant) -> None:
    """d1"""
    first, _, _ = await make(mem, "one", "two", "three")
    await make(mem, "bob's", user_id="bob")

    await mem.add_message("ada", "user", "back again", conversation_id=first.id)

    assert await titles(mem) == ["one", "three", "two"]


async def test_a_change_of_the_title_is_no_use_of_a_conversation(mem: AsyncTenant) -> None:
    """d1"""
    first, _ = await make(mem, "one", "two")

    await mem.update_conversation("ada", first.id, title="uno")

    assert await titles(mem) == ["two", "uno"]


async def test_archived_conversations_are_listed_when_asked_for(mem: AsyncTenant) -> None:
    """d1"""
    first, _ = await make(mem, "archived", "not archived")
    await mem.update_conversation("ada", first.id, archived=True)

    assert await titles(mem) == ["not archived"]
    assert await titles(mem, archived=True) == ["archived"]
    assert await titles(mem, archived=None) == ["not archived", "archived"]

    await mem.update_conversation("ada", first.id, archived=False)
    assert await titles(mem) == ["not archived", "archived"]


async def test_pages_follow_each_other_without_gap_or_repetition(mem: AsyncTenant) -> None:
    """d1"""
    await make(mem, *"abcdefg")

    pages, cursor = list[list[str | None]](), None
    while True:
        page = await mem.list_conversations("ada", limit=3, cursor=cursor)
        pages.append([found.title for found in page])
        if (cursor := page.next_cursor) is None:
            break

    assert pages == [["g", "f", "e"], ["d", "c", "b"], ["a"]]


async def test_a_page_that_is_just_full_is_the_last(mem: AsyncTenant) -> None:
    """d1"""
    await make(mem, *"abc")

    assert (await mem.list_conversations("ada", limit=3)).next_cursor is None
    assert (await mem.list_conversations("ada", limit=2)).next_cursor is not None


async def test_pages_are_stable_while_conversations_are_added_and_used(mem: AsyncTenant) -> None:
    """d1"""
    made = await make(mem, *"abcdef")
    first = await mem.list_conversations("ada", limit=2)

    await make(mem, "new")
    await mem.add_message("ada", "user", "again", conversation_id=made[5].id)
    second = await mem.list_conversations("ada", limit=2, cursor=first.next_cursor)
    await make(mem, "newer")
    third = await mem.list_conversations("ada", limit=2, cursor=second.next_cursor)

    seen = [found.title for page in (first, second, third) for found in page]
    assert seen == ["f", "e", "d", "c", "b", "a"]
    assert third.next_cursor is None


async def test_pages_are_stable_when_everything_was_used_at_the_same_moment(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """d1"""
    made = await make(mem, *"abcde")
    await raw.execute(
        "UPDATE conversations SET updated_at = now() WHERE tenant_id = %s", [tenant_id]
    )

    seen, cursor = list[str](), None
    for _ in made:
        page = await mem.list_conversations("ada", limit=1, cursor=cursor)
        seen += [found.id for found in page]
        cursor = page.next_cursor

    assert cursor is None
    assert seen == sorted((one.id for one in made), reverse=True)


async def test_a_cursor_of_a_conversation_that_is_gone_still_works(mem: AsyncTenant) -> None:
    """d1"""
    made = await make(mem, *"abcd")
    first = await mem.list_conversations("ada", limit=2)

    await mem.delete_conversation("ada", made[2].id)

    assert await titles(mem, cursor=first.next_cursor) == ["b", "a"]


async def test_search_looks_into_titles_and_messages(mem: AsyncTenant) -> None:
    """d1"""
    await make(mem, "Sourdough")
    second, third = await make(mem, "two", "three")
    await mem.add_message("ada", "user", "my sourdough failed", conversation_id=second.id)
    await mem.add_message("ada", "user", "words", conversation_id=third.id)
    bobs = await mem.create_conversation("bob", "sourdough too")
    await mem.add_message("bob", "user", "sourdough", conversation_id=bobs.id)

    assert await titles(mem, search="SourDOUGH") == ["two", "Sourdough"]
    assert await titles(mem, search="sourdough", limit=1) == ["two"]
    assert await titles(mem, search="rye") == []


async def test_search_ignores_case_beyond_ascii(mem: AsyncTenant) -> None:
    """d1"""
    await make(mem, "ÄPFEL", "яблоки")

    assert await titles(mem, search="äpfel") == ["ÄPFEL"]
    assert await titles(mem, search="ЯБЛОКИ") == ["яблоки"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("100%", ["100% rye"]),
        ("a_b", ["a_b"]),
        ("\\", ["back\\slash"]),
        ("%", ["100% rye"]),
        ("_", ["a_b"]),
        ("k\\s", ["back\\slash"]),
        ("'", ["o'neil"]),
    ],
)
async def test_search_takes_every_character_literally(
    mem: AsyncTenant, search: str, found: list[str]
) -> None:
    """d1"""
    await make(mem, "100% rye", "1000 rye", "a_b", "axb", "back\\slash", "o'neil")

    assert await titles(mem, search=search) == found


async def test_search_goes_with_pages_and_archive(mem: AsyncTenant) -> None:
    """d1"""
    made = await make(mem, *(f"bread {number}" for number in range(5)), "other")
    await mem.update_conversation("ada", made[4].id, archived=True)

    first = await mem.list_conversations("ada", limit=2, search="bread")
    second = await titles(mem, limit=2, search="bread", cursor=first.next_cursor)

    assert [one.title for one in first] == ["bread 3", "bread 2"]
    assert second == ["bread 1", "bread 0"]
    assert await titles(mem, search="bread", archived=True) == ["bread 4"]


async def test_update_changes_what_is_given_and_nothing_else(mem: AsyncTenant) -> None:
    """d1"""
    made = await mem.create_conversation("ada", "old", retention=5, metadata={"a": 1})

    titled = await mem.update_conversation("ada", made.id, title="new")
    described = await mem.update_conversation("ada", made.id, metadata={})
    nothing = await mem.update_conversation("ada", made.id)

    assert (titled.title, titled.metadata, titled.retention_hours) == ("new", {"a": 1}, 5)
    assert (described.title, described.metadata, described.archived) == ("new", {}, False)
    assert nothing == described == await mem.get_conversation("ada", made.id)


async def test_delete_conversation_takes_its_messages_with_it(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """d1"""
    stays, goes = await make(mem, "stays", "goes")
    await mem.add_message("ada", "user", "stays", conversation_id=stays.id)
    for number in range(3):
        await mem.add_message("ada", "user", f"{number}", conversation_id=goes.id)

    assert await mem.delete_conversation("ada", goes.id)

    assert not await mem.delete_conversation("ada", goes.id)
    assert [message.content for message in await mem.get_recent_messages("ada")] == ["stays"]
    assert len((await rows_of(raw, tenant_id))["messages"]) == 1


async def test_pinned_conversations_come_first_through_all_pages(mem: AsyncTenant) -> None:
    """d8"""
    made = [(await mem.create_conversation("ada", f"title {number}")).id for number in range(6)]
    for number in (0, 3):
        assert (await mem.update_conversation("ada", made[number], pinned=True)).pinned

    seen: list[str] = []
    cursor = None
    while True:
        page = await mem.list_conversations("ada", 1, cursor)
        seen += [each.id for each in page]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == [made[number] for number in (3, 0, 5, 4, 2, 1)]
    found = await mem.list_conversations("ada", search="title")
    assert [each.id for each in found] == seen


async def test_a_search_finds_words_in_any_order_parts_of_words_and_titles(
    mem: AsyncTenant,
) -> None:
    """d8"""
    trip = (await mem.create_conversation("ada", "Summer")).id
    await mem.add_message("ada", "user", f"{'x ' * 100}We hiked near Lisbon\nwith the dogs")
    await mem.digest(trip)
    fresh = (await mem.create_conversation("ada", "Winter")).id
    await mem.add_message("ada", "user", "Skiing near Chamonix")

    words = await mem.list_conversations("ada", search="dog Lisbon")
    part = await mem.list_conversations("ada", search="hamon")
    title = await mem.list_conversations("ada", search="umme")
    nothing = await mem.list_conversations("ada", search="Lisbon Chamonix")

    assert [each.id for each in words] == [trip]
    assert "Lisbon with the dogs" in str(words[0].snippet)
    assert str(words[0].snippet).startswith("…")
    assert [(each.id, each.snippet) for each in part] == [(fresh, "Skiing near Chamonix")]
    assert [(each.id, each.snippet) for each in title] == [(trip, None)]
    assert len(nothing) == 0


async def test_a_conversation_is_made_once_under_an_id_that_the_application_chose(
    mem: AsyncTenant, raw: Raw
) -> None:
    """d1"""
    chosen = str(uuid4())
    made = await asyncio.gather(
        *(mem.create_conversation("ada", conversation_id=chosen) for _ in range(5))
    )
    await expire(raw, chosen)
    anew = await mem.create_conversation("ada", "anew", conversation_id=chosen)

    assert {one.id for one in made} == {chosen}
    assert anew.title == "anew"
    with pytest.raises(MemoryNotFoundError, match="This user has no such conversation"):
        await mem.create_conversation("bob", conversation_id=chosen)
