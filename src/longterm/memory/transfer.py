"""Transfer: whole conversations from elsewhere, stored in bulk."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import TypeVar

from longterm.errors import InvalidInputError
from longterm.memory import inputs, tenants
from longterm.memory.inputs import Limits
from longterm.memory.operations import Operations
from longterm.records.ids import new_id
from longterm.records.transfer import (
    ImportedConversation,
    ImportedMessage,
    ImportResult,
    NumberedConversation,
    NumberedMessage,
)
from longterm.store import transfer, users
from longterm.text.secrets import gate

T = TypeVar("T")

# Of one statement, and of the transaction that it is in; characters because a statement has to
# fit into memory and PostgreSQL takes no more than a gigabyte.
_MOST_MESSAGES = 5_000
_MOST_CHARACTERS = 4_000_000


class Transfer(Operations):
    """Takes in what another program has kept."""

    async def import_messages(
        self,
        user_id: str,
        conversations: Iterable[ImportedConversation] | AsyncIterable[ImportedConversation],
    ) -> ImportResult:
        """Store conversations with all their messages; each is there as a whole or not at all.

        A sequence is checked before any of it is stored. Of a stream, what was stored before a
        fault came up stays. The user's current conversation remains the current one.
        """
        user_id = inputs.user_id(user_id)
        result = ImportResult()
        with self._operation("import_messages", user_id=user_id):
            checked = _checked(conversations, self._rules.limits)
            if isinstance(conversations, Sequence):
                checked = _each([conversation async for conversation in checked])
            async for batch in _batches(checked):
                result += await self._store_batch(user_id, batch)
        return result

    async def _store_batch(
        self, user_id: str, batch: Sequence[NumberedConversation]
    ) -> ImportResult:
        stored = 0
        async with self._transaction() as conn:
            await users.ensure(conn, user_id)
            await transfer.insert_conversations(
                conn,
                user_id=user_id,
                conversations=batch,
                retention_hours=await tenants.conversation_hours(conn, None),
            )
            for messages in _statements(batch):
                stored += await transfer.insert_messages(conn, user_id=user_id, messages=messages)
        self._metrics.messages_stored.inc(stored)
        self._parts.wake_worker()
        return ImportResult(
            conversations=len(batch),
            messages=stored,
            turns=sum(conversation.turn_count for conversation in batch),
            conversation_ids=tuple(conversation.id for conversation in batch),
        )


async def _checked(
    conversations: Iterable[ImportedConversation] | AsyncIterable[ImportedConversation],
    limits: Limits,
) -> AsyncIterator[NumberedConversation]:
    place = 0
    if not _is_stream(conversations):
        raise InvalidInputError("conversations must be a list or stream of ImportedConversation.")
    async for conversation in _each(conversations):
        place += 1
        try:
            checked = check(conversation, limits)
        except InvalidInputError as error:
            raise type(error)(f"Conversation {place}, {error}") from None
        yield checked
        # Checking thousands of messages must not keep others on this loop waiting.
        await asyncio.sleep(0)


def check(
    told: ImportedConversation, limits: Limits, *, id_: str | None = None
) -> NumberedConversation:
    """Refuse what can't be stored; returns it with its turns numbered, under a new id if none is given."""
    _check_kind(told, ImportedConversation)
    if not isinstance(told.messages, list | tuple):
        raise InvalidInputError("messages must be a list.")
    id_, turn, is_open = id_ or new_id(), 0, False
    numbered: list[NumberedMessage] = []
    for place, message in enumerate(told.messages, 1):
        _check_kind(message, ImportedMessage)
        # The rule of messages.APPEND: an answer closes the open turn, all else opens one.
        turn += not (is_open and message.role == "assistant")
        is_open = message.role == "user"
        try:
            numbered.append(_check_message(message, id_, turn, limits))
        except InvalidInputError as error:
            raise type(error)(f"message {place}: {error}") from None
    return NumberedConversation(
        id=id_,
        title=(
            None
            if told.title is None
            else gate.masked_title(
                inputs.name(told.title, "title", longest=inputs.MAX_TITLE_LENGTH)
            )
        ),
        metadata=inputs.json_object(told.metadata, "metadata", limits=limits),
        turn_count=turn,
        turn_open=is_open,
        messages=numbered,
    )


def _is_stream(value: object) -> bool:
    return isinstance(value, Iterable | AsyncIterable) and not isinstance(value, str | bytes)


def _check_kind(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise InvalidInputError(f"This must be an {kind.__name__}, not {type(value).__name__}.")


def _check_message(
    told: ImportedMessage, conversation_id: str, turn: int, limits: Limits
) -> NumberedMessage:
    return NumberedMessage(
        conversation_id=conversation_id,
        turn=turn,
        role=inputs.role(told.role),
        content=inputs.content(told.content, "content", limits=limits),
        name=None if told.name is None else inputs.name(told.name, "name"),
        said_at=(None if told.created_at is None else inputs.moment(told.created_at, "created_at")),
    )


class _Load:
    """What has been gathered for one round trip."""

    def __init__(self) -> None:
        self._messages = 0
        self._characters = 0

    def add(self, messages: Iterable[NumberedMessage]) -> None:
        for message in messages:
            self._messages += 1
            self._characters += len(message.content)

    @property
    def is_full(self) -> bool:
        return self._messages >= _MOST_MESSAGES or self._characters >= _MOST_CHARACTERS


async def _batches(
    conversations: AsyncIterable[NumberedConversation],
) -> AsyncIterator[list[NumberedConversation]]:
    """Whole conversations, as many as one transaction should hold."""
    batch: list[NumberedConversation] = []
    load = _Load()
    async for conversation in conversations:
        batch.append(conversation)
        load.add(conversation.messages)
        if load.is_full or len(batch) == _MOST_MESSAGES:
            yield batch
            batch, load = [], _Load()
    if batch:
        yield batch


def _statements(batch: Iterable[NumberedConversation]) -> Iterator[list[NumberedMessage]]:
    """Messages, as many as one statement should hold."""
    gathered: list[NumberedMessage] = []
    load = _Load()
    for conversation in batch:
        for message in conversation.messages:
            gathered.append(message)
            load.add((message,))
            if load.is_full:
                yield gathered
                gathered, load = [], _Load()
    if gathered:
        yield gathered


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
