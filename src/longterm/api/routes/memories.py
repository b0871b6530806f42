"""Memories: the facts that are known about a user."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.wire.conversations import ARCHIVED, Archived
from longterm.api.wire.memories import Document, Extraction, Memory, MemoryChanges, NewMemory, Who
from longterm.api.wire.shapes import Items, Time, there
from longterm.records.fact import FactType

router = APIRouter(prefix="/api/memories", tags=["memories"])

Words = Annotated[str | None, Query(min_length=1, max_length=255)]


@router.get("")
async def list_memories(
    user: UserOfQuery,
    type: FactType | None = None,  # noqa: A002
    category: Words = None,
    key: Words = None,
    pinned: bool | None = None,
    archived: Archived = "false",
    text: Words = None,
    as_of: Annotated[Time, Query(description="What was known at this time.")] = None,
) -> Items[Memory]:
    """List the facts that hold now, or held at a time, oldest first."""
    found = await user.memory.list_facts(
        user.id,
        type=type,
        category=category,
        key=key,
        pinned=pinned,
        archived=ARCHIVED[archived],
        text=text,
        as_of=as_of,
    )
    return Items[Memory].all(found)


@router.post("", status_code=201)
async def create_memory(new: NewMemory, asked: Anybody) -> Memory:
    """Remember a fact; one that says the same as another is counted there. Secrets are refused."""
    user = asked.of(new.user_id)
    return Memory.of(
        await user.memory.add_fact(
            user.id,
            new.content,
            type=new.type,
            category=new.category,
            key=new.key,
            confidence=new.confidence,
            importance=new.importance,
            source_conversation_id=new.source_conversation_id,
            source_message_id=new.source_message_id,
            actor=new.actor,
        )
    )


@router.get("/document")
async def get_document(user: UserOfQuery) -> Document:
    """Return all facts and places of a user as one document, with counts and tokens."""
    return Document.of(await user.memory.get_user_memory(user.id))


@router.post("/extract")
async def extract_memories(wanted: Extraction, asked: Anybody) -> Items[Memory]:
    """Learn now what there is to learn from a conversation; returns what is known from it."""
    found = await asked.memory(wanted.user_id).extract_memories(wanted.conversation_id)
    for fact in found:
        asked.is_of(fact.user_id)
    return Items[Memory].all(found)


@router.get("/{memory_id}")
async def get_memory(memory_id: UUID, user: UserOfQuery) -> Memory:
    """Return the newest version of a fact, which may not hold any more."""
    return Memory.of(await user.memory.get_fact(user.id, memory_id))


@router.put("/{memory_id}")
async def update_memory(memory_id: UUID, changes: MemoryChanges, asked: Anybody) -> Memory:
    """Correct a fact, pin it or archive it; what it said before stays in its history."""
    user = asked.of(changes.user_id)
    return Memory.of(
        await user.memory.update_fact(
            user.id,
            memory_id,
            content=changes.content,
            pinned=changes.pinned,
            archived=changes.archived,
            importance=changes.importance,
            confidence=changes.confidence,
            source_conversation_id=changes.source_conversation_id,
            source_message_id=changes.source_message_id,
            actor=changes.actor,
        )
    )


@router.delete("/{memory_id}", status_code=204)
async def delete_memory(memory_id: UUID, user: UserOfQuery) -> None:
    """Delete a fact with its whole history."""
    there(await user.memory.delete_fact(user.id, memory_id))


@router.post("/{memory_id}/deactivate", status_code=204)
async def deactivate_memory(memory_id: UUID, user: UserOfQuery, actor: Who = "api") -> None:
    """Say that a fact does not hold any more; it stays in the history."""
    there(await user.memory.deactivate_fact(user.id, memory_id, actor=actor))


@router.get("/{memory_id}/history")
async def memory_history(memory_id: UUID, user: UserOfQuery) -> Items[Memory]:
    """List every version of a fact, in the order in which they held."""
    return Items[Memory].all(await user.memory.fact_history(user.id, memory_id))
