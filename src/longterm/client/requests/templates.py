"""Prompt templates of a tenant."""

from collections.abc import Mapping
from typing import Any

from longterm.client.reading import items, member, nothing, record
from longterm.client.request import Request, path
from longterm.records.template import Template


def set_template(name: str, body: str) -> Request[Template]:
    """Store a new version of a template; one that can't be read is refused."""
    return Request(
        method="PUT",
        path=path("api", "templates", name),
        body={"body": body},
        read=record(Template),
        # Each time makes a version.
        repeatable=False,
    )


def get_template(name: str) -> Request[Template]:
    """Return the newest version of the tenant's own template, else of the system's."""
    return Request(method="GET", path=path("api", "templates", name), read=record(Template))


def list_templates() -> Request[list[Template]]:
    """Every template that the tenant can use, by name."""
    return Request(method="GET", path="/api/templates", read=items(Template))


def delete_template(name: str) -> Request[None]:
    """Delete the tenant's own template; the system's shows again, if there is one."""
    return Request(method="DELETE", path=path("api", "templates", name), read=nothing)


def render_template(
    name: str, variables: Mapping[str, Any] | None = None, *, user_id: str | None = None
) -> Request[str]:
    """Fill a template in with variables and, for a user, their history and key-value memory."""
    return Request(
        method="POST",
        path=path("api", "templates", name, "render"),
        user_id=user_id,
        body={"variables": dict(variables or {})},
        read=member("text", str),
    )
