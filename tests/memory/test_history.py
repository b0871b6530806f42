"""a1, a2, a5, d2: messages of a user."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import longterm
from longterm import AsyncTenant, InvalidInputError, InvalidRoleError, LongtermError
from longterm.errors import MemoryNotFoundError
from longterm.records.scope import SYSTEM_TENANT, Scope
from longterm.runtime import Runtime

NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


async def say(mem: AsyncTenant, *contents: str, user_id: str = "ada") -> list[int]:
    """Let user and assistant speak in turns."""
    roles = ("user", "assistant")
    return [
        await mem.add_message(user_id, roles[number % 2], content)
        for number, content in enumerate(contents)
    ]


async def test_add_message_user(mem: AsyncTenant) -> None:
    """a1"""
    message_id = await mem.add_message("ada", "user", "What is Python?")

    (message,) = await mem.get_conversation_history("ada")

    assert (message.id, message.role, message.content) == (message_id, "user", "What is Python?")
    assert (message.user_id, message.turn, message.status) == ("ada", 1, "complete")


async def test_add_message_assistant(mem: AsyncTenant) -> None:
    """a1"""
    message_id = await mem.add_message("ada", "assistant", "A language.")

    (message,) = await mem.get_conversation_history("ada")

    assert (message.id, message.role, message.content) == (message_id, "assistant", "A language.")


async def test_get_conversation_history(mem: AsyncTenant) -> None:
    """a1"""
    ids = await say(mem, "one", "two", "three", "four", "five")

    everything = await mem.get_conversation_history("ada")
    middle = await mem.get_conversation_history("ada", limit=2, offset=1)
    beyond = await mem.get_conversation_history("ada", limit=2, offset=5)

    assert [message.id for message in everything] == ids[::-1]
    assert [message.content for message in middle] == ["four", "three"]
    assert beyond == []


async def test_get_recent_messages(mem: AsyncTenant) -> None:
    """a1"""
    await say(mem, "one", "two", "three", "four")

    recent = await mem.get_recent_messages("ada", count=3)

    assert [message.content for message in recent] == ["two", "three", "four"]


async def test_history_gives_50_messages_and_recent_10_when_nothing_is_said(
    mem: AsyncTenant,
) -> None:
    await say(mem, *(str(number) for number in range(51)))

    assert len(await mem.get_conversation_history("ada")) == 50
    assert len(await mem.get_recent_messages("ada")) == 10


async def test_count_messages(mem: AsyncTenant) -> None:
    """a1"""
    await say(mem, "one", "two", "three")
    await say(mem, "other", user_id="bob")

    assert await mem.count_messages("ada") == 3
    assert await mem.count_messages("nobody") == 0


async def test_clear_conversation_history(mem: AsyncTenant) -> None:
    """a1"""
    await say(mem, "one", "two")
    await mem.create_conversation("ada")
    await say(mem, "three")
    await say(mem, "other", user_id="bob")

    cleared = await mem.clear_conversation_history("ada")

    assert cleared == 3
    assert await mem.count_messages("ada") == 0
    assert len(await mem.list_conversations("ada")) == 0
    assert await mem.count_messages("bob") == 1
    assert await mem.clear_conversation_history("ada") == 0


async def test_a_cleared_history_goes_on_in_a_new_conversation(mem: AsyncTenant) -> None:
    before = await mem.current_conversation("ada")
    await say(mem, "one", "two")

    await mem.clear_conversation_history("ada")
    await say(mem, "again")

    (message,) = await mem.get_conversation_history("ada")
    assert message.conversation_id != before.id
    assert message.turn == 1


async def test_delete_message(mem: AsyncTenant) -> None:
    """a1"""
    first, second, third = await say(mem, "one", "two", "three")

    await mem.delete_message(second)

    left = await mem.get_recent_messages("ada")
    assert [(message.id, message.turn) for message in left] == [(first, 1), (third, 2)]


async def test_delete_nonexistent(mem: AsyncTenant) -> None:
    """a2"""
    (message_id,) = await say(mem, "one")
    await mem.delete_message(message_id)

    with pytest.raises(MemoryNotFoundError, match=str(message_id)):
        await mem.delete_message(message_id)


@pytest.mark.parametrize(
    "role", ["system", "User", "", " user", "tool", None, 1, b"user", ["user"]]
)
async def test_invalid_role_error(mem: AsyncTenant, role: Any) -> None:
    """a2"""
    with pytest.raises(InvalidRoleError, match="`user` or `assistant`"):
        await mem.add_message("ada", role, "hello")

    assert await mem.count_messages("ada") == 0


def test_errors_have_one_base_that_is_not_pythons_memory_error() -> None:
    """a2"""
    raised = [getattr(longterm, name) for name in longterm.__all__ if name.endswith("Error")]

    assert all(issubclass(error, LongtermError) for error in raised)
    assert not any(issubclass(error, MemoryError) for error in raised)
    assert issubclass(InvalidRoleError, InvalidInputError)
    assert not hasattr(longterm, "MemoryError")


async def test_tenant_isolation(
    mem: AsyncTenant, tenant_id: int, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5"""
    other = new_tenant()
    (message_id,) = await say(mem, "mine")
    (others_id,) = await say(other, "theirs")

    with pytest.raises(MemoryNotFoundError):
        await mem.delete_message(others_id)

    (seen,) = await mem.get_conversation_history("ada")
    (seen_by_other,) = await other.get_conversation_history("ada")
    assert (seen.id, seen.tenant_id) == (message_id, tenant_id)
    assert (seen_by_other.id, seen_by_other.content) == (others_id, "theirs")
    assert await mem.clear_conversation_history("ada") == 1
    assert await other.count_messages("ada") == 1


async def test_the_system_tenant_is_none_outside_and_apart_from_the_others(
    runtime: Runtime, mem: AsyncTenant, tenant_id: int
) -> None:
    user_id = f"ada of {tenant_id}"
    system = runtime.tenant(Scope(SYSTEM_TENANT))

    await say(system, "for all", user_id=user_id)

    (message,) = await system.get_conversation_history(user_id)
    assert message.tenant_id is None
    assert await mem.get_conversation_history(user_id) == []


async def test_messages_said_at_the_same_moment_keep_the_order_they_were_stored_in(
    mem: AsyncTenant,
) -> None:
    ids = [
        await mem.add_message("ada", "user", f"{number}", created_at=NOON) for number in range(5)
    ]

    newest_first = await mem.get_conversation_history("ada")
    pages = [
        (await mem.get_conversation_history("ada", limit=1, offset=offset))[0].id
        for offset in range(5)
    ]

    assert [message.id for message in newest_first] == ids[::-1]
    assert pages == ids[::-1]


async def test_history_goes_by_when_things_were_said_and_not_by_when_they_were_stored(
    mem: AsyncTenant,
) -> None:
    await mem.add_message("ada", "user", "today", created_at=NOON)
    await mem.add_message("ada", "user", "yesterday", created_at=NOON - timedelta(days=1))

    newest, oldest = await mem.get_conversation_history("ada")

    assert (newest.content, oldest.content) == ("today", "yesterday")
    assert oldest.recorded_at >= newest.recorded_at > newest.created_at


@pytest.mark.parametrize(
    "moment",
    [
        NOON,
        NOON.astimezone(timezone(timedelta(hours=-9, minutes=-30))),
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ],
)
async def test_the_moment_something_was_said_comes_back_in_utc(
    mem: AsyncTenant, moment: datetime
) -> None:
    await mem.add_message("ada", "user", "then", created_at=moment)

    (message,) = await mem.get_conversation_history("ada")

    assert message.created_at == moment
    assert message.created_at.utcoffset() == timedelta(0)


async def test_a_message_carries_the_name_of_its_speaker(mem: AsyncTenant) -> None:
    await mem.add_message("ada", "user", "hello", name="Ada Lovelace")

    (message,) = await mem.get_conversation_history("ada")

    assert message.name == "Ada Lovelace"


async def test_a_message_carries_its_payloads_as_they_came(mem: AsyncTenant) -> None:
    """d2"""
    payloads: dict[str, Any] = {
        "tool_calls": [{"id": "call_1", "arguments": {"x": 1, "y": 1.0, "z": True}}],
        "suggested_values": ["one", None, 1e22],
        "suggested_actions": {"b": 1, "a": []},
        "custom_payload": "plain text",
    }

    await mem.add_message("ada", "assistant", "look", **payloads)

    (message,) = await mem.get_conversation_history("ada")
    kept = {name: getattr(message, name) for name in payloads}
    assert repr(kept) == repr(payloads)


async def test_payloads_that_were_not_given_are_none(mem: AsyncTenant) -> None:
    """d2"""
    await mem.add_message("ada", "assistant", "look", custom_payload={"only": "this"})

    (message,) = await mem.get_conversation_history("ada")

    assert message.tool_calls is None
    assert message.suggested_values is None
    assert message.suggested_actions is None


async def test_an_answer_that_only_calls_tools_needs_no_words(mem: AsyncTenant) -> None:
    """d2"""
    await mem.add_message("ada", "assistant", "", tool_calls=[{"id": "call_1"}])

    (message,) = await mem.get_conversation_history("ada")

    assert (message.content, message.tool_calls) == ("", [{"id": "call_1"}])


@pytest.mark.parametrize(
    "content",
    [
        " leading and trailing \n",
        "quotes ' \" and \\ backslash",
        "%s %(tenant_id)s {} $1",
        "👩\u200d👩\u200d👧 🜚 \U0001d518 \U0010ffff",
        "\x01\x1f\x7f",
        "e\u0301 is not \u00e9",
        "x" * 1_000_000,
    ],
    ids=["spaces", "quotes", "placeholders", "beyond the BMP", "control", "combining", "1 MB"],
)
async def test_what_was_said_comes_back_unchanged(mem: AsyncTenant, content: str) -> None:
    await mem.add_message("ada", "user", content)

    (message,) = await mem.get_conversation_history("ada")

    assert message.content == content


@pytest.mark.parametrize("user_id", ["a", "x" * 255, "😀" * 255, " a ", "o'neil\\", "0", "a\nb"])
async def test_a_user_id_is_any_text_of_up_to_255_characters(
    mem: AsyncTenant, user_id: str
) -> None:
    await say(mem, "hello", user_id=user_id)

    (message,) = await mem.get_recent_messages(user_id)

    assert message.user_id == user_id


async def test_messages_of_a_user_are_not_those_of_another(mem: AsyncTenant) -> None:
    await say(mem, "from ada")
    await say(mem, "from bob", user_id="bob")

    (message,) = await mem.get_recent_messages("bob")

    assert message.content == "from bob"


async def test_a_message_to_a_conversation_of_another_user_is_not_stored(mem: AsyncTenant) -> None:
    bobs = await mem.create_conversation("bob")

    with pytest.raises(MemoryNotFoundError):
        await mem.add_message("ada", "user", "let me in", conversation_id=bobs.id)

    assert await mem.count_messages("ada") == 0
    assert await mem.count_messages("bob") == 0
