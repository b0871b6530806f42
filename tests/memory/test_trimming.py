"""a7: trimming the history of a user."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from longterm import AsyncTenant
from tests.outside import Raw, expire

DAY = timedelta(days=1)


async def ago(mem: AsyncTenant, days: Sequence[float], user_id: str = "ada") -> list[int]:
    """Messages that were said so many days ago."""
    now = datetime.now(UTC)
    return [
        await mem.add_message(user_id, "user", f"{day} days ago", created_at=now - day * DAY)
        for day in days
    ]


async def left(mem: AsyncTenant, user_id: str = "ada") -> list[int]:
    """The ids of the messages that the history still has, oldest first."""
    return [message.id for message in await mem.get_recent_messages(user_id, 1000)]


async def stored(raw: Raw, tenant_id: int) -> int:
    """How many messages are in the table, archived or not."""
    cursor = await raw.execute(
        "SELECT count(*) FROM longterm.messages WHERE tenant_id = %s", [tenant_id]
    )
    row = await cursor.fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("archive", [True, False])
async def test_trimming_by_number_keeps_the_newest(mem: AsyncTenant, archive: bool) -> None:
    """a7"""
    ids = await ago(mem, [5, 4, 3, 2, 1])
    await ago(mem, [9], user_id="bob")

    trimmed = await mem.trim_history("ada", keep_last=2, archive=archive)

    assert trimmed == 3
    assert await left(mem) == ids[3:]
    assert await mem.count_messages("ada") == 2
    assert await mem.count_messages("bob") == 1


@pytest.mark.parametrize("archive", [True, False])
async def test_trimming_by_age_keeps_the_younger(mem: AsyncTenant, archive: bool) -> None:
    """a7"""
    ids = await ago(mem, [5, 4, 3, 2, 1])

    trimmed = await mem.trim_history("ada", older_than=2.5 * DAY, archive=archive)

    assert trimmed == 3
    assert await left(mem) == ids[3:]


async def test_trimming_by_a_moment_keeps_what_was_said_from_then_on(mem: AsyncTenant) -> None:
    """a7"""
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    await mem.add_message("ada", "user", "before", created_at=moment - timedelta(microseconds=1))
    at = await mem.add_message("ada", "user", "at", created_at=moment)

    trimmed = await mem.trim_history("ada", older_than=moment)

    assert trimmed == 1
    assert await left(mem) == [at]


@pytest.mark.parametrize(
    ("keep_last", "days", "kept"), [(1, 3.5, 1), (4, 2.5, 2), (9, 9, 5), (0, 9, 0), (9, 0, 0)]
)
async def test_trimming_by_both_keeps_what_both_keep(
    mem: AsyncTenant, keep_last: int, days: float, kept: int
) -> None:
    """a7"""
    ids = await ago(mem, [5, 4, 3, 2, 1])

    trimmed = await mem.trim_history("ada", keep_last=keep_last, older_than=days * DAY)

    assert trimmed == 5 - kept
    assert await left(mem) == ids[5 - kept :]


async def test_archived_messages_stay_in_the_log_and_out_of_every_read(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """a7"""
    conversation = await mem.current_conversation("ada")
    await ago(mem, [2, 1])

    await mem.trim_history("ada", keep_last=0)

    assert await stored(raw, tenant_id) == 2
    assert await left(mem) == []
    assert await mem.get_conversation_history("ada") == []
    assert await mem.count_messages("ada") == 0
    assert len(await mem.get_messages(conversation.id)) == 0
    assert len(await mem.get_messages(conversation.id, after=1)) == 0
    assert await mem.get_session_history(conversation.id) == []
    assert len(await mem.list_conversations("ada", search="days ago")) == 0


async def test_deleted_messages_are_gone(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    """a7"""
    await ago(mem, [2, 1])

    await mem.trim_history("ada", keep_last=1, archive=False)

    assert await stored(raw, tenant_id) == 1


async def test_trimming_twice_trims_nothing_more(mem: AsyncTenant) -> None:
    """a7"""
    await ago(mem, [3, 2, 1])

    first = await mem.trim_history("ada", keep_last=2)
    second = await mem.trim_history("ada", keep_last=2)

    assert (first, second) == (1, 0)


async def test_trimming_where_there_is_nothing_trims_nothing(mem: AsyncTenant) -> None:
    """a7"""
    assert await mem.trim_history("nobody", keep_last=0) == 0
    assert await mem.trim_history("nobody", older_than=DAY) == 0


async def test_messages_of_the_same_moment_are_trimmed_in_the_order_of_the_history(
    mem: AsyncTenant,
) -> None:
    """a7"""
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    ids = [
        await mem.add_message("ada", "user", f"{number}", created_at=moment) for number in range(5)
    ]

    await mem.trim_history("ada", keep_last=3)

    assert await left(mem) == ids[2:]


async def test_the_newest_are_counted_over_all_conversations(mem: AsyncTenant) -> None:
    """a7"""
    old = await ago(mem, [4, 3])
    await mem.create_conversation("ada")
    new = await ago(mem, [2, 1])

    await mem.trim_history("ada", keep_last=3)

    assert await left(mem) == [old[1], *new]


async def test_messages_of_the_last_possible_moment_can_be_trimmed(mem: AsyncTenant) -> None:
    """a7"""
    await mem.add_message(
        "ada", "user", "the end of time", created_at=datetime.max.replace(tzinfo=UTC)
    )

    assert await mem.trim_history("ada", keep_last=0) == 1
    assert await left(mem) == []


async def test_messages_of_expired_conversations_do_not_count_among_the_newest(
    mem: AsyncTenant, raw: Raw
) -> None:
    """a7, b4"""
    ids = await ago(mem, [3, 2])
    expired = await mem.create_conversation("ada")
    await ago(mem, [1, 0.5])
    await expire(raw, expired.id)

    await mem.trim_history("ada", keep_last=2, archive=False)

    assert await left(mem) == ids


async def test_numbering_goes_on_after_trimming(mem: AsyncTenant) -> None:
    """a7, SPEC 1"""
    await ago(mem, [3, 2, 1])
    await mem.trim_history("ada", keep_last=0, archive=False)

    await mem.add_message("ada", "user", "next")

    (message,) = await mem.get_recent_messages("ada")
    assert message.turn == 4


async def test_more_messages_than_one_batch_are_trimmed(
    mem: AsyncTenant, raw: Raw, tenant_id: int
) -> None:
    """a7"""
    current = await mem.current_conversation("ada")
    await raw.execute(
        """INSERT INTO longterm.messages
                  (tenant_id, conversation_id, user_id, turn, role, content, said_at)
           SELECT %s, %s, 'ada', turn, 'user', 'words', now() - turn * interval '1 second'
             FROM generate_series(1, 12000) AS turn""",
        [tenant_id, current.id],
    )

    trimmed = await mem.trim_history("ada", keep_last=10)

    assert trimmed == 11_990
    recent = await mem.get_recent_messages("ada", 1000)
    assert [message.turn for message in recent] == list(range(10, 0, -1))
