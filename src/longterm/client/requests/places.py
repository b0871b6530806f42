"""Places of a user, the document over all memory, and the tool that an agent manages it with."""

from typing import Any, Literal
from uuid import UUID

from longterm.client.reading import items, member, record, true
from longterm.client.request import Request, given, path
from longterm.records.audit import Actor
from longterm.records.document import MemoryDocument
from longterm.records.place import Place

SchemaForm = Literal["openai", "anthropic", "json"]

_TOOL = "/api/tools/manage_user_memory"


def add_poi(
    user_id: str,
    place_id: str,
    place_name: str,
    notes: str | None = None,
    conversation_id: str | UUID | None = None,
    message_id: int | str | None = None,
    *,
    actor: Actor = "api",
) -> Request[str]:
    """Remember a place, with its first mention, or correct one; secrets are refused."""
    return Request(
        method="POST",
        path="/api/places",
        user_id=user_id,
        body=given(
            place_id=place_id,
            place_name=place_name,
            notes=notes,
            conversation_id=conversation_id,
            message_id=message_id,
            actor=actor,
        ),
        read=member("place_id", str),
    )


def add_poi_mention(
    user_id: str, place_id: str, conversation_id: str | UUID, message_id: int | str
) -> Request[bool]:
    """Note where a place was spoken of; tells whether there is such a place."""
    return Request(
        method="POST",
        path=path("api", "places", place_id, "mentions"),
        user_id=user_id,
        body={"conversation_id": conversation_id, "message_id": message_id},
        read=true,
        absent=lambda: False,
    )


def delete_poi(user_id: str, place_id: str) -> Request[bool]:
    """Delete a place with its mentions; tells whether it was there."""
    return Request(
        method="DELETE",
        path=path("api", "places", place_id),
        user_id=user_id,
        read=true,
        absent=lambda: False,
    )


def list_places(user_id: str) -> Request[list[Place]]:
    """The places of a user with their mentions, oldest first."""
    return Request(method="GET", path="/api/places", user_id=user_id, read=items(Place))


def get_user_memory(user_id: str) -> Request[MemoryDocument]:
    """Return all facts and places of a user as one document, with counts and tokens."""
    return Request(
        method="GET",
        path="/api/memories/document",
        user_id=user_id,
        read=record(MemoryDocument),
    )


def manage_user_memory(
    user_id: str,
    operation: str,
    *,
    content: str | None = None,
    fact_id: str | None = None,
    query: str | None = None,
    place_id: str | None = None,
    place_name: str | None = None,
    notes: str | None = None,
    conversation_id: str | UUID | None = None,
    message_id: int | None = None,
) -> Request[dict[str, Any]]:
    """Do what an agent asks for; its mistakes are answered with `ok: false` and an `error`."""
    return Request(
        method="POST",
        path=_TOOL,
        user_id=user_id,
        body=given(
            operation=operation,
            content=content,
            fact_id=fact_id,
            query=query,
            place_id=place_id,
            place_name=place_name,
            notes=notes,
            conversation_id=conversation_id,
            message_id=message_id,
        ),
        read=_tool_answer,
    )


def tool_schema(form: SchemaForm = "json") -> Request[dict[str, Any]]:
    """Return the declaration of `manage_user_memory` for a provider."""
    return Request(method="GET", path=_TOOL, query={"form": form}, read=dict[str, Any])


def _tool_answer(data: dict[str, Any]) -> dict[str, Any]:
    # The server names the error also where there is none; the library does not.
    return {name: value for name, value in data.items() if (name, value) != ("error", None)}
