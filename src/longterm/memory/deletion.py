"""Deletion: messages and conversations go, and the facts that rest on them alone end."""

from collections.abc import Sequence

from longterm.memory import remembering
from longterm.postgres.transaction import Conn
from longterm.store import audit, conversations, facts, messages, sources, unlearning, users
from longterm.store.unlearning import RestingVersion


async def delete_message(conn: Conn, *, user_id: str, message_id: int) -> bool:
    """Delete a message whose conversation is locked; tells whether it was there."""
    ids = [message_id]
    await unlearning.uncount(conn, user_id=user_id, message_ids=ids, conversation_ids=())
    if not await messages.delete(conn, user_id=user_id, message_id=message_id):
        return False
    await _end_facts(conn, user_id, message_ids=ids)
    await sources.mark_messages_gone(conn, ids)
    return True


async def delete_conversations(conn: Conn, *, user_id: str, conversation_ids: Sequence[str]) -> int:
    """Delete conversations that are locked, and return how many messages they had."""
    ids = list(conversation_ids)
    await unlearning.uncount(conn, user_id=user_id, message_ids=(), conversation_ids=ids)
    deleted = await messages.delete_all(conn, ids)
    await conversations.delete_all(conn, ids)
    await _end_facts(conn, user_id, conversation_ids=ids)
    await sources.mark_conversations_gone(conn, user_ids=[user_id], conversation_ids=ids)
    return deleted


async def _end_facts(
    conn: Conn,
    user_id: str,
    *,
    message_ids: Sequence[int] = (),
    conversation_ids: Sequence[str] = (),
) -> None:
    """End what rests on these alone; what rests on another message too rests on that one now.

    After the messages are gone: whoever was storing a fact that names one of them is done.
    """

    async def open_versions() -> list[RestingVersion]:
        found = await unlearning.resting(
            conn, user_id=user_id, message_ids=message_ids, conversation_ids=conversation_ids
        )
        return [version for version in found if version.valid_to is None]

    # Only who has something to end locks the user: a writer without a conversation locks the user
    # first and then waits for the conversation, which is locked here.
    if not await open_versions():
        return
    await users.lock(conn, user_id)
    for version in await open_versions():
        if version.other_at is None:
            await _end(conn, user_id, version.id)
        else:
            await unlearning.rest_on(conn, version, user_id=user_id)


async def _end(conn: Conn, user_id: str, fact_id: str) -> None:
    before = await facts.latest(conn, user_id=user_id, fact_id=fact_id)
    await facts.close(
        conn, user_id=user_id, fact_id=fact_id, at=remembering.now(), closed="deleted"
    )
    await audit.write(
        conn,
        user_id=user_id,
        actor="api",
        action="end fact",
        subject=fact_id,
        before=None if before is None else remembering.told(before),
    )
