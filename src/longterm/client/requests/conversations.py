"""Conversations: made, found, listed, changed and deleted."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from longterm.client.reading import items, page, record, true
from longterm.client.request import Request, given, hours, message_step, path, plain, uuid_step
from longterm.records.conversation import Conversation, FoundConversation, Retention
from longterm.records.episode import Episode
from longterm.records.message import ShownMessage
from longterm.records.page import Page


def archived_or_not(archived: bool | None) -> str:
    """Write whether archived ones are wanted, the others, or both."""
    return "any" if archived is None else plain(archived)


def create_conversation(
    user_id: str,
    title: str | None = None,
    *,
    retention: Retention | float | None = None,
    metadata: Mapping[str, Any] | None = None,
    conversation_id: str | UUID | None = None,
) -> Request[Conversation]:
    """Make a conversation, which becomes the user's current one.

    Under an id that the application chose, the conversation that is there is returned.
    """
    return Request(
        method="POST",
        path="/api/conversations",
        user_id=user_id,
        body=given(
            title=title,
            retention=hours(retention),
            metadata=metadata,
            conversation_id=conversation_id,
        ),
        read=record(Conversation),
    )


def get_conversation(user_id: str, conversation_id: str | UUID) -> Request[Conversation]:
    """Return a conversation of a user; its messages come page by page."""
    return Request(
        method="GET",
        path=path("api", "conversations", uuid_step(conversation_id, "conversation_id")),
        user_id=user_id,
        # The route adds messages, which have a method of their own here.
        query={"limit": 1},
        read=record(Conversation),
    )


def current_conversation(user_id: str) -> Request[Conversation]:
    """Return the conversation that messages without one go to; made when there is none."""
    return Request(
        method="GET",
        path="/api/conversations/current",
        user_id=user_id,
        read=record(Conversation),
    )


def list_conversations(
    user_id: str,
    limit: int = 50,
    cursor: str | None = None,
    archived: bool | None = False,
    search: str | None = None,
) -> Request[Page[FoundConversation]]:
    """Conversations of a user, pinned ones first, then the one used last.

    `archived` is True, False, or None for both; `search` looks into titles and messages: for
    whole words in any order, else for the letters as they stand.
    """
    return Request(
        method="GET",
        path="/api/conversations",
        user_id=user_id,
        query={
            "limit": limit,
            "cursor": cursor,
            "archived": archived_or_not(archived),
            "search": search,
        },
        read=page(FoundConversation),
    )


def update_conversation(
    user_id: str,
    conversation_id: str | UUID,
    *,
    title: str | None = None,
    archived: bool | None = None,
    pinned: bool | None = None,
    retention: Retention | float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Request[Conversation]:
    """Change what is given; a title set here is never replaced by a made one."""
    changes = given(
        title=title,
        archived=archived,
        pinned=pinned,
        retention=hours(retention),
        metadata=metadata,
    )
    return Request(
        method="PUT",
        path=path("api", "conversations", uuid_step(conversation_id, "conversation_id")),
        user_id=user_id,
        body=changes,
        read=record(Conversation),
    )


def delete_conversation(user_id: str, conversation_id: str | UUID) -> Request[bool]:
    """Delete a conversation with its messages; tells whether it was there.

    Facts that rest on it alone end.
    """
    return Request(
        method="DELETE",
        path=path("api", "conversations", uuid_step(conversation_id, "conversation_id")),
        user_id=user_id,
        read=true,
        absent=lambda: False,
    )


def get_messages(
    conversation_id: str | UUID,
    limit: int = 50,
    before: int | str | None = None,
    after: int | str | None = None,
    around: int | str | None = None,
) -> Request[Page[ShownMessage]]:
    """Return messages of a conversation in the order they were said.

    Without `before` and `after` these are the newest ones, and `next_cursor` is the `before`
    of the page of older ones. With `after` it is the `after` of the page of newer ones. With
    `around` that message is in the middle, and `previous_cursor` is the `after` of newer ones.
    """
    both_ways = around is not None
    places = {
        name: None if place is None else message_step(place, name)
        for name, place in (("before", before), ("after", after), ("around", around))
    }
    return Request(
        method="GET",
        path=path(
            "api", "conversations", uuid_step(conversation_id, "conversation_id"), "messages"
        ),
        query={"limit": limit, **given(**places)},
        read=lambda data: _message_page(data, both_ways=both_ways),
    )


def list_episodes(conversation_id: str | UUID) -> Request[list[Episode]]:
    """The episodes of a conversation, in the order of their turns."""
    return Request(
        method="GET",
        path=path(
            "api", "conversations", uuid_step(conversation_id, "conversation_id"), "episodes"
        ),
        read=items(Episode),
        absent=list[Episode],
    )


def _message_page(data: Any, *, both_ways: bool) -> Page[ShownMessage]:
    previous = data["previous_cursor"] if both_ways else None
    return Page(tuple(items(ShownMessage)(data)), _place(data["next_cursor"]), _place(previous))


def _place(cursor: str | None) -> str | None:
    # The cursors of HTTP name their direction before the message: `before-42`.
    return None if cursor is None else cursor.rpartition("-")[2]
