"""Bulk import, against COPY of the same rows."""

import functools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from longterm.bench import data
from longterm.bench.bare import CopiedRow
from longterm.bench.data import ANSWER, QUESTION, TENANT
from longterm.bench.report import Row, row
from longterm.bench.setting import Bench
from longterm.bench.timing import milliseconds
from longterm.records.transfer import ImportedConversation, ImportedMessage

LIMIT = 3
PER_CONVERSATION = 40
START = datetime(2024, 1, 1, tzinfo=UTC)


async def measure(bench: Bench) -> list[Row]:
    """Compare imports of several sizes."""
    return [await _import(bench, messages) for messages in bench.sizes.imported_messages]


async def _import(bench: Bench, messages: int) -> Row:
    rounds = bench.sizes.import_rounds
    bench.progress.start(f"import of {messages:,} messages", rounds)
    user_id = f"importer-of-{messages}"
    await data.make_users(bench.admin, [user_id])
    conversations = _conversations(messages // PER_CONVERSATION)
    ours: list[float] = []
    theirs: list[float] = []
    for place in range(rounds):
        for ours_is_next in (place % 2 == 0, place % 2 == 1):
            if ours_is_next:
                ours.append(
                    await milliseconds(lambda: bench.mem.import_messages(user_id, conversations))
                )
            else:
                copied = await _copied(bench, user_id, conversations)
                theirs.append(await milliseconds(functools.partial(bench.bare.copy, copied)))
        bench.progress.step()
    return row(
        "bulk import (import_messages)",
        f"{messages:,} messages",
        "COPY",
        ours,
        theirs,
        limit=LIMIT,
        messages=messages,
    )


def _conversations(count: int) -> list[ImportedConversation]:
    return [
        ImportedConversation(
            messages=[
                ImportedMessage(
                    role="user" if place % 2 == 0 else "assistant",
                    content=f"{QUESTION if place % 2 == 0 else ANSWER}{place}",
                    created_at=START + timedelta(seconds=number * PER_CONVERSATION + place),
                )
                for place in range(PER_CONVERSATION)
            ]
        )
        for number in range(count)
    ]


async def _copied(
    bench: Bench, user_id: str, conversations: Sequence[ImportedConversation]
) -> list[CopiedRow]:
    """Return the rows of the same messages in conversations that are there already."""
    ids = await data.make_conversations(bench.admin, [user_id] * len(conversations))
    return [
        (TENANT, id_, user_id, place // 2 + 1, message.role, message.content, message.created_at)
        for id_, conversation in zip(ids, conversations, strict=True)
        for place, message in enumerate(conversation.messages)
    ]
