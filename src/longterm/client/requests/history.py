"""History: the messages of a user, over all conversations."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from longterm.client.reading import items, member, nothing
from longterm.client.request import (
    Request,
    given,
    message_step,
    path,
    plain,
    uuid_step,
    write_id_of,
)
from longterm.errors import InvalidInputError, InvalidRoleError
from longterm.records.json import check_json
from longterm.records.message import ROLES, Message


def add_message(
    user_id: str,
    role: str,
    content: str,
    *,
    conversation_id: str | UUID | None = None,
    name: str | None = None,
    created_at: datetime | None = None,
    write_id: str | UUID | None = None,
    **payloads: Any,
) -> Request[int]:
    """Store a message in the conversation given, or in the user's current one.

    It can carry `tool_calls`, `suggested_values`, `suggested_actions` and `custom_payload`.
    Repeated with the same `write_id`, a UUID of the caller, it is stored once.
    """
    _check_role(role)
    for payload, value in payloads.items():
        check_json(value, payload)
    told = given(
        role=role,
        content=content,
        conversation_id=conversation_id,
        name=name,
        created_at=created_at,
    )
    return Request(
        method="POST",
        path="/api/messages",
        user_id=user_id,
        body={**payloads, **told},
        read=member("id", int),
        write_id=write_id_of(write_id),
    )


def add_messages(
    user_id: str, conversation_id: str | UUID, messages: Sequence[Mapping[str, Any]]
) -> Request[list[int]]:
    """Store messages of one conversation in this order, all of them or none.

    Each has what `add_message` takes: `role`, `content`, and the rest where it is wanted.
    """
    told = [_told(message) for message in messages]
    return Request(
        method="POST",
        path=path(
            "api", "conversations", uuid_step(conversation_id, "conversation_id"), "messages"
        ),
        user_id=user_id,
        body={"messages": told},
        read=lambda data: [item["id"] for item in data["items"]],
    )


def get_conversation_history(
    user_id: str, limit: int = 50, offset: int = 0
) -> Request[list[Message]]:
    """Messages of a user, newest first."""
    return Request(
        method="GET",
        path="/api/messages",
        user_id=user_id,
        query={"limit": limit, "offset": offset},
        read=items(Message),
    )


def get_recent_messages(user_id: str, count: int = 10) -> Request[list[Message]]:
    """Return the newest messages of a user in the order they were said, for a prompt."""
    newest = items(Message)
    return Request(
        method="GET",
        path="/api/messages",
        user_id=user_id,
        query={"limit": count},
        read=lambda data: newest(data)[::-1],
    )


def count_messages(user_id: str) -> Request[int]:
    """How many messages the history of a user has."""
    return Request(
        method="GET", path="/api/messages/count", user_id=user_id, read=member("count", int)
    )


def clear_conversation_history(user_id: str) -> Request[int]:
    """Delete every conversation of a user, and return how many messages that were.

    Facts that rest on them alone end.
    """
    return Request(
        method="DELETE", path="/api/messages", user_id=user_id, read=member("deleted", int)
    )


def delete_message(message_id: int, *, conversation_id: str | UUID | None = None) -> Request[None]:
    """Delete one message; the numbers of the turns around it stay.

    Facts that rest on it alone end. With `conversation_id`, only a message of this conversation.
    """
    where = (
        path("api", "messages", message_step(message_id))
        if conversation_id is None
        else in_conversation(conversation_id, message_id)
    )
    return Request(method="DELETE", path=where, read=nothing)


def in_conversation(conversation_id: str | UUID, message_id: int | str) -> str:
    """The path of a message of a conversation."""
    conversation = uuid_step(conversation_id, "conversation_id")
    return path("api", "conversations", conversation, "messages", message_step(message_id))


def trim_history(
    user_id: str,
    keep_last: int | None = None,
    older_than: timedelta | datetime | None = None,
    archive: bool = True,
) -> Request[int]:
    """Archive or delete what is beyond the newest `keep_last` or older than `older_than`.

    With both, a message stays only if both keep it. Returns how many messages went.
    """
    return Request(
        method="POST",
        path="/api/messages/trim",
        user_id=user_id,
        body=given(keep_last=keep_last, older_than=_moment(older_than), archive=archive),
        read=member("trimmed", int),
    )


def _told(message: object) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        raise InvalidInputError("messages must be a list of mappings.")
    members = cast("Mapping[str, Any]", message)
    _check_role(members.get("role"))
    return {
        name: plain(value) if isinstance(value, datetime) else value
        for name, value in members.items()
    }


def _check_role(role: object) -> None:
    if role not in ROLES:
        raise InvalidRoleError


def _moment(older_than: timedelta | datetime | None) -> datetime | None:
    if not isinstance(older_than, timedelta):
        return older_than
    if older_than < timedelta(0):
        raise InvalidInputError("older_than must not be negative.")
    try:
        return datetime.now(UTC) - older_than
    except OverflowError:
        raise InvalidInputError("older_than is out of range.") from None
