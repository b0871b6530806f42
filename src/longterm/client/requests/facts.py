"""Facts: what is known about a user."""

from datetime import datetime
from uuid import UUID

from longterm.client.reading import items, page, record, true
from longterm.client.request import Request, given, path, uuid_step, write_id_of
from longterm.client.requests.conversations import archived_or_not
from longterm.records.audit import Actor, AuditEntry
from longterm.records.fact import Fact, FactType
from longterm.records.page import Page


def add_fact(
    user_id: str,
    content: str,
    *,
    type: FactType = "fact",  # noqa: A002
    category: str | None = None,
    key: str | None = None,
    confidence: float = 1.0,
    importance: float = 0.8,
    source_conversation_id: str | UUID | None = None,
    source_message_id: int | None = None,
    actor: Actor = "api",
    write_id: str | UUID | None = None,
) -> Request[Fact]:
    """Remember a fact; one that says the same as another is counted there. Secrets are refused.

    With a category and a key it takes the place of what is known beneath them. Repeated with the
    same `write_id`, a UUID of the caller, it is stored and counted once.
    """
    return Request(
        method="POST",
        path="/api/memories",
        user_id=user_id,
        body=given(
            content=content,
            type=type,
            category=category,
            key=key,
            confidence=confidence,
            importance=importance,
            source_conversation_id=source_conversation_id,
            source_message_id=source_message_id,
            actor=actor,
        ),
        read=record(Fact),
        write_id=write_id_of(write_id),
    )


def update_fact(
    user_id: str,
    fact_id: str | UUID,
    *,
    content: str | None = None,
    pinned: bool | None = None,
    archived: bool | None = None,
    importance: float | None = None,
    confidence: float | None = None,
    source_conversation_id: str | UUID | None = None,
    source_message_id: int | None = None,
    actor: Actor = "user",
) -> Request[Fact]:
    """Correct a fact: new words make a new version, and the old one stays in the history."""
    return Request(
        method="PUT",
        path=path("api", "memories", uuid_step(fact_id, "fact_id")),
        user_id=user_id,
        body=given(
            content=content,
            pinned=pinned,
            archived=archived,
            importance=importance,
            confidence=confidence,
            source_conversation_id=source_conversation_id,
            source_message_id=source_message_id,
            actor=actor,
        ),
        read=record(Fact),
    )


def pin_fact(
    user_id: str, fact_id: str | UUID, *, pinned: bool = True, actor: Actor = "user"
) -> Request[Fact]:
    """Pin a fact, so that it is always in the context, or let it go again."""
    return update_fact(user_id, fact_id, pinned=pinned, actor=actor)


def deactivate_fact(user_id: str, fact_id: str | UUID, *, actor: Actor = "api") -> Request[bool]:
    """Say that a fact does not hold any more; tells whether it did."""
    return Request(
        method="POST",
        path=path("api", "memories", uuid_step(fact_id, "fact_id"), "deactivate"),
        user_id=user_id,
        query={"actor": actor},
        read=true,
        absent=lambda: False,
    )


def delete_fact(user_id: str, fact_id: str | UUID) -> Request[bool]:
    """Delete a fact with its whole history; tells whether it was there."""
    return Request(
        method="DELETE",
        path=path("api", "memories", uuid_step(fact_id, "fact_id")),
        user_id=user_id,
        read=true,
        absent=lambda: False,
    )


def get_active_facts(user_id: str) -> Request[list[Fact]]:
    """What holds now and is not archived, oldest first."""
    return list_facts(user_id)


def list_facts(
    user_id: str,
    type: FactType | None = None,  # noqa: A002
    category: str | None = None,
    key: str | None = None,
    pinned: bool | None = None,
    archived: bool | None = False,
    text: str | None = None,
    as_of: datetime | None = None,
) -> Request[list[Fact]]:
    """The facts that hold now, or held at `as_of`, oldest first."""
    return Request(
        method="GET",
        path="/api/memories",
        user_id=user_id,
        query={
            "type": type,
            "category": category,
            "key": key,
            "pinned": pinned,
            "archived": archived_or_not(archived),
            "text": text,
            "as_of": as_of,
        },
        read=items(Fact),
    )


def get_fact(user_id: str, fact_id: str | UUID) -> Request[Fact]:
    """The newest version of a fact, which may not hold any more."""
    return Request(
        method="GET",
        path=path("api", "memories", uuid_step(fact_id, "fact_id")),
        user_id=user_id,
        read=record(Fact),
    )


def fact_history(user_id: str, fact_id: str | UUID) -> Request[list[Fact]]:
    """Every version of a fact, in the order in which they held."""
    return Request(
        method="GET",
        path=path("api", "memories", uuid_step(fact_id, "fact_id"), "history"),
        user_id=user_id,
        read=items(Fact),
    )


def extract_memories(conversation_id: str | UUID) -> Request[list[Fact]]:
    """Learn now what there is to learn from a conversation; returns what is known from it."""
    return Request(
        method="POST",
        path="/api/memories/extract",
        body={"conversation_id": conversation_id},
        read=items(Fact),
    )


def list_audit(
    user_id: str | None = None,
    *,
    after: datetime | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Request[Page[AuditEntry]]:
    """Changes to the memory of a user, or of all users of the tenant, newest first."""
    return Request(
        method="GET",
        path="/api/audit",
        user_id=user_id,
        query={"after": after, "limit": limit, "cursor": cursor},
        read=page(AuditEntry),
    )
