"""The document: the facts and places of a user as one JSON view, made when it is asked for."""

import asyncio

from longterm.memory import inputs
from longterm.memory.operations import Operations
from longterm.records.document import (
    MemoryDocument,
    MemoryFact,
    MemoryMetadata,
    MemoryPlace,
    moment,
)
from longterm.records.fact import Fact
from longterm.records.place import Place
from longterm.store import facts, places
from longterm.text.secrets import gate


class Documents(Operations):
    """Reads the document."""

    async def get_user_memory(self, user_id: str) -> MemoryDocument:
        """All facts and places of a user, with counts and tokens."""
        user_id = inputs.user_id(user_id)
        with self._operation("get_user_memory", user_id=user_id):
            async with self._transaction() as conn:
                known = await facts.document(conn, user_id)
                visited = await places.list_(conn, user_id)
                size = await places.tokens(conn, user_id)
        return await asyncio.to_thread(_document, known, visited, size)


def _document(known: list[Fact], visited: list[Place], place_tokens: int) -> MemoryDocument:
    return MemoryDocument(
        facts=[_fact(fact) for fact in known],
        placer_user_datapoints=[_place(place) for place in visited],
        metadata=_metadata(known, visited, place_tokens),
    )


def _metadata(known: list[Fact], visited: list[Place], place_tokens: int) -> MemoryMetadata:
    times = [fact.recorded_at for fact in known] + [place.added_at for place in visited]
    return MemoryMetadata(
        last_updated=moment(max(times)) if times else "",
        total_facts=len(known),
        total_active_facts=sum(fact.is_active for fact in known),
        total_pois=len(visited),
        token_count=sum(fact.tokens for fact in known) + place_tokens,
    )


def _fact(fact: Fact) -> MemoryFact:
    return MemoryFact(
        id=fact.id,
        content=gate.masked(fact.content, (fact.key,) if fact.key else ()),
        added_at=moment(fact.recorded_at),
        source_conversation_id=fact.source_conversation_id,
        source_message_id=(None if fact.source_message_id is None else str(fact.source_message_id)),
        source_gone=fact.source_gone,
        is_active=fact.is_active,
    )


def _place(place: Place) -> MemoryPlace:
    mentioned_in: dict[str, list[tuple[str, str]]] = {}
    for mention in place.mentions:
        mentioned_in.setdefault(mention.conversation_id, []).append(
            (mention.message_id, moment(mention.mentioned_at))
        )
    return MemoryPlace(
        place_id=place.place_id,
        place_name=gate.masked(place.place_name, (place.place_id,)),
        notes=None if place.notes is None else gate.masked(place.notes, (place.place_name,)),
        mentioned_in=mentioned_in,
        added_at=moment(place.added_at),
    )
