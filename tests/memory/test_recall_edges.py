"""e6, and what recall does at its edges: other embedders, archives, earlier times, strangers."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.memory import searching
from longterm.providers.embedder import Vectors
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.test_recall import SAID, embedding, tell
from tests.outside import Raw


async def test_another_embedder_is_filled_in_while_the_old_vectors_serve(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    await tell(mem, *SAID)
    narrow = ScriptedEmbedder(dimensions=64, name="scripted:narrow")
    parts = replace(
        runtime.parts, embedders=Embedders(narrow, lambda _: runtime.parts.embedders.current)
    )
    moving = AsyncTenant(parts, Scope(tenant_id))

    before = await moving.recall("ada", "Where did I go for a walk in the mountains?")
    progress = await moving.get_embedding_progress()
    await moving.add_message("ada", "user", "Later we saw a heron.")
    await moving.digest((await moving.current_conversation("ada")).id)
    await moving.reembed()
    after = await moving.recall("ada", "hiking near Porto")
    done = await moving.get_embedding_progress()

    assert before.turns[0].text == SAID[0]
    assert (progress.filling, progress.filled) == ("scripted:narrow", 0)
    assert progress.serving == runtime.parts.embedders.current.name
    assert after.turns[0].text == SAID[0]
    assert (done.serving, done.filling) == ("scripted:narrow", None)
    cursor = await raw.execute(
        "SELECT DISTINCT dimensions, vector_dims(embedding) FROM embeddings WHERE tenant_id = %s",
        [tenant_id],
    )
    assert await cursor.fetchall() == [(64, 64)]


async def test_an_embedder_that_can_not_be_had_any_more_gives_way_at_once(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int
) -> None:
    def gone(_: str) -> ScriptedEmbedder:
        raise InvalidInputError("There is no such model.")

    await tell(mem, *SAID)
    parts = replace(runtime.parts, embedders=Embedders(ScriptedEmbedder(dimensions=32), gone))
    other = AsyncTenant(parts, Scope(tenant_id))

    found = await other.recall("ada", "hiking near Porto")
    await other.embed("ada")
    again = await other.recall("ada", "hiking near Porto")

    assert found.turns[0].text == SAID[0]
    assert any(why.startswith("meaning") for why in again.turns[0].why)


async def test_a_quoted_phrase_comes_before_the_same_words_apart(mem: AsyncTenant) -> None:
    await tell(
        mem,
        "We saw a house of green paper and a blue lamp of glass.",
        "We saw a lamp, and the paper was green all over.",
        "We saw a green paper lamp in the hall of the house.",
    )

    found = await mem.recall("ada", 'What about the "green paper lamp"?', kinds=["turn"])

    assert found.items[0].text == "We saw a green paper lamp in the hall of the house."


async def test_a_stranger_has_no_memory(mem: AsyncTenant) -> None:
    found = await mem.recall("nobody", "Who am I?")

    assert (found.items, found.text) == ((), "")


async def test_a_sentence_deep_in_a_long_message_is_found_and_shown(mem: AsyncTenant) -> None:
    filler = "The weather was neither good nor bad that day, and nobody minded it at all. "
    await tell(mem, filler * 400 + "We bought the zebra painting in Lisbon. " + filler * 100)

    found = await mem.recall("ada", "zebra painting Lisbon")

    assert "zebra painting" in found.text


async def test_facts_are_the_users_whatever_conversation_is_searched(mem: AsyncTenant) -> None:
    conversation_id = await tell(mem, *SAID)
    await mem.add_fact("ada", "bicycle is a green Brompton", importance=0.3)
    await mem.embed("ada")

    found = await mem.recall("ada", "which bicycle?", conversation_id=conversation_id)

    assert "Brompton" in found.text


async def test_a_fact_that_is_taken_out_of_the_archive_is_found_again(mem: AsyncTenant) -> None:
    fact = await mem.add_fact("ada", "bicycle is a green Brompton", importance=0.3)
    await mem.update_fact("ada", fact.id, archived=True)
    await mem.embed("ada")
    await mem.update_fact("ada", fact.id, archived=False)
    await mem.embed("ada")

    assert "Brompton" in (await mem.recall("ada", "which bicycle?")).text


async def test_as_of_finds_small_facts_in_their_earlier_words_and_no_later_turn_or_place(
    mem: AsyncTenant,
) -> None:
    conversation_id = await tell(mem, "The bicycle came today.")
    fact = await mem.add_fact("ada", "bicycle is a red Peugeot", importance=0.3)
    then = datetime.now(UTC)
    await mem.update_fact("ada", fact.id, content="bicycle is a green Brompton")
    await mem.add_poi("ada", "shop", "The bicycle shop", None, "conversation", "message")
    await mem.add_message("ada", "user", "The bicycle is stolen.", conversation_id=conversation_id)
    await mem.digest(conversation_id)

    found = await mem.recall("ada", "bicycle", as_of=then, conversation_id=conversation_id)

    assert "Peugeot" in found.text
    for later in ("Brompton", "shop", "stolen"):
        assert later not in found.text


async def test_the_window_of_an_archived_conversation_is_not_shown(mem: AsyncTenant) -> None:
    conversation_id = await tell(mem, "An archived unicorn.")
    await mem.update_conversation("ada", conversation_id, archived=True)

    found = await mem.recall("ada", "unicorn", conversation_id=conversation_id)

    assert found.text == ""


async def test_another_users_turn_is_never_there_to_wait_for(mem: AsyncTenant) -> None:
    theirs = await tell(mem, *SAID, user_id="bob")

    found = await mem.recall("ada", "dogs", conversation_id=theirs, min_turn=1)

    assert (found.stale, found.items, found.window) == (True, (), ())


async def test_an_embedder_that_hangs_costs_two_seconds_and_the_meaning(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging(ScriptedEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            await asyncio.sleep(60 * len(texts))
            raise AssertionError("nobody waits that long")

    await tell(mem, *SAID)
    monkeypatch.setattr(searching, "_PATIENCE_S", 0.1)
    away = AsyncTenant(embedding(runtime.parts, Hanging()), Scope(tenant_id))

    found = await away.recall("ada", "Who plays the violin?")

    assert found.degraded
    assert found.turns[0].text == SAID[2]


async def test_an_embedder_with_vectors_of_another_length_begins_a_generation_of_its_own(
    runtime: Runtime, tenant_id: int
) -> None:
    before = AsyncTenant(
        embedding(runtime.parts, ScriptedEmbedder(dimensions=64)), Scope(tenant_id)
    )
    after = AsyncTenant(embedding(runtime.parts, ScriptedEmbedder(dimensions=96)), Scope(tenant_id))
    await tell(before, *SAID)

    at_once = await after.recall("ada", "hiking near Porto")
    await after.embed("ada")
    later = await after.recall("ada", "hiking near Porto")

    assert at_once.turns[0].text == SAID[0]
    assert any(why.startswith("meaning") for why in later.turns[0].why)


async def test_of_many_just_said_things_each_is_found_by_its_words(mem: AsyncTenant) -> None:
    for number in range(150):
        await mem.add_message("ada", "user", f"needle{number} is here")

    found = await mem.recall("ada", "needle3")

    assert found.turns[0].text == "needle3 is here"
