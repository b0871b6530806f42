"""Forgetting: a message, a conversation, a user; with all that was made of them, and a receipt."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from longterm.errors import MemoryNotFoundError, UnavailableError
from longterm.memory import inputs, unlearning
from longterm.memory.operations import Operations, Parts
from longterm.memory.patience import patiently
from longterm.observe.log import get_logger
from longterm.postgres.transaction import Conn
from longterm.records.forgetting import Forgotten, Receipt
from longterm.records.ids import new_id
from longterm.records.job import DIGEST, EMBED, NewJob
from longterm.records.scope import SYSTEM_TENANT
from longterm.records.state import HALTED
from longterm.store import conversations, erasure, jobs, users
from longterm.store import forgetting as store
from longterm.store.forgetting import Gone

# What one transaction deletes at most: a user with more goes in batches first.
MOST_AT_ONCE = 20_000
_BATCH = 5_000

_LOOK_EVERY_S = 5.0

_REMAINS = (
    "Until the `vacuum` statements are run: old rows in the files of the database, and samples of "
    "them in the statistics of its planner.",
    "The write-ahead log, until its segments are overwritten: CHECKPOINT and "
    "SELECT pg_switch_wal() hasten that.",
    "Blocks that the file system has freed and not overwritten yet.",
    "Backups, replicas and archived logs of the database, and exported copies.",
    "Log lines that were written before, which name the user by id.",
    "What was sent to the vendor of a language model.",
)

_log = get_logger(__name__)


class Forgetting(Operations):
    """Forgets; run again after a crash, it goes on where it was."""

    async def forget_user(self, user_id: str) -> Receipt:
        """Delete everything of a user: every row of every table, the queue, the journal, RAM.

        What stays is that it took place, without telling whose it was. One with many messages is
        halted first and thinned out, so that no transaction is long.
        """
        user_id = inputs.user_id(user_id)
        with self._operation("forget_user", user_id=user_id):
            thinned = await self._thin_out(user_id)
            receipt = await self._noted(
                "user", user_id, lambda conn: self._erase(conn, user_id, thinned)
            )
            drop(self._parts, self._scope.tenant_id, user_id, entirely=True)
            await self._parts.outage.forget(self._scope.tenant_id, user_id)
        # Outside of the operation, whose log lines name the user, and without the receipt's id:
        # a reader of the logs must not learn to whom a receipt belongs.
        _log.info("user forgotten", tenant=self._scope.tenant_id, rows=sum(receipt.counts.values()))
        return receipt

    async def forget_conversation(self, user_id: str, conversation_id: str | UUID) -> Receipt:
        """Delete a conversation with all that was made of it, also the facts that rest on it."""
        user_id = inputs.user_id(user_id)
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation(
            "forget_conversation", user_id=user_id, conversation_id=conversation_id
        ):
            receipt = await self._noted(
                "conversation",
                user_id,
                lambda conn: self._forget_whole(conn, user_id, conversation_id),
                conversation_id=conversation_id,
            )
            drop(self._parts, self._scope.tenant_id, user_id)
            await self._parts.outage.forget(self._scope.tenant_id, user_id, conversation_id)
            return receipt

    async def forget_message(
        self, user_id: str, message_id: int | str, *, conversation_id: str | UUID | None = None
    ) -> Receipt:
        """Delete a message with all that was made of it; the turns around it keep their numbers.

        Facts that rest on others too stay, and what it replaced holds again.
        """
        return await self._forget_messages("message", user_id, message_id, conversation_id)

    async def rewind(
        self, user_id: str, message_id: int | str, *, conversation_id: str | UUID | None = None
    ) -> Receipt:
        """Forget a message and all after it in its conversation, which goes on from there."""
        return await self._forget_messages("rewind", user_id, message_id, conversation_id)

    async def _forget_messages(
        self,
        what: Forgotten,
        user_id: str,
        message_id: int | str,
        conversation_id: str | UUID | None,
    ) -> Receipt:
        user_id = inputs.user_id(user_id)
        first = inputs.message_id(message_id, "message_id")
        named = None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
        name = "rewind" if what == "rewind" else "forget_message"
        with self._operation(name, user_id=user_id, conversation_id=named):
            async with self._transaction() as conn:
                place = await store.place(conn, user_id=user_id, message_id=first)
            if place is None or named not in (None, place.conversation_id):
                raise MemoryNotFoundError(f"This user has no message {first} there.")
            receipt = await self._noted(
                what,
                user_id,
                lambda conn: self._forget_some(conn, user_id, place.conversation_id, first, what),
                conversation_id=place.conversation_id,
                message_id=first,
            )
            drop(self._parts, self._scope.tenant_id, user_id)
            self._parts.wake_worker()
            return receipt

    async def _noted(
        self,
        what: Forgotten,
        user_id: str,
        forget: Callable[[Conn], Awaitable[dict[str, int]]],
        *,
        conversation_id: str | None = None,
        message_id: int | None = None,
    ) -> Receipt:
        """Forget and note that it was done, in one transaction."""
        receipt_id = new_id()

        async def once() -> tuple[dict[str, int], datetime]:
            async with self._transaction() as conn:
                await erasure.take_turns(conn, user_id)
                counts = await forget(conn)
                at = await erasure.note(
                    conn,
                    id_=receipt_id,
                    what=what,
                    user_id=user_id,
                    conversation_id=conversation_id,
                    counts=counts,
                )
            return counts, at

        counts, at = await patiently(once)
        return _receipt(
            receipt_id,
            what,
            self._scope.tenant_id,
            user_id,
            at=at,
            counts=counts,
            conversation_id=conversation_id,
            message_id=message_id,
        )

    async def _thin_out(self, user_id: str) -> int:
        """Delete messages of a user who has very many, so that the rest fits a transaction."""
        async with self._transaction() as conn:
            if not await erasure.has_more(conn, user_id, MOST_AT_ONCE):
                return 0
            # From here on nobody chats or learns for them, also when this is cut off.
            await users.set_state(conn, user_id=user_id, mode=HALTED)
        deleted = 0
        while True:
            async with self._transaction() as conn:
                if not await erasure.has_more(conn, user_id, MOST_AT_ONCE):
                    return deleted
                deleted += await erasure.delete_messages(conn, user_id, _BATCH)

    async def _erase(self, conn: Conn, user_id: str, thinned: int) -> dict[str, int]:
        # In the order of those who write: first conversations, then the user.
        await conversations.lock_all(conn, user_id)
        made = await users.ensure(conn, user_id)
        await users.lock(conn, user_id)
        counts = await erasure.delete_user(conn, user_id)
        return {
            **counts,
            "messages": counts["messages"] + thinned,
            # One that was made to be locked was not there to be forgotten.
            "users": counts["users"] - made,
        }

    async def _forget_whole(self, conn: Conn, user_id: str, conversation_id: str) -> dict[str, int]:
        if await conversations.lock(conn, conversation_id) != user_id:
            raise MemoryNotFoundError("This user has no such conversation.")
        counts = await self._unmake(conn, user_id, conversation_id, first=0, turn=1, whole=True)
        await store.leave(conn, user_id=user_id, conversation_id=conversation_id)
        await conversations.delete(conn, conversation_id, user_id=user_id)
        return {**counts, "conversations": 1}

    async def _forget_some(
        self, conn: Conn, user_id: str, conversation_id: str, first: int, what: Forgotten
    ) -> dict[str, int]:
        await conversations.lock(conn, conversation_id)
        place = await store.place(conn, user_id=user_id, message_id=first)
        if place is None:
            raise MemoryNotFoundError(f"This user has no message {first} there.")
        only = None if what == "rewind" else [first]
        counts = await self._unmake(
            conn, user_id, conversation_id, first=first, turn=place.turn, only=only
        )
        if what == "rewind":
            await store.rewind_turns(conn, conversation_id)
        await jobs.request(conn, NewJob(task=DIGEST, key=conversation_id, user_id=user_id))
        await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
        return counts

    async def _unmake(
        self,
        conn: Conn,
        user_id: str,
        conversation_id: str,
        *,
        first: int,
        turn: int,
        only: Sequence[int] | None = None,
        whole: bool = False,
    ) -> dict[str, int]:
        await users.lock(conn, user_id)
        ids = only or await store.ids(
            conn, user_id=user_id, conversation_id=conversation_id, first=first
        )
        gone = Gone(
            user_id=user_id,
            conversation_id=conversation_id,
            message_ids=ids,
            turn=turn,
            whole=whole,
        )
        learned = await unlearning.unlearn(conn, gone)
        if learned["facts"]:
            await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
        return {**await store.delete(conn, gone), **learned}


def drop(parts: Parts, tenant_id: int, user_id: str, *, entirely: bool = False) -> None:
    """Take a user out of the RAM of this process."""
    parts.speakers.drop((tenant_id, user_id))
    parts.window.drop(tenant_id, user_id)
    if entirely:
        parts.temporary.drop(tenant_id, user_id)


async def watch(parts: Parts) -> None:
    """Keep looking who was forgotten by other processes, while anybody is in RAM."""
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        try:
            await drop_forgotten(parts)
        except UnavailableError as error:
            _log.warning("not known who was forgotten", error=str(error))


async def drop_forgotten(parts: Parts) -> None:
    """Take those out of the RAM of this process whom another one has forgotten."""
    known = sorted({*parts.window.users(), *parts.temporary.users(), *parts.speakers.users()})
    if not known or parts.database.is_gone:
        return
    async with parts.database.system() as conn:
        for gone in await erasure.recent(conn, known):
            drop(parts, gone.tenant_id, gone.user_id, entirely=gone.entirely)


def _receipt(
    receipt_id: str,
    what: Forgotten,
    tenant_id: int,
    user_id: str,
    *,
    at: datetime,
    counts: Mapping[str, int],
    conversation_id: str | None,
    message_id: int | None,
) -> Receipt:
    return Receipt(
        id=receipt_id,
        what=what,
        tenant_id=None if tenant_id == SYSTEM_TENANT else tenant_id,
        user_id=user_id,
        conversation_id=conversation_id,
        message_id=message_id,
        at=at,
        counts=dict(sorted(counts.items())),
        vacuum=_vacuum_statements(),
        remains=_REMAINS,
    )


def _vacuum_statements() -> tuple[str, ...]:
    """Statements after which no file of the database holds what was deleted.

    Always of every table that can hold something of a user: what was deleted or replaced earlier
    is still in the files of tables that have no row of the user now.
    """
    # ANALYZE keeps samples of what users said; of a table that is empty it keeps the old ones.
    # They go after the rows: until then autovacuum may take samples of rows that are gone.
    tables = [f"longterm.{table}" for table in sorted(erasure.OF_USER)]
    names = ", ".join(f"'{table}'::regclass" for table in tables)
    listed = ", ".join(tables)
    return (
        f"VACUUM (FULL) {listed}",
        f"DELETE FROM pg_catalog.pg_statistic WHERE starelid IN ({names})",
        f"ANALYZE {listed}",
        "VACUUM FULL pg_catalog.pg_statistic",
        "CHECKPOINT",
    )
