"""Key-value memory and state of a user."""

from collections.abc import Mapping
from typing import Any

from longterm.client.reading import items, member, nothing, record
from longterm.client.request import Request, of_user
from longterm.records.json import JsonObject
from longterm.records.keyvalue import UserMemory
from longterm.records.state import UserState


def set_memory(user_id: str, key: str, value: Mapping[str, Any]) -> Request[int]:
    """Keep a JSON object beneath a key, in place of the one that is there."""
    return Request(
        method="PUT",
        path=of_user(user_id, "memory", key),
        user_id=user_id,
        body={"value": value},
        read=member("id", int),
    )


def get_memory(user_id: str, key: str) -> Request[JsonObject | None]:
    """Return the JSON object beneath a key, or None."""
    return Request(
        method="GET",
        path=of_user(user_id, "memory", key),
        user_id=user_id,
        read=lambda data: data["value"],
        absent=lambda: None,
    )


def get_all_memory(user_id: str) -> Request[list[UserMemory]]:
    """Every key of a user with its JSON object, by key."""
    return Request(
        method="GET", path=of_user(user_id, "memory"), user_id=user_id, read=items(UserMemory)
    )


def delete_memory(user_id: str, key: str) -> Request[None]:
    """Delete a key."""
    return Request(
        method="DELETE", path=of_user(user_id, "memory", key), user_id=user_id, read=nothing
    )


def clear_all_memory(user_id: str) -> Request[int]:
    """Delete every key of a user, and tell how many there were."""
    return Request(
        method="DELETE",
        path=of_user(user_id, "memory"),
        user_id=user_id,
        read=member("deleted", int),
    )


def set_user_state(user_id: str, mode: str) -> Request[None]:
    """Set the mode of a user, such as `active` or `halted`."""
    return Request(
        method="PUT",
        path=of_user(user_id, "state"),
        user_id=user_id,
        body={"mode": mode},
        read=nothing,
    )


def get_user_state(user_id: str) -> Request[UserState | None]:
    """Return the mode of a user, or None where none was set."""
    read = record(UserState)
    return Request(
        method="GET",
        path=of_user(user_id, "state"),
        user_id=user_id,
        read=lambda data: None if data["updated_at"] is None else read(data),
    )


def delete_user_state(user_id: str) -> Request[None]:
    """Forget the mode; the user counts as active again."""
    return Request(method="DELETE", path=of_user(user_id, "state"), user_id=user_id, read=nothing)
