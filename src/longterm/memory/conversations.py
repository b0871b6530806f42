"""Conversations: made, found, listed, changed and deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from longterm.errors import InvalidInputError, MemoryNotFoundError
from longterm.memory import cursors, deletion, inputs, off_loop, repeated, tenants
from longterm.memory.operations import Operations
from longterm.memory.patience import patiently
from longterm.postgres.transaction import Conn
from longterm.records.conversation import (
    Conversation,
    ConversationChanges,
    FoundConversation,
    NewConversation,
    Retention,
    Sought,
)
from longterm.records.ids import new_id
from longterm.records.message import ShownMessage
from longterm.records.page import Page
from longterm.store import conversations, messages, users
from longterm.text import secrets, words
from longterm.text.secrets import gate
from longterm.text.snippets import around, snippet

_NOT_THERE = "This user has no such conversation."
_PAST_THE_LAST = inputs.MAX_INTEGER

# What of a found message is read for secrets: the snippet, and the words that could name one.
_MASKED_BEFORE = 300
_MASKED = 1000


class Conversations(Operations):
    """Threads of a user; the one used last is the current one."""

    async def create_conversation(
        self,
        user_id: str,
        title: str | None = None,
        *,
        retention: Retention | float | None = None,
        metadata: Mapping[str, Any] | None = None,
        conversation_id: str | UUID | None = None,
    ) -> Conversation:
        """Make a conversation, which becomes the user's current one.

        Under an id that the application chose, the conversation that is there is returned.
        """
        user_id = inputs.user_id(user_id)
        chosen = (
            repeated.id_in_request("new conversation")
            if conversation_id is None
            else inputs.uuid(conversation_id, "conversation_id")
        )
        title = None if title is None else _title(title)
        kept = inputs.retention(retention, "retention")
        attached = inputs.metadata(metadata, limits=self._rules.limits)
        with self._operation("create_conversation", user_id=user_id):
            async with self._transaction() as conn:
                await users.ensure(conn, user_id)
                return await _create(
                    conn,
                    user_id,
                    id_=chosen,
                    title=title,
                    retention=kept,
                    metadata=attached,
                )

    async def get_conversation(self, user_id: str, conversation_id: str | UUID) -> Conversation:
        """Return a conversation of a user; its messages come page by page."""
        user_id = inputs.user_id(user_id)
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation("get_conversation", user_id=user_id, conversation_id=conversation_id):
            async with self._read_only() as conn:
                conversation = await conversations.get(conn, conversation_id)
            if conversation is None or conversation.user_id != user_id:
                raise MemoryNotFoundError(_NOT_THERE)
            return conversation

    async def current_conversation(self, user_id: str) -> Conversation:
        """Return the conversation that messages without one go to; made when there is none."""
        user_id = inputs.user_id(user_id)
        with self._operation("current_conversation", user_id=user_id):
            async with self._transaction() as conn:
                current = await conversations.current(conn, user_id)
                return current or await ensure_current(conn, user_id)

    async def list_conversations(
        self,
        user_id: str,
        limit: int = 50,
        cursor: str | None = None,
        archived: bool | None = False,
        search: str | None = None,
    ) -> Page[FoundConversation]:
        """Conversations of a user, pinned ones first, then the one used last.

        `archived` is True, False, or None for both; `search` looks into titles and messages: for
        whole words in any order, else for the letters as they stand.
        """
        user_id, limit = inputs.user_id(user_id), inputs.limit(limit)
        after = None if cursor is None else cursors.decode(cursor)
        sought = None if search is None else _sought(search)
        archived = None if archived is None else inputs.flag(archived, "archived")
        with self._operation("list_conversations", user_id=user_id):
            async with self._read_only() as conn:
                found = await conversations.page(
                    conn,
                    user_id=user_id,
                    limit=limit + 1,
                    after=after,
                    archived=archived,
                    sought=sought,
                )
        items = tuple(found[:limit])
        if search is not None:
            length = sum(len(each.snippet or "") for each in found)
            items = await off_loop.call(length, _with_snippets, items, search)
        return Page(items, cursors.encode(items[-1]) if len(found) > limit else None)

    async def update_conversation(
        self,
        user_id: str,
        conversation_id: str | UUID,
        *,
        title: str | None = None,
        archived: bool | None = None,
        pinned: bool | None = None,
        retention: Retention | float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Change what is given; a title set here is never replaced by a made one."""
        user_id = inputs.user_id(user_id)
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        changes = ConversationChanges(
            title=None if title is None else _title(title),
            archived=None if archived is None else inputs.flag(archived, "archived"),
            pinned=None if pinned is None else inputs.flag(pinned, "pinned"),
            set_retention=retention is not None,
            retention_hours=None if retention is None else inputs.retention_hours(retention),
            metadata=(
                None if metadata is None else inputs.metadata(metadata, limits=self._rules.limits)
            ),
        )
        with self._operation(
            "update_conversation", user_id=user_id, conversation_id=conversation_id
        ):
            async with self._transaction() as conn:
                updated = await conversations.update(
                    conn, user_id=user_id, conversation_id=conversation_id, changes=changes
                )
            if updated is None:
                raise MemoryNotFoundError(_NOT_THERE)
            return updated

    async def delete_conversation(self, user_id: str, conversation_id: str | UUID) -> bool:
        """Delete a conversation with its messages; tells whether it was there.

        Facts that rest on it alone end.
        """
        user_id = inputs.user_id(user_id)
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        with self._operation(
            "delete_conversation", user_id=user_id, conversation_id=conversation_id
        ):
            deleted = await patiently(lambda: self._delete(user_id, conversation_id))
            self._parts.window.drop(self._scope.tenant_id, user_id)
            return deleted

    async def _delete(self, user_id: str, conversation_id: str) -> bool:
        async with self._transaction() as conn:
            if await conversations.lock(conn, conversation_id) != user_id:
                return False
            await deletion.delete_conversations(
                conn, user_id=user_id, conversation_ids=[conversation_id]
            )
            return True

    async def get_messages(
        self,
        conversation_id: str | UUID,
        limit: int = 50,
        before: int | str | None = None,
        after: int | str | None = None,
        around: int | str | None = None,
    ) -> Page[ShownMessage]:
        """Return messages of a conversation in the order they were said.

        Without `before` and `after` these are the newest ones, and `next_cursor` is the `before`
        of the page of older ones. With `after` it is the `after` of the page of newer ones. With
        `around` that message is in the middle, and `previous_cursor` is the `after` of newer ones.
        """
        conversation_id = inputs.uuid(conversation_id, "conversation_id")
        limit = inputs.limit(limit)
        if sum(place is not None for place in (before, after, around)) > 1:
            raise InvalidInputError("Give one of before, after and around.")
        with self._operation("get_messages", conversation_id=conversation_id):
            if around is not None:
                place = inputs.message_id(around, "around")
                return await self._messages_around(conversation_id, limit, place)
            if after is not None:
                place = inputs.message_id(after, "after")
                return await self._messages_after(conversation_id, limit, place)
            place = _PAST_THE_LAST if before is None else inputs.message_id(before, "before")
            return await self._messages_before(conversation_id, limit, place)

    async def _messages_before(
        self, conversation_id: str, limit: int, place: int
    ) -> Page[ShownMessage]:
        async with self._read_only() as conn:
            found = await messages.shown_before(
                conn, conversation_id=conversation_id, limit=limit + 1, id_=place
            )
            await _check_exists(conn, conversation_id, unless=bool(found))
        items = tuple(reversed(found[:limit]))
        return Page(items, str(items[0].id) if len(found) > limit else None)

    async def _messages_after(
        self, conversation_id: str, limit: int, place: int
    ) -> Page[ShownMessage]:
        async with self._read_only() as conn:
            found = await messages.shown_after(
                conn, conversation_id=conversation_id, limit=limit + 1, id_=place
            )
            await _check_exists(conn, conversation_id, unless=bool(found))
        items = tuple(found[:limit])
        return Page(items, str(items[-1].id) if len(found) > limit else None)

    async def _messages_around(
        self, conversation_id: str, limit: int, place: int
    ) -> Page[ShownMessage]:
        half = limit // 2
        async with self._read_only() as conn:
            older = await messages.shown_before(
                conn, conversation_id=conversation_id, limit=half + 1, id_=place
            )
            newer = await messages.shown_after(
                conn, conversation_id=conversation_id, limit=limit - half + 1, id_=place - 1
            )
            await _check_exists(conn, conversation_id, unless=bool(older or newer))
        items = (*reversed(older[:half]), *newer[: limit - half])
        return Page(
            items,
            str(items[0].id) if items and len(older) > half else None,
            str(items[-1].id) if items and len(newer) > limit - half else None,
        )


async def ensure_current(conn: Conn, user_id: str) -> Conversation:
    """Return the user's current conversation, made when there is none."""
    await users.ensure(conn, user_id)
    # Two first messages at once must not make two conversations. Who was forgotten while this
    # waited for the lock begins anew.
    while not await users.lock(conn, user_id):
        await users.ensure(conn, user_id)
    current = await conversations.lock_current(conn, user_id)
    return current or await _create(conn, user_id)


async def _create(
    conn: Conn,
    user_id: str,
    *,
    id_: str | None = None,
    title: str | None = None,
    retention: Retention | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Conversation:
    if id_ is not None:
        await conversations.delete_expired_one(conn, conversation_id=id_, user_id=user_id)
    new = NewConversation(
        id=id_ or new_id(),
        user_id=user_id,
        title=title,
        retention_hours=await tenants.conversation_hours(conn, retention),
        metadata=metadata or {},
    )
    conversation = await conversations.insert(conn, new) or await conversations.get(conn, new.id)
    if conversation is None or conversation.user_id != user_id:
        raise MemoryNotFoundError(_NOT_THERE)
    await users.set_current(conn, user_id=user_id, conversation_id=conversation.id)
    return conversation


async def _check_exists(conn: Conn, conversation_id: str, *, unless: bool) -> None:
    if not unless and await conversations.get(conn, conversation_id) is None:
        raise MemoryNotFoundError("There is no such conversation.")


def _sought(search: str) -> Sought:
    pattern = inputs.pattern(search, "search")
    return Sought(pattern=pattern, terms=tuple(words.query_terms(search)))


def _with_snippets(
    found: Sequence[FoundConversation], search: str
) -> tuple[FoundConversation, ...]:
    """With the words around what was sought; a snippet is shown in lists, so secrets are masked."""
    sought = (search, *search.split())
    return tuple(
        each if each.snippet is None else replace(each, snippet=_snippet(each.snippet, sought))
        for each in found
    )


def _snippet(message: str, sought: Sequence[str]) -> str:
    near = around(message, sought, before=_MASKED_BEFORE, length=_MASKED)
    return snippet(secrets.mask(near), sought)


def _title(value: str) -> str:
    title = inputs.sentence(value, "title", longest=inputs.MAX_TITLE_LENGTH)
    return gate.check_text(title, "title")
