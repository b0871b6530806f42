"""Indexing: messages, episodes and facts become passages that can be searched."""

import asyncio
from collections.abc import Sequence

from longterm.memory import inputs, tenants
from longterm.memory.operations import Operations, Parts
from longterm.postgres.transaction import Conn
from longterm.providers.embedder import Embedder, Vectors
from longterm.recall import passage_text
from longterm.records.episode import Episode
from longterm.records.job import EMBED, REEMBED, NewJob
from longterm.records.passage import Generation, NewPassage
from longterm.records.scope import Scope
from longterm.store import episodes, generations, jobs, messages, passages
from longterm.store.passages import Unembedded, Unindexed, UnindexedFact
from longterm.text import secrets, words
from longterm.text.secrets import gate

_MESSAGES = 200
# Their words are read in the transaction that stores them, so they are few at a time.
_FACTS = 20
_EPISODES = 50

# Small, so that a query does not wait long for the embedder, and little is done twice.
_VECTORS = 16

# All words of a message are indexed; a very long one is found by the meaning of its beginning,
# because 20,000 characters have some 20 vectors and take two seconds to embed.
_LONGEST_TEXT = 20_000
# Only the last question of the message before is embedded with an answer.
_LONGEST_QUESTION = 2_000


class Indexing(Operations):
    """Makes what was said searchable: by words at once, by meaning as soon as there are vectors."""

    async def embed(self, user_id: str) -> None:
        """Make the vectors of a user's passages that have none."""
        user_id = inputs.user_id(user_id)
        with self._operation("embed", user_id=user_id):
            while await self._index_facts(user_id):
                pass
            while await self._index_episodes(user_id):
                pass
            while await self._embed_batch(user_id):
                pass

    async def _index_words(self, conversation_id: str) -> None:
        while await self._index_batch(conversation_id):
            pass

    async def _index_batch(self, conversation_id: str) -> bool:
        """Index the next messages by their words; tells whether there may be more."""
        async with self._transaction() as conn:
            unindexed = await passages.unindexed(
                conn, conversation_id=conversation_id, limit=_MESSAGES
            )
            unindexed = _finished(unindexed)
            if not unindexed:
                return False
            place = await passages.last_place(conn, conversation_id)
            remembers = await tenants.remembers(conn)
        user_id = unindexed[0].user_id
        new = await asyncio.to_thread(_read_messages, conversation_id, unindexed, place)
        async with self._transaction() as conn:
            if not await passages.advance(
                conn,
                conversation_id=conversation_id,
                was=unindexed[0].indexed_through,
                through=unindexed[-1].id,
            ):
                return False
            # The conversation is locked from here on: who forgets waits, or was before.
            there = await messages.there(conn, (message.id for message in unindexed))
            speakers = {each.name for each in unindexed if each.name and each.id in there}
            # Without memory it is passed over for good, and not put off.
            if remembers:
                await passages.insert(
                    conn,
                    user_id,
                    [passage for passage in new if passage.message_id in there],
                    speakers=sorted(speakers),
                )
                await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
        return len(unindexed) == _MESSAGES

    async def _index_facts(self, user_id: str) -> bool:
        """Search what holds now and nothing else; tells whether there may be more."""
        async with self._transaction() as conn:
            await passages.delete_closed_facts(conn, user_id)
            found = await passages.unindexed_facts(conn, user_id=user_id, limit=_FACTS)
            if found:
                new = await asyncio.to_thread(_read_facts, user_id, found)
                await passages.insert(conn, user_id, new)
        return len(found) == _FACTS

    async def _index_episodes(self, user_id: str) -> bool:
        """Search the episodes of earlier versions, too; tells whether there may be more."""
        async with self._transaction() as conn:
            found = await episodes.unindexed(conn, user_id=user_id, limit=_EPISODES)
            if found:
                await passages.insert(conn, user_id, [_read_episode(each) for each in found])
        return len(found) == _EPISODES

    async def _embed_batch(self, user_id: str) -> bool:
        async with self._transaction() as conn:
            found = await passages.not_embedded(conn, user_id=user_id, limit=_VECTORS)
        if not found:
            return False
        generation, embedder = await serving(self._parts, self._scope)
        owners, vectors = await vectors_of(embedder, found)
        if owners and vectors.shape[1] != generation.dimensions:
            # The embedder has vectors of another length now: these belong to a new generation.
            await serving(self._parts, self._scope, dimensions=vectors.shape[1])
            return True
        async with self._transaction() as conn:
            if owners:
                await passages.insert_vectors(conn, owners, vectors, generation=generation.id)
            await passages.mark_embedded(conn, [passage.id for passage in found])
        return len(found) == _VECTORS


async def serving(
    parts: Parts, scope: Scope, *, dimensions: int | None = None
) -> tuple[Generation, Embedder]:
    """The generation that serves with its embedder, made when there is none.

    Where the settings name another embedder, or it has vectors of another length now, a
    generation of that one begins to be filled.
    """
    embedder = parts.embedders.current
    known = await _generations(parts, scope)
    if not known or not _is_made_by(known[-1], embedder.name, dimensions):
        await _begin(parts, scope, embedder, known)
        known = await _generations(parts, scope)
    for generation in known:
        if generation.state == "serving" and _is_made_by(
            generation,
            generation.model,
            (dimensions if generation.model == embedder.name else None),
        ):
            other = await parts.embedders.named(generation.model)
            if other is not None:
                return generation, other
    # What made the old vectors is gone: new ones serve from here on, as far as they are.
    async with parts.database.tenant(scope) as conn:
        for user_id in await generations.serve(conn, known[-1].id):
            await jobs.request(conn, NewJob(task=EMBED, key=user_id, user_id=user_id))
    parts.wake_worker()
    return known[-1], embedder


def _is_made_by(generation: Generation, model: str, dimensions: int | None) -> bool:
    return generation.model == model and dimensions in (None, generation.dimensions)


async def _begin(
    parts: Parts, scope: Scope, embedder: Embedder, known: Sequence[Generation]
) -> None:
    dimensions = (await embedder.embed(["dimensions"])).shape[1]
    async with parts.database.tenant(scope) as conn:
        await generations.retire(conn, "filling")
        state = "filling" if any(each.state == "serving" for each in known) else "serving"
        await generations.add(conn, model=embedder.name, dimensions=dimensions, state=state)
        if state == "filling":
            await jobs.request(conn, NewJob(task=REEMBED, key=""))
    parts.wake_worker()


async def insert_episode(conn: Conn, episode: Episode) -> None:
    """Make an episode searchable, in the transaction that makes it."""
    await passages.insert(conn, episode.user_id, [_read_episode(episode)])
    await jobs.request(conn, NewJob(task=EMBED, key=episode.user_id, user_id=episode.user_id))


def _read_episode(episode: Episode) -> NewPassage:
    return NewPassage(
        user_id=episode.user_id,
        kind="episode",
        said_at=episode.said_to,
        terms=tuple(words.terms(episode.summary)),
        conversation_id=episode.conversation_id,
        episode_id=episode.id,
    )


def _finished(unindexed: Sequence[Unindexed]) -> Sequence[Unindexed]:
    """Those before an answer that is still coming: it is indexed when it is whole."""
    for count, message in enumerate(unindexed):
        if message.status == "partial":
            return unindexed[:count]
    return unindexed


def _read_messages(
    conversation_id: str, unindexed: Sequence[Unindexed], place: int
) -> list[NewPassage]:
    # An answer that was made from memory alone says nothing that is not there already.
    said = [message for message in unindexed if message.content.strip() and not message.from_memory]
    # A password must not be found by its letters.
    masked = gate.masked_turns([message.content for message in said])
    return [
        NewPassage(
            user_id=message.user_id,
            kind="turn",
            said_at=message.said_at,
            terms=tuple(passage_text.to_index(text, speaker=message.name, said_at=message.said_at)),
            conversation_id=conversation_id,
            message_id=message.id,
            place=place + number,
        )
        for number, (message, text) in enumerate(zip(said, masked, strict=True), start=1)
    ]


def _read_facts(user_id: str, found: Sequence[UnindexedFact]) -> list[NewPassage]:
    return [_read_fact(user_id, fact) for fact in found]


def _read_fact(user_id: str, fact: UnindexedFact) -> NewPassage:
    key = (fact.key or "").replace("_", " ").replace(":", " ")
    return NewPassage(
        user_id=user_id,
        kind="fact",
        said_at=fact.said_at,
        terms=tuple(words.terms(f"{key} {fact.content}")),
        fact_id=fact.id,
        fact_version=fact.version,
    )


async def vectors_of(
    embedder: Embedder, found: Sequence[Unembedded]
) -> tuple[list[tuple[int, int]], Vectors]:
    """The vectors of passages, each with the passage and the number of the part it is of."""
    texts = await asyncio.to_thread(_texts, found)
    owners = [
        (passage.id, part)
        for passage, parts in zip(found, texts, strict=True)
        for part in range(len(parts))
    ]
    return owners, await embedder.embed([text for parts in texts for text in parts])


def _texts(found: Sequence[Unembedded]) -> list[list[str]]:
    """What is embedded: never a secret, which the vectors would be near to."""
    return [
        passage_text.episode_to_embed(secrets.mask(passage.text))
        if passage.kind == "episode"
        else passage_text.to_embed(
            secrets.mask(passage.text[:_LONGEST_TEXT]),
            before=secrets.mask(passage.before[-_LONGEST_QUESTION:]),
        )
        for passage in found
    ]


async def _generations(parts: Parts, scope: Scope) -> list[Generation]:
    async with parts.database.tenant(scope, read_only=True) as conn:
        return await generations.current(conn)
