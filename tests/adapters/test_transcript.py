"""What the chat histories of all frameworks rest on."""

from collections.abc import Callable
from uuid import uuid4

from longterm import AsyncTenant
from longterm.adapters.transcript import Entry, Transcript
from longterm.records.ids import named_id

ITEM = {"id": 1, "deep": [{"a": None}]}


def of(mem: AsyncTenant, user_id: str = "ada", session_id: str = "support 7") -> Transcript:
    return Transcript(
        mem,
        user_id,
        session_id,
        framework="a framework",
        plain=lambda role, words: {"role": role, "content": words},
    )


async def test_items_come_back_unchanged_and_their_words_are_messages(mem: AsyncTenant) -> None:
    transcript = of(mem)
    await transcript.add([Entry("user", "Hello", ITEM), Entry("assistant", " ", {"tool": "x"})])

    (first, second) = await mem.get_messages(transcript.conversation_id)

    assert await transcript.items() == [ITEM, {"tool": "x"}]
    assert (first.role, first.content, second.content) == ("user", "Hello", "")


async def test_what_came_through_another_door_is_an_item_too(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "Hello", custom_payload={"another": 1})

    items = await of(mem, session_id=conversation.id).items()

    assert items == [{"role": "user", "content": "Hello"}]


async def test_an_item_that_is_plain_is_not_stored_twice(mem: AsyncTenant) -> None:
    transcript = of(mem)
    await transcript.add([Entry("user", "Hello", {"role": "user", "content": "Hello"})])

    (message,) = await mem.get_messages(transcript.conversation_id)

    assert message.custom_payload is None
    assert await transcript.items() == [{"role": "user", "content": "Hello"}]


async def test_more_items_than_a_page_are_kept_in_order(mem: AsyncTenant) -> None:
    transcript = of(mem)
    await transcript.add([Entry("assistant", "words", {"n": n}) for n in range(1100)])

    assert [item["n"] for item in await transcript.items()] == list(range(1100))
    assert [item["n"] for item in await transcript.items(3)] == [1097, 1098, 1099]
    assert await transcript.items(0) == []


async def test_the_newest_item_is_taken_back(mem: AsyncTenant) -> None:
    transcript = of(mem)
    await transcript.add([Entry("user", str(n), {"n": n}) for n in range(2)])

    popped = [await transcript.pop() for _ in range(3)]

    assert popped == [{"n": 1}, {"n": 0}, None]


async def test_what_was_cleared_is_gone_and_can_begin_again(mem: AsyncTenant) -> None:
    transcript = of(mem)
    await transcript.add([Entry("user", "Hello", ITEM)])

    await transcript.clear()
    await transcript.clear()
    cleared = await transcript.items()
    await transcript.add([Entry("user", "Again", ITEM)])

    assert cleared == []
    assert len(await transcript.items()) == 1
    assert await mem.count_messages("ada") == 1


async def test_two_users_and_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    mem, foreign, id_ = new_tenant(), new_tenant(), str(uuid4())
    for session_id in ("support 7", id_):
        await of(mem, session_id=session_id).add([Entry("user", "Hello", ITEM)])
        for transcript in (of(mem, "bob", session_id), of(foreign, "ada", session_id)):
            assert await transcript.items() == []
            assert await transcript.pop() is None
            await transcript.clear()

        assert await of(mem, session_id=session_id).items() == [ITEM]


def test_no_two_users_have_the_same_conversation() -> None:
    pairs = [("a", "b:c"), ("a:b", "c"), ("1:a", ":b"), ("1", "a::b"), ("", "a:b:c"), ("a:b:c", "")]

    assert len({named_id(*pair) for pair in pairs}) == len(pairs)
