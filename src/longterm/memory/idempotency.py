"""Idempotency: a request that carries a key is done once, however often it comes."""

from datetime import timedelta

from longterm.memory.operations import Operations
from longterm.records.idempotency import Attempt, KeptAnswer
from longterm.store import idempotency

KEPT = timedelta(hours=24)
# Each request that is kept clears up after some others, so that nothing piles up.
_A_FEW = 20


class Idempotency(Operations):
    """Keeps answers for a day, each beneath the key that its caller gave."""

    async def begin(self, attempt: Attempt, *, lease: timedelta) -> KeptAnswer | None:
        """Take the key for a request, or return what another request has made of it."""
        async with self._transaction() as conn:
            await idempotency.delete_old(conn, kept=KEPT, limit=_A_FEW)
            while not await idempotency.begin(
                conn, attempt, user_id=self._scope.user_id, lease=lease, kept=KEPT
            ):
                # Gone is what was given back in between: then it is ours to take.
                if kept := await idempotency.get(conn, attempt):
                    return kept
            return None

    async def finish(
        self,
        attempt: Attempt,
        *,
        user_id: str | None,
        status: int,
        content_type: str | None,
        body: bytes,
    ) -> None:
        """Keep the answer for those who ask again."""
        async with self._transaction() as conn:
            await idempotency.finish(
                conn,
                attempt,
                user_id=self._scope.user_id or user_id,
                status=status,
                content_type=content_type,
                body=body,
            )

    async def abandon(self, attempt: Attempt) -> None:
        """Give the key back, because nothing was done."""
        async with self._transaction() as conn:
            await idempotency.abandon(conn, attempt)
