"""Export: everything of a user, as records that become lines of JSON."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from longterm.memory import inputs, remembering
from longterm.memory.operations import Operations
from longterm.postgres.transaction import Conn
from longterm.records.json import JsonObject
from longterm.store import checkpoint_transfer
from longterm.store import export as store
from longterm.store.checkpoint_transfer import Told

FORMAT = "longterm-export"
VERSION = 1

_FIRST_ID = "00000000-0000-0000-0000-000000000000"
_PAGE = 500
# A message may have a megabyte, and so may each of its payloads.
PAGE = 50
# Each may have the whole state of a graph, though most have what a step changed.
_STATES = 10

_Page = Callable[[Conn, Any], Awaitable[list[JsonObject]]]


class Exporting(Operations):
    """Reads out what a user owns, in pages: RAM holds one of them."""

    async def export_user(self, user_id: str) -> AsyncGenerator[JsonObject]:
        """Yield everything of a user: a header, the records, and an end that counts them.

        Each page is read by itself: what is written meanwhile may be in it or not.
        """
        user_id = inputs.user_id(user_id)
        counts: Counter[str] = Counter()
        with self._operation("export_user", user_id=user_id):
            async with self._transaction() as conn:
                first = await store.user(conn, user_id)
        yield {
            "type": FORMAT,
            "version": VERSION,
            "user_id": user_id,
            "exported_at": remembering.now().isoformat(),
        }
        async for record in self._records(user_id, first):
            counts[str(record["type"])] += 1
            yield record
        yield {"type": "end", "counts": dict(counts)}

    async def _records(
        self, user_id: str, first: Sequence[JsonObject]
    ) -> AsyncGenerator[JsonObject]:
        for record in first:
            yield record
        async for conversation in self._pages(
            lambda conn, after: store.conversations(conn, user_id=user_id, after=after, limit=PAGE),
            _FIRST_ID,
            lambda record: record["id"],
        ):
            yield conversation
            async for record in self._of_conversation(str(conversation["id"])):
                yield record
        async for record in self._of_user(user_id):
            yield record

    async def _of_conversation(self, conversation_id: str) -> AsyncGenerator[JsonObject]:
        async for message in self._pages(
            lambda conn, after: store.messages(
                conn, conversation_id=conversation_id, after=after, limit=PAGE
            ),
            0,
            lambda record: record["id"],
        ):
            yield message
        async for episode in self._pages(
            lambda conn, after: store.episodes(
                conn, conversation_id=conversation_id, after=after, limit=_PAGE
            ),
            0,
            lambda record: record["turn_start"],
        ):
            yield episode

    async def _of_user(self, user_id: str) -> AsyncGenerator[JsonObject]:
        kinds: tuple[tuple[_Page, Any, Callable[[JsonObject], Any]], ...] = (
            (
                lambda conn, after: store.facts(conn, user_id=user_id, after=after, limit=_PAGE),
                (_FIRST_ID, 0),
                lambda record: (record["id"], record["version"]),
            ),
            (
                lambda conn, after: store.places(conn, user_id=user_id, after=after, limit=_PAGE),
                "",
                lambda record: record["place_id"],
            ),
            (
                lambda conn, after: store.memory(conn, user_id=user_id, after=after, limit=PAGE),
                "",
                lambda record: record["key"],
            ),
        )
        for read, start, place in kinds:
            async for record in self._pages(read, start, place):
                yield record
        async for record in self._checkpoints(user_id):
            yield record

    async def _checkpoints(self, user_id: str) -> AsyncGenerator[JsonObject]:
        told, place = Told(), None
        while place != told.place:
            place = told.place
            async with self._transaction() as conn:
                page = await checkpoint_transfer.after(
                    conn, user_id=user_id, told=told, limit=_STATES
                )
            for record in page:
                yield record

    async def _pages(
        self, read: _Page, after: Any, place: Callable[[JsonObject], Any]
    ) -> AsyncGenerator[JsonObject]:
        while True:
            async with self._transaction() as conn:
                page = await read(conn, after)
            if not page:
                return
            for record in page:
                yield record
            after = place(page[-1])
