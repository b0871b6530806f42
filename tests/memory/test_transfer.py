"""Bulk import: the same as one message after the other, only faster."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from longterm import AsyncTenant, InvalidInputError, InvalidRoleError
from longterm.memory import transfer
from longterm.records.transfer import ImportedConversation, ImportedMessage
from tests.outside import Raw

LONG_AGO = datetime(2021, 5, 4, 12, tzinfo=UTC)


def said(*roles: str) -> list[ImportedMessage]:
    return [
        ImportedMessage(
            role=role, content=f"{place}: {role}", created_at=LONG_AGO + timedelta(minutes=place)
        )
        for place, role in enumerate(roles)
    ]


def a_conversation(*roles: str, title: str | None = None) -> ImportedConversation:
    return ImportedConversation(title=title, messages=said(*roles))


async def turns_of(mem: AsyncTenant, conversation_id: str) -> list[tuple[int, str, str]]:
    page = await mem.get_messages(conversation_id, limit=1000)
    return [(message.turn, message.role, message.content) for message in page]


@pytest.mark.parametrize(
    "roles",
    [
        "user",
        "assistant",
        "user assistant user assistant",
        "user user assistant",
        "assistant assistant user",
        "user assistant assistant user user assistant",
    ],
)
async def test_turns_are_numbered_as_by_one_message_after_the_other(
    new_tenant: Callable[[], AsyncTenant], roles: str
) -> None:
    mem, single = new_tenant(), new_tenant()
    expected = (await single.create_conversation("ada")).id
    for message in said(*roles.split()):
        await single.add_message("ada", message.role, message.content, conversation_id=expected)

    result = await mem.import_messages("ada", [a_conversation(*roles.split())])

    (imported,) = result.conversation_ids
    assert await turns_of(mem, imported) == await turns_of(single, expected)
    for tenant, id_ in ((mem, imported), (single, expected)):
        await tenant.add_message("ada", "assistant", "And on it goes", conversation_id=id_)
    assert await turns_of(mem, imported) == await turns_of(single, expected)


async def test_what_was_told_is_kept(mem: AsyncTenant) -> None:
    when = datetime(2020, 1, 2, 3, 4, 5, 678, tzinfo=timezone(timedelta(hours=2)))
    told = ImportedConversation(
        title="A trip",
        metadata={"from": "elsewhere", "n": [1, 2.5]},
        messages=[
            ImportedMessage(role="user", content="Grüße 🦊", created_at=when, name="Ada"),
            ImportedMessage(role="assistant", content="Hello"),
        ],
    )

    result = await mem.import_messages("ada", [told])

    conversation = await mem.get_conversation("ada", result.conversation_ids[0])
    first, second = await mem.get_messages(conversation.id)
    assert (result.conversations, result.messages, result.turns) == (1, 2, 1)
    assert (conversation.title, conversation.title_by) == ("A trip", "person")
    assert (conversation.metadata, conversation.turn_count) == (told.metadata, 1)
    assert (first.content, first.name, first.created_at) == ("Grüße 🦊", "Ada", when)
    assert second.name is None
    assert second.created_at == second.recorded_at


async def test_imported_conversations_keep_their_place_in_time(mem: AsyncTenant) -> None:
    today = await mem.create_conversation("ada", "today")

    result = await mem.import_messages("ada", [a_conversation("user", "assistant")])

    listed = await mem.list_conversations("ada")
    assert [conversation.id for conversation in listed] == [today.id, *result.conversation_ids]
    assert listed[1].created_at == LONG_AGO
    assert listed[1].updated_at == LONG_AGO + timedelta(minutes=1)
    assert (await mem.current_conversation("ada")).id == today.id


async def test_each_conversation_has_its_job(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    result = await mem.import_messages("ada", [a_conversation("user"), a_conversation("user")])

    cursor = await raw.execute(
        "SELECT key FROM jobs WHERE tenant_id = %s AND task = 'digest' AND user_id = 'ada'",
        [tenant_id],
    )
    assert {key for (key,) in await cursor.fetchall()} == set(result.conversation_ids)


async def test_a_bad_message_in_a_list_leaves_nothing_behind(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_MOST_MESSAGES", 1)

    with pytest.raises(InvalidRoleError, match="Conversation 2, message 3: A message has"):
        await mem.import_messages(
            "ada", [a_conversation("user"), a_conversation("user", "user", "tool")]
        )

    assert await mem.count_messages("ada") == 0
    assert len(await mem.list_conversations("ada")) == 0


@pytest.mark.parametrize(
    "message",
    [
        ImportedMessage(role="user", content=" \n"),
        ImportedMessage(role="user", content="a\x00b"),
        ImportedMessage(role="user", content="x" * 1_000_001),
        ImportedMessage(role="user", content="hi", name=" "),
        ImportedMessage(role="user", content="hi", created_at=datetime(2020, 1, 1)),  # noqa: DTZ001
    ],
)
async def test_every_message_is_checked(mem: AsyncTenant, message: ImportedMessage) -> None:
    with pytest.raises(InvalidInputError, match="Conversation 1, message 1: "):
        await mem.import_messages("ada", [ImportedConversation(messages=[message])])

    assert len(await mem.list_conversations("ada")) == 0


async def test_of_a_stream_whole_conversations_before_the_fault_stay(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_MOST_MESSAGES", 4)

    def stream() -> Iterator[ImportedConversation]:
        yield a_conversation("user", "assistant", "user", "assistant", "user")
        yield a_conversation("user", "assistant", "user", "assistant", "nobody")

    with pytest.raises(InvalidRoleError):
        await mem.import_messages("ada", stream())

    (kept,) = await mem.list_conversations("ada")
    assert kept.turn_count == 3
    assert len(await mem.get_messages(kept.id)) == 5


async def test_an_async_stream_is_read_to_its_end(
    mem: AsyncTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_MOST_MESSAGES", 3)

    async def stream() -> AsyncIterator[ImportedConversation]:
        for _ in range(5):
            yield a_conversation("user", "assistant")

    result = await mem.import_messages("ada", stream())

    assert (result.conversations, result.messages, result.turns) == (5, 10, 5)
    assert len(set(result.conversation_ids)) == 5
    assert await mem.count_messages("ada") == 10


async def test_a_conversation_larger_than_a_statement_is_whole(mem: AsyncTenant) -> None:
    roles = ["user", "assistant"] * 6_000

    result = await mem.import_messages("ada", [a_conversation(*roles)])

    conversation = await mem.get_conversation("ada", result.conversation_ids[0])
    newest = await mem.get_recent_messages("ada", 2)
    assert (result.messages, conversation.turn_count) == (12_000, 6_000)
    assert [(message.turn, message.role) for message in newest] == [
        (6_000, "user"),
        (6_000, "assistant"),
    ]


async def test_nothing_and_empty_conversations_can_be_imported(mem: AsyncTenant) -> None:
    nothing = await mem.import_messages("ada", [])
    empty = await mem.import_messages("ada", [a_conversation(title="Nothing was said")])

    assert nothing.conversations == 0
    assert (empty.conversations, empty.messages) == (1, 0)
    assert [c.title for c in await mem.list_conversations("ada")] == ["Nothing was said"]


async def test_what_one_tenant_imports_another_does_not_see(
    new_tenant: Callable[[], AsyncTenant],
) -> None:
    mem, other = new_tenant(), new_tenant()

    await mem.import_messages("ada", [a_conversation("user")])

    assert await mem.count_messages("ada") == 1
    assert await other.count_messages("ada") == 0
