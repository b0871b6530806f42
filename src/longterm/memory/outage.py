"""While the database is away: what is said is kept on disk, and written back in order, once."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from longterm.errors import DatabaseGoneError, OutcomeUnknownError, UnavailableError
from longterm.journal.errors import JournalBrokenError, StopReplayError
from longterm.journal.group import AsyncJournal
from longterm.journal.record import Record
from longterm.observe.log import get_logger
from longterm.observe.metrics import Metrics
from longterm.postgres.pool import Database
from longterm.records.json import JsonObject
from longterm.records.message import Role, Status
from longterm.store.ending import ended

_log = get_logger(__name__)

_EVERY_S = 1.0
# How often somebody whose earlier words are still on disk looks again.
_LOOK_EVERY_S = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something said, under an id by which it is stored once.

    An answer names its question by `question_id`, or by `question_write_id` where the question is
    in the journal too. `thread` is what a client's history says of it, where the client holds the history.
    """

    id: str
    tenant_id: int
    user_id: str
    conversation_id: str | None
    role: Role
    text: str
    said_at: str
    question_id: int | None = None
    question_write_id: str | None = None
    status: Status = "complete"
    thread: JsonObject | None = None


class Outage:
    """Knows whether the database is away, and what waits for it to come back."""

    def __init__(
        self,
        database: Database,
        journal: AsyncJournal,
        metrics: Metrics,
        *,
        write: Callable[[Utterance], Awaitable[object]],
        wake_worker: Callable[[], None],
    ) -> None:
        self._wake_worker = wake_worker
        self._write = write
        self._database = database
        self._journal = journal
        self._metrics = metrics
        self._writing_back: asyncio.Task[None] | None = None
        self._called = asyncio.Event()
        self._changes = 0
        self._keeping = 0
        self.pending = 0
        self.is_full = False

    @property
    def is_on(self) -> bool:
        """Whether the database is away, or something still waits to be written back."""
        return self._database.is_gone or self.pending > 0

    async def open(self) -> None:
        """Look for what an earlier process left, and keep looking."""
        await self._count()
        self._writing_back = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stop looking; what waits stays on disk."""
        if self._writing_back is not None:
            await ended(self._writing_back)
        await self._journal.close()

    async def keep(self, said: Utterance) -> None:
        """Keep something on disk; raises `UnavailableError` when there is no room."""
        self._keeping += 1
        try:
            await self._journal.append({"stream": _stream(said), "payload": asdict(said)})
        finally:
            self._keeping -= 1
        self._changes += 1
        self.pending += 1
        self._metrics.journal_kept.inc()
        _log.warning(
            "kept on disk",
            tenant=said.tenant_id,
            user=said.user_id,
            conversation=said.conversation_id,
            operation="chat",
            error="the database is away",
        )

    async def wait_for_earlier(self, said: Utterance, *, patience_s: float) -> None:
        """Wait until what this user said before is written back, by whichever process kept it.

        Raises `DatabaseGoneError` where that takes longer. To look is not limited: a process that
        got no time for seconds would take it for an outage, and nothing waits.
        """
        until = time.monotonic() + patience_s
        while await self._has_earlier(_stream(said)):
            if self._database.is_gone or time.monotonic() > until:
                raise DatabaseGoneError
            self._called.set()
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _has_earlier(self, stream: str) -> bool:
        try:
            return await self._journal.waits(stream)
        except JournalBrokenError as error:
            # A disk that fails is no reason to refuse what the database can take.
            _log.error("not known what waits on disk", error=str(error))
            return False

    async def write_back(self) -> int:
        """Write back what waits, in order, each once; returns how many."""
        if self._database.is_gone:
            raise DatabaseGoneError
        report = await self._journal.replay(self._apply)
        await self._count()
        if report.applied:
            _log.info("written back", applied=report.applied, left=self.pending)
            self._metrics.journal_written_back.inc(report.applied)
            self._wake_worker()
        return report.applied

    async def forget(self, tenant_id: int, user_id: str, conversation_id: str | None = None) -> int:
        """Delete what waits of a user, or of one conversation; returns how much that was."""

        def belongs(record: Record) -> bool:
            said = record.payload
            return (said.get("tenant_id"), said.get("user_id")) == (tenant_id, user_id) and (
                conversation_id in (None, said.get("conversation_id"))
            )

        forgotten = await self._journal.forget(belongs)
        self._changes += 1
        await self._count()
        return forgotten

    async def _watch(self) -> None:
        while True:
            self._called.clear()
            try:
                await self._count()
                if self.pending and not self._database.is_gone:
                    await self.write_back()
            except UnavailableError as error:
                _log.warning("not written back", error=str(error))
            self._metrics.degraded.set(1 if self.is_on else 0)
            self._metrics.journal_pending.set(self.pending)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_EVERY_S):
                    await self._called.wait()

    async def _count(self) -> None:
        """Count what waits; other processes may have kept it."""
        changes = self._changes
        found = await self._journal.pending()
        self.is_full = await self._journal.is_full()
        # One that is on its way to the disk may have been counted already, and so may one that
        # was forgotten meanwhile.
        if changes == self._changes and not self._keeping:
            self.pending = found

    async def _apply(self, record: Record) -> None:
        said = Utterance(**dict(record.payload))  # pyright: ignore[reportArgumentType]
        try:
            stored = await self._write(said)
        except (DatabaseGoneError, OutcomeUnknownError) as error:
            # Written or not: replayed once more, it is stored once.
            raise StopReplayError from error
        if stored is not None:
            self._metrics.messages_stored.inc()
            self._metrics.turns_stored.inc(said.role == "assistant")


def _stream(said: Utterance) -> str:
    """Whose words are written back in order: those of one user, in whichever conversation."""
    return f"{said.tenant_id}/{said.user_id}"
