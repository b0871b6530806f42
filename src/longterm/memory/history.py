"""History: the messages of a user, over all conversations."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from longterm.errors import InvalidInputError, MemoryNotFoundError, OutcomeUnknownError
from longterm.memory import deletion, inputs, writes
from longterm.memory.conversations import ensure_current
from longterm.memory.operations import Operations
from longterm.memory.patience import patiently
from longterm.postgres.transaction import Conn
from longterm.records.message import Message, NewMessage
from longterm.store import conversations, expiry, forgetting, sources
from longterm.store import messages as store
from longterm.store.expiry import Kept

_TRIM_BATCH = 5000
_NOTHING_KEPT = Kept(datetime.max.replace(tzinfo=UTC), inputs.MAX_INTEGER)


class History(Operations):
    """Adds messages to conversations, and reads, trims and clears them."""

    async def add_message(
        self,
        user_id: str,
        role: str,
        content: str,
        *,
        conversation_id: str | UUID | None = None,
        name: str | None = None,
        created_at: datetime | None = None,
        write_id: str | UUID | None = None,
        **payloads: Any,
    ) -> int:
        """Store a message in the conversation given, or in the user's current one.

        It can carry `tool_calls`, `suggested_values`, `suggested_actions` and `custom_payload`.
        Repeated with the same `write_id`, a UUID of the caller, it is stored once.
        """
        new = _checked(
            user_id,
            role,
            content,
            conversation_id=conversation_id,
            name=name,
            created_at=created_at,
            payloads=payloads,
            limits=self._rules.limits,
        )
        with self._operation(
            "add_message", user_id=new.user_id, conversation_id=new.conversation_id
        ):
            write, message_id = writes.write_id(write_id, "message", new), None
            try:
                async with self._transaction() as conn:
                    applied = await writes.begin(conn, write, new.user_id)
                    if applied is not None:
                        return int(applied)
                    message_id = await store.append(conn, new) or await append_to_new(conn, new)
                    await writes.finish(conn, write, message_id)
            except OutcomeUnknownError as error:
                error.id = str(message_id)
                raise
            self._metrics.messages_stored.inc()
            self._parts.wake_worker()
            return message_id

    async def add_messages(
        self,
        user_id: str,
        conversation_id: str | UUID,
        messages: Sequence[Mapping[str, Any]],
    ) -> list[int]:
        """Store messages of one conversation in this order, all of them or none.

        Each has what `add_message` takes: `role`, `content`, and the rest where it is wanted.
        """
        user_id = inputs.user_id(user_id)
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        new = [
            _checked(
                user_id,
                given.pop("role", None),
                given.pop("content", None),
                conversation_id=conversation_id,
                name=given.pop("name", None),
                created_at=given.pop("created_at", None),
                payloads=given,
                limits=self._rules.limits,
            )
            for given in _several(messages)
        ]
        with self._operation("add_messages", user_id=user_id, conversation_id=conversation_id):
            write = writes.write_id(None, "messages", new)
            async with self._transaction() as conn:
                applied = await writes.begin(conn, write, user_id)
                if applied is not None:
                    return [int(message_id) for message_id in applied.split(",")]
                stored = [
                    await store.append(conn, message) or await append_to_new(conn, message)
                    for message in new
                ]
                await writes.finish(conn, write, ",".join(map(str, stored)))
            self._metrics.messages_stored.inc(len(stored))
            self._parts.wake_worker()
            return stored

    async def get_conversation_history(
        self, user_id: str, limit: int = 50, offset: int = 0
    ) -> list[Message]:
        """Messages of a user, newest first."""
        user_id = inputs.user_id(user_id)
        limit, offset = inputs.limit(limit), inputs.offset(offset)
        with self._operation("get_conversation_history", user_id=user_id):
            async with self._read_only() as conn:
                return await store.history(conn, user_id=user_id, limit=limit, offset=offset)

    async def get_recent_messages(self, user_id: str, count: int = 10) -> list[Message]:
        """Return the newest messages of a user in the order they were said, for a prompt."""
        user_id, count = inputs.user_id(user_id), inputs.limit(count, "count")
        with self._operation("get_recent_messages", user_id=user_id):
            async with self._read_only() as conn:
                newest = await store.history(conn, user_id=user_id, limit=count)
            return newest[::-1]

    async def count_messages(self, user_id: str) -> int:
        """How many messages the history of a user has."""
        user_id = inputs.user_id(user_id)
        with self._operation("count_messages", user_id=user_id):
            async with self._read_only() as conn:
                return await store.count(conn, user_id)

    async def clear_conversation_history(self, user_id: str) -> int:
        """Delete every conversation of a user, and return how many messages that were.

        Facts that rest on them alone end.
        """
        user_id = inputs.user_id(user_id)
        with self._operation("clear_conversation_history", user_id=user_id):
            cleared = await patiently(lambda: self._clear(user_id))
            self._parts.window.drop(self._scope.tenant_id, user_id)
            return cleared

    async def _clear(self, user_id: str) -> int:
        async with self._transaction() as conn:
            ids = await conversations.lock_all(conn, user_id)
            return await deletion.delete_conversations(conn, user_id=user_id, conversation_ids=ids)

    async def delete_message(
        self, message_id: int, *, conversation_id: str | UUID | None = None
    ) -> None:
        """Delete one message; the numbers of the turns around it stay.

        Facts that rest on it alone end. With `conversation_id`, only a message of this conversation.
        """
        message_id = inputs.message_id(message_id)
        named = None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
        with self._operation("delete_message", conversation_id=named):
            user_id = await patiently(lambda: self._delete_message(message_id, named))
            self._parts.window.drop(self._scope.tenant_id, user_id)

    async def _delete_message(self, message_id: int, conversation_id: str | None) -> str:
        """Delete a message, and return whose it was."""
        async with self._transaction() as conn:
            place = await forgetting.place(conn, user_id=None, message_id=message_id)
            if place is None or conversation_id not in (None, place.conversation_id):
                raise MemoryNotFoundError(f"There is no message {message_id}.")
            await conversations.lock(conn, place.conversation_id)
            if not await deletion.delete_message(
                conn, user_id=place.user_id, message_id=message_id
            ):
                raise MemoryNotFoundError(f"There is no message {message_id}.")
        return place.user_id

    async def trim_history(
        self,
        user_id: str,
        keep_last: int | None = None,
        older_than: timedelta | datetime | None = None,
        archive: bool = True,
    ) -> int:
        """Archive or delete what is beyond the newest `keep_last` or older than `older_than`.

        With both, a message stays only if both keep it. Facts and episodes stay; of facts whose
        message is deleted the source is marked as gone. Returns how many messages went.
        """
        user_id = inputs.user_id(user_id)
        if keep_last is None and older_than is None:
            raise InvalidInputError("trim_history needs keep_last, or older_than, or both.")
        if keep_last is not None:
            inputs.number(keep_last, "keep_last", least=0, most=inputs.MAX_OFFSET)
        moment = None if older_than is None else _moment(older_than)
        inputs.flag(archive, "archive")
        trimmed = 0
        with self._operation("trim_history", user_id=user_id):
            while batch := await self._trim_batch(
                user_id, keep_last=keep_last, older_than=moment, archive=archive
            ):
                trimmed += batch
        return trimmed

    async def _trim_batch(
        self,
        user_id: str,
        *,
        keep_last: int | None,
        older_than: datetime | None,
        archive: bool,
    ) -> int:
        async with self._transaction() as conn:
            kept = None
            if keep_last is not None:
                kept = _NOTHING_KEPT
                if keep_last > 0:
                    kept = await expiry.oldest_kept(conn, user_id=user_id, keep_last=keep_last)
            ids = await expiry.beyond(
                conn, user_id=user_id, kept=kept, older_than=older_than, limit=_TRIM_BATCH
            )
            if not ids:
                return 0
            if archive:
                return await expiry.archive(conn, ids)
            await sources.mark_messages_gone(conn, ids)
            return await expiry.delete(conn, ids)


def _checked(
    user_id: str,
    role: str,
    content: str,
    *,
    conversation_id: str | UUID | None,
    name: str | None,
    created_at: datetime | None,
    payloads: Mapping[str, Any],
    limits: inputs.Limits,
) -> NewMessage:
    attached = inputs.payloads(payloads, limits=limits)
    # An answer that only calls tools has no words.
    wordless = content == "" and attached.tool_calls is not None
    return NewMessage(
        user_id=inputs.user_id(user_id),
        role=inputs.role(role),
        content="" if wordless else inputs.content(content, "content", limits=limits),
        conversation_id=(
            None if conversation_id is None else inputs.uuid(conversation_id, "conversation_id")
        ),
        name=None if name is None else inputs.name(name, "name"),
        said_at=None if created_at is None else inputs.moment(created_at, "created_at"),
        payloads=attached,
    )


def _several(given: object) -> list[dict[str, Any]]:
    each = cast("Sequence[object]", given) if isinstance(given, list | tuple) else ()
    if not 0 < len(each) <= inputs.MAX_PAGE:
        raise InvalidInputError(f"messages must be a list of 1 to {inputs.MAX_PAGE} messages.")
    if not all(isinstance(message, Mapping) for message in each):
        raise InvalidInputError("messages must be mappings with `role` and `content`.")
    return [dict(message) for message in cast("Sequence[Mapping[str, Any]]", each)]


async def append_to_new(conn: Conn, new: NewMessage) -> int:
    """Store a message of somebody who has no conversation yet."""
    if new.conversation_id is not None:
        raise MemoryNotFoundError("This user has no such conversation.")
    await ensure_current(conn, new.user_id)
    message_id = await store.append(conn, new)
    if message_id is None:
        raise AssertionError("the conversation was made in this very transaction")
    return message_id


def _moment(older_than: timedelta | datetime) -> datetime:
    if isinstance(older_than, timedelta):
        if older_than < timedelta(0):
            raise InvalidInputError("older_than must not be negative.")
        try:
            return datetime.now(UTC) - older_than
        except OverflowError:
            raise InvalidInputError("older_than is out of range.") from None
    return inputs.moment(older_than, "older_than")
