"""Delete, forget, archive, deactivate and expire mean the same through every door.

The rows are those of the table in docs/ownership.md.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from longterm import AsyncTenant, MemoryNotFoundError
from longterm.client import AsyncClient
from longterm.records.forgetting import Receipt
from tests.contract.conftest import House

FactState = Literal["active", "archived", "deleted", "deactivated", "erased"]


@dataclass(frozen=True, slots=True)
class Case:
    """A message, a later one elsewhere, and two facts: one of the first alone, one of both."""

    conversation_id: str
    message_id: int
    other_id: int
    alone: str
    shared: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What there is afterwards of the message, of the two facts, and of the audit trail."""

    message: bool
    recalled: bool
    alone: FactState
    alone_source_gone: bool | None
    shared: FactState
    shared_source: Literal["message", "other", "gone", None]
    trail: bool
    receipt: bool


NOTHING = Outcome(
    message=True, recalled=True, alone="active", alone_source_gone=False, shared="active",
    shared_source="message", trail=True, receipt=False,
)  # fmt: skip
DELETED = replace(
    NOTHING, message=False, recalled=False, alone="deleted", alone_source_gone=True,
    shared_source="other",
)  # fmt: skip
EXPIRED = replace(
    NOTHING, message=False, recalled=False, alone_source_gone=True, shared_source="gone"
)
FORGOTTEN = replace(DELETED, alone="erased", alone_source_gone=None, trail=False, receipt=True)
EVERYTHING = replace(FORGOTTEN, shared="erased", shared_source=None)

Remove = Callable[[AsyncClient, Case], Awaitable[Any]]


async def _expire(mem: AsyncClient, case: Case) -> None:
    await mem.update_conversation("ada", case.conversation_id, retention=1e-9)
    await mem.cleanup()


ROWS: dict[str, tuple[Remove, Outcome]] = {
    "delete_message": (lambda mem, case: mem.delete_message(case.message_id), DELETED),
    "delete_message of a conversation": (
        lambda mem, case: mem.delete_message(
            case.message_id, conversation_id=case.conversation_id
        ),
        DELETED,
    ),
    "delete_conversation": (
        lambda mem, case: mem.delete_conversation("ada", case.conversation_id), DELETED,
    ),
    "delete_session": (lambda mem, case: mem.delete_session(case.conversation_id), DELETED),
    "clear_conversation_history": (
        lambda mem, _: mem.clear_conversation_history("ada"),
        replace(DELETED, shared="deleted", shared_source="gone"),
    ),
    "trim_history, archiving": (
        lambda mem, _: mem.trim_history("ada", keep_last=1),
        replace(NOTHING, message=False, recalled=False),
    ),
    "trim_history, deleting": (
        lambda mem, _: mem.trim_history("ada", keep_last=1, archive=False), EXPIRED,
    ),
    "cleanup": (_expire, EXPIRED),
    "forget_message": (lambda mem, case: mem.forget_message("ada", case.message_id), FORGOTTEN),
    "forget_message of a conversation": (
        lambda mem, case: mem.forget_message(
            "ada", case.message_id, conversation_id=case.conversation_id
        ),
        FORGOTTEN,
    ),
    "rewind": (lambda mem, case: mem.rewind("ada", case.message_id), FORGOTTEN),
    "forget_conversation": (
        lambda mem, case: mem.forget_conversation("ada", case.conversation_id), FORGOTTEN,
    ),
    "forget_user": (lambda mem, _: mem.forget_user("ada"), EVERYTHING),
    "delete_fact": (
        lambda mem, case: mem.delete_fact("ada", case.alone),
        replace(NOTHING, alone="erased", alone_source_gone=None, trail=False),
    ),
    "deactivate_fact": (
        lambda mem, case: mem.deactivate_fact("ada", case.alone),
        replace(NOTHING, alone="deactivated"),
    ),
    "deactivate_fact by the tool": (
        lambda mem, case: mem.manage_user_memory("ada", "deactivate_fact", fact_id=case.alone),
        replace(NOTHING, alone="deactivated"),
    ),
    "archive a fact": (
        lambda mem, case: mem.update_fact("ada", case.alone, archived=True),
        replace(NOTHING, alone="archived"),
    ),
    "archive a conversation": (
        lambda mem, case: mem.update_conversation("ada", case.conversation_id, archived=True),
        replace(NOTHING, recalled=False),
    ),
}  # fmt: skip


async def _prepare(mem: AsyncTenant) -> Case:
    conversation = await mem.create_conversation("ada")
    message = await mem.add_message("ada", "user", "I drink rooibos tea while I hear jazz.")
    elsewhere = await mem.create_conversation("ada")
    other = await mem.add_message("ada", "user", "Jazz it is, again.")
    alone = await mem.add_fact("ada", "drinks rooibos tea", source_message_id=message)
    shared = await mem.add_fact("ada", "hears jazz", source_message_id=message)
    await mem.add_fact("ada", "hears jazz", source_message_id=other)
    for one in (conversation, elsewhere):
        await mem.digest(one.id)
    return Case(conversation.id, message, other, alone.id, shared.id)


async def _state(mem: AsyncTenant, fact_id: str) -> FactState:
    try:
        last = (await mem.fact_history("ada", fact_id))[-1]
    except MemoryNotFoundError:
        return "erased"
    if last.closed is None:
        return "archived" if last.archived else "active"
    assert last.closed in ("deleted", "deactivated")
    return last.closed


async def _source_of(mem: AsyncTenant, case: Case) -> Literal["message", "other", "gone", None]:
    try:
        last = (await mem.fact_history("ada", case.shared))[-1]
    except MemoryNotFoundError:
        return None
    if last.source_gone:
        return "gone"
    return "message" if last.source_message_id == case.message_id else "other"


async def _outcome(mem: AsyncTenant, case: Case, came: Any) -> Outcome:
    alone = await _state(mem, case.alone)
    history = await mem.fact_history("ada", case.alone) if alone != "erased" else []
    found = await mem.recall("ada", "rooibos tea", kinds=("turn",))
    shown = await mem.get_conversation_history("ada")
    return Outcome(
        message=case.message_id in [message.id for message in shown],
        recalled=str(case.message_id) in [item.id for item in found.items],
        alone=alone,
        alone_source_gone=history[-1].source_gone if history else None,
        shared=await _state(mem, case.shared),
        shared_source=await _source_of(mem, case),
        trail="rooibos" in repr((await mem.list_audit("ada")).items),
        receipt=isinstance(came, Receipt),
    )


@pytest.mark.parametrize("row", ROWS)
async def test_a_word_means_the_same_through_every_door(
    mem: AsyncClient, house: House, row: str
) -> None:
    remove, expected = ROWS[row]
    case = await _prepare(house.memory)
    assert await _outcome(house.memory, case, None) == NOTHING

    came = await remove(mem, case)

    assert await _outcome(house.memory, case, came) == expected
