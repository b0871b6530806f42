"""Import: files of other programs, each message once however often it is run."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from longterm.errors import ConflictError, InvalidInputError, LongtermError
from longterm.memory import import_rows, inputs, records_import, tenants
from longterm.memory.import_rows import Rows
from longterm.memory.inputs import Limits
from longterm.memory.operations import Operations
from longterm.memory.patience import patiently
from longterm.memory.records_import import Checked, Links, Stored
from longterm.postgres.transaction import Conn
from longterm.records.importing import (
    FORMATS,
    MOST_TOLD,
    Foreign,
    ForeignConversation,
    ForeignRecord,
    Format,
    ImportReport,
    Unread,
)
from longterm.store import erasure, imported, users

# Of one transaction, unless one conversation has more; and of one statement.
_MOST_MESSAGES = 2_000
_MOST_CHARACTERS = 4_000_000
_MOST_ITEMS = 200


@dataclass(slots=True)
class _Batch:
    """What one transaction stores, and why there is no more, if that is so."""

    records: Checked
    talks: list[ForeignConversation] = field(default_factory=list[ForeignConversation])
    unread: list[Unread] = field(default_factory=list[Unread])
    is_last: bool = True
    error: LongtermError | None = None


class Importing(Operations):
    """Takes in what another program has kept, from a file."""

    async def import_conversations(
        self,
        user_id: str,
        path: str | Path,
        *,
        format: Format | Literal["auto"] = "auto",  # noqa: A002
    ) -> ImportReport:
        """Store what a file of ChatGPT, Claude or another program holds, as this user's.

        Run again, it stores only what is new. A conversation is there as a whole or not at all.
        It ends with a `ConflictError` when the user is forgotten meanwhile.
        """
        reports = self.import_stream(user_id, path, format=format)
        return [report async for report in reports][-1]

    async def import_stream(
        self,
        user_id: str,
        path: str | Path,
        *,
        format: Format | Literal["auto"] = "auto",  # noqa: A002
    ) -> AsyncGenerator[ImportReport]:
        """Import as `import_conversations` does, and yield what was done so far as it goes on."""
        user_id = inputs.user_id(user_id)
        file = await asyncio.to_thread(_file, path)
        inputs.choice(format, "format", ("auto", *FORMATS))
        reading = await asyncio.to_thread(_reading)
        kind: Format = await asyncio.to_thread(reading.detect, file) if format == "auto" else format
        report = ImportReport(format=kind)
        found = reading.read(file, kind)
        async with self._transaction() as conn:
            begun = await erasure.clock(conn)
        links = Links(self._scope.tenant_id, user_id, kind, begun)
        while True:
            batch = await asyncio.to_thread(_take, found, self._rules.limits)
            if not batch.is_last:
                # Not around the whole: who listens may go on in another context.
                with self._operation("import_conversations", user_id=user_id):
                    report = await self._store(user_id, batch, links, report)
                self._parts.wake_worker()
                yield report
            if batch.error is not None:
                raise batch.error
            if batch.is_last:
                break
        yield report

    async def _store(
        self, user_id: str, batch: _Batch, links: Links, report: ImportReport
    ) -> ImportReport:
        rows = await asyncio.to_thread(import_rows.check, batch.talks, links, self._rules.limits)

        async def once() -> tuple[tuple[int, int, int], Stored]:
            async with self._transaction() as conn:
                await users.ensure(conn, user_id)
                await users.lock(conn, user_id)
                if await erasure.is_forgotten(
                    conn, user_id=user_id, conversation_id=None, said_at=links.begun
                ):
                    raise ConflictError("The user was forgotten meanwhile; nothing more is stored.")
                return await self._store_talks(
                    conn, user_id, rows, links
                ), await records_import.store(
                    conn, user_id, batch.records, links, limit_tokens=self._rules.memory_tokens
                )

        (stored, messages, known), records = await patiently(once)
        self._metrics.messages_stored.inc(messages)
        unread = batch.unread + rows.unread + batch.records.unread + records.unread
        return replace(
            report,
            conversations=report.conversations + stored,
            messages=report.messages + messages,
            known=report.known + known,
            facts=report.facts + records.counts["facts"],
            places=report.places + records.counts["places"],
            memories=report.memories + records.counts["memories"],
            checkpoints=report.checkpoints + records.counts["checkpoints"],
            left_out=report.left_out + sum(talk.left_out for talk in batch.talks),
            unread_count=report.unread_count + len(unread),
            unread=(*report.unread, *unread)[:MOST_TOLD],
        )

    async def _store_talks(
        self, conn: Conn, user_id: str, rows: Rows, links: Links
    ) -> tuple[int, int, int]:
        """Store what is new; returns how many conversations and messages, and what was known."""
        known = await imported.known(conn, user_id=user_id, sources=rows.sources())
        there = await imported.continued(
            conn, user_id=user_id, ids=[talk.id for talk in rows.talks if talk.source in known]
        )
        hours = await tenants.conversation_hours(conn, None)
        own = links.format == "longterm"
        plan = import_rows.plan(rows, known, there, retention_hours=hours, own=own)
        if plan.conversations:
            await imported.insert_conversations(conn, user_id=user_id, rows=plan.conversations)
        for start in range(0, len(plan.messages), _MOST_MESSAGES):
            part = plan.messages[start : start + _MOST_MESSAGES]
            await imported.insert_messages(conn, user_id=user_id, rows=part)
        if plan.learned:
            await imported.skip_learned(conn, plan.learned)
        for to, at in plan.continued:
            await imported.go_on(conn, user_id=user_id, to=to, at=at)
        if plan.sources:
            await imported.add(conn, user_id=user_id, sources=plan.sources)
            await imported.queue(conn, user_id=user_id, ids=plan.touched)
        return len(plan.conversations), len(plan.messages), plan.known


def _reading() -> Any:
    # Only who imports pays for loading a parser of JSON and of zip files.
    return import_module("longterm.imports.reading")


def _file(path: object) -> Path:
    if not isinstance(path, str | Path) or not str(path) or "\x00" in str(path):
        raise InvalidInputError("path must be the name of a file.")
    try:
        if not Path(path).is_file():
            raise InvalidInputError("path must be the name of a file that is there.")
    except (OSError, ValueError):
        raise InvalidInputError("path must be the name of a file.") from None
    return Path(path)


def _take(found: Iterator[Foreign], limits: Limits) -> _Batch:
    """As much as one transaction should hold; what came before a fault is kept."""
    batch = _Batch(Checked(limits))
    messages = characters = 0
    try:
        for item in islice(found, _MOST_ITEMS):
            batch.is_last = False
            if isinstance(item, ForeignConversation):
                batch.talks.append(item)
                messages += len(item.messages)
                characters += sum(len(one.content) for one in item.messages)
            elif isinstance(item, ForeignRecord):
                # At once: what is too large is let go before the next one is read.
                batch.records.add(item)
                characters += item.weight
            else:
                batch.unread.append(item)
            if messages >= _MOST_MESSAGES or characters >= _MOST_CHARACTERS:
                break
    except LongtermError as error:
        batch.error = error
    return batch


def as_json(report: ImportReport) -> dict[str, Any]:
    """A report in the form that doors hand out."""
    names = (
        "format", "conversations", "messages", "facts", "places", "memories",
        "checkpoints", "known", "left_out", "unread_count",
    )  # fmt: skip
    told: dict[str, Any] = {name: getattr(report, name) for name in names}
    unread = [{"where": one.where, "reason": one.reason} for one in report.unread]
    return {**told, "unread": unread}
