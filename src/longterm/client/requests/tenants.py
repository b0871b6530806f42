"""What is of the tenant: its users, settings, keys and numbers."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from longterm.client.reading import items, member, page, record, true
from longterm.client.request import Request, given, hours, path, uuid_step
from longterm.records.changes import Changes
from longterm.records.conversation import Conversation, Retention
from longterm.records.insight import Insight
from longterm.records.key import ApiKey, IssuedKey, KeyScope
from longterm.records.page import Page
from longterm.records.person import Person
from longterm.records.report import CleanupResult
from longterm.records.stats import Stats
from longterm.records.tenant import TenantSettings


def get_settings() -> Request[TenantSettings]:
    """Return what the tenant decided for itself."""
    return Request(method="GET", path="/api/admin/settings", read=_settings)


def update_settings(
    *,
    conversation_retention: Retention | float | None = None,
    session_retention: Retention | float | None = None,
    model_calls_per_day: int | None = None,
    model_tokens_per_day: int | None = None,
    memory: bool | None = None,
) -> Request[TenantSettings]:
    """Replace the tenant's settings; what is left out is left to the installation."""
    return Request(
        method="PUT",
        path="/api/admin/settings",
        body=given(
            conversation_retention=hours(conversation_retention),
            session_retention=hours(session_retention),
            model_calls_per_day=model_calls_per_day,
            model_tokens_per_day=model_tokens_per_day,
            memory=memory,
        ),
        read=_settings,
    )


def create_key(
    name: str, scope: KeyScope = "app", user_id: str | None = None
) -> Request[IssuedKey]:
    """Make a key of the tenant; its secret is shown this once."""
    key = record(ApiKey)
    return Request(
        method="POST",
        path="/api/admin/keys",
        body=given(name=name, scope=scope, user_id=user_id),
        read=lambda data: IssuedKey(key=key(data), secret=data["secret"]),
    )


def list_keys() -> Request[list[ApiKey]]:
    """The keys of the tenant, also those that were revoked, oldest first."""
    return Request(method="GET", path="/api/admin/keys", read=items(ApiKey))


def revoke_key(key_id: str | UUID) -> Request[bool]:
    """Revoke a key, from the next request on; tells whether there was one to revoke."""
    return Request(
        method="DELETE",
        path=path("api", "admin", "keys", uuid_step(key_id, "key_id")),
        read=true,
        absent=lambda: False,
    )


def cleanup() -> Request[CleanupResult]:
    """Delete the conversations of the tenant that expired."""
    return Request(method="POST", path="/api/admin/cleanup", read=record(CleanupResult))


def get_stats() -> Request[Stats]:
    """Return how much the tenant has, its jobs by state, and its models of the last 30 days."""
    return Request(method="GET", path="/api/admin/stats", read=record(Stats))


def list_users(
    limit: int = 50, cursor: str | None = None, search: str | None = None
) -> Request[Page[Person]]:
    """The users of the tenant by their ids."""
    return Request(
        method="GET",
        path="/api/users",
        query={"limit": limit, "cursor": cursor, "search": search},
        read=page(Person),
    )


def get_changes(user_id: str) -> Request[Changes]:
    """Tell whether it is worth looking again: at memory, conversations, places or keys."""
    return Request(method="GET", path="/api/changes", user_id=user_id, read=record(Changes))


def get_insight(user_id: str | None = None, days: int = 30) -> Request[Insight]:
    """Tell how the memory of a user is doing, or of the tenant where none is named."""
    read = record(Insight)
    return Request(
        method="GET",
        path="/api/insight",
        user_id=user_id,
        query={"days": days},
        read=lambda data: read({**data, "stages": data["recall"]["stages"]}),
    )


def load_demo(user_id: str) -> Request[Conversation]:
    """Load a conversation that shows what memory looks like, and learn from it at once."""
    return Request(
        method="POST", path="/api/demo", user_id=user_id, body={}, read=record(Conversation)
    )


def remove_demo(user_id: str) -> Request[int]:
    """Remove the demo with everything that was learned from it."""
    return Request(method="DELETE", path="/api/demo", user_id=user_id, read=member("deleted", int))


def _settings(data: Any) -> TenantSettings:
    kept = {
        name: timedelta(hours=value) if isinstance(value := data[name], int | float) else value
        for name in ("conversation_retention", "session_retention")
    }
    return record(TenantSettings)({**data, **kept})
