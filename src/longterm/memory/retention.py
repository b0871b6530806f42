"""Retention: deletes what expired, in batches that nobody has to wait for."""

import time
from datetime import timedelta

from longterm.errors import LongtermError
from longterm.memory.idempotency import KEPT
from longterm.memory.operations import Operations, Parts
from longterm.observe.log import get_logger
from longterm.records.report import CleanupResult
from longterm.records.scope import Scope
from longterm.store import applied_writes, expiry, idempotency, sources, tenants
from longterm.store.expiry import Doomed

_BATCH_CONVERSATIONS = 200
BATCH_TURNS = 1000
# How long a journal may wait for its process to come back and still be written once.
_IDS_KEPT = timedelta(days=30)

_log = get_logger(__name__)


class Retention(Operations):
    """Cleanup of one tenant."""

    async def cleanup(self) -> CleanupResult:
        """Delete the expired conversations of a tenant, with exact counts.

        Facts that were learned from them stay, and their source is marked as gone.
        """
        started = time.perf_counter()
        result = CleanupResult()
        with self._operation("cleanup"):
            try:
                while (batch := await self._cleanup_batch()) is not None:
                    result += batch
                while await self._delete_answers():
                    pass
                while await self._delete_ids():
                    pass
            except LongtermError as error:
                # What is left is still expired: the next run takes it up again.
                _log.error("cleanup failed", error=str(error))
                result += CleanupResult(errors=(str(error),))
        result += CleanupResult(execution_time=time.perf_counter() - started)
        self._report(result)
        return result

    async def _cleanup_batch(self) -> CleanupResult | None:
        async with self._transaction() as conn:
            doomed = await expiry.lock_expired(conn, limit=_BATCH_CONVERSATIONS)
            if not doomed:
                return None
            ids = _within(doomed)
            await sources.mark_conversations_gone(
                conn, user_ids=[one.user_id for one in doomed], conversation_ids=ids
            )
            if doomed[0].turn_count > BATCH_TURNS:
                turns = await expiry.delete_first_turns(
                    conn, conversation_id=doomed[0].id, turns=BATCH_TURNS
                )
                if turns:
                    return CleanupResult(turns_deleted=turns)
            turns = await expiry.delete_conversations(conn, ids)
            return CleanupResult(sessions_deleted=len(ids), turns_deleted=turns)

    async def _delete_answers(self) -> int:
        async with self._transaction() as conn:
            return await idempotency.delete_old(conn, kept=KEPT, limit=BATCH_TURNS)

    async def _delete_ids(self) -> int:
        async with self._transaction() as conn:
            return await applied_writes.delete_old(conn, kept=_IDS_KEPT, limit=BATCH_TURNS)

    def _report(self, result: CleanupResult) -> None:
        self._metrics.cleanup_runs.inc()
        self._metrics.cleanup_deleted.labels("sessions").inc(result.sessions_deleted)
        self._metrics.cleanup_deleted.labels("turns").inc(result.turns_deleted)
        if result.sessions_deleted:
            _log.info(
                "cleanup",
                sessions_deleted=result.sessions_deleted,
                turns_deleted=result.turns_deleted,
                seconds=round(result.execution_time, 3),
            )


async def cleanup_all(parts: Parts) -> CleanupResult:
    """Delete what expired, tenant by tenant."""
    async with parts.database.system() as conn:
        ids = await tenants.list_ids(conn)
    result = CleanupResult()
    for tenant_id in ids:
        result += await Retention(parts, Scope(tenant_id)).cleanup()
    return result


def _within(doomed: list[Doomed]) -> list[str]:
    """As many conversations as fit into one batch, one at least."""
    ids = [doomed[0].id]
    turns = doomed[0].turn_count
    for conversation in doomed[1:]:
        turns += conversation.turn_count
        if turns > BATCH_TURNS:
            break
        ids.append(conversation.id)
    return ids
