"""e6, e7, b6, c5, d7: recall finds the sentence, within a budget, and says why."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from longterm import AsyncTenant, InvalidInputError
from longterm.errors import ModelGoneError
from longterm.memory.operations import Parts
from longterm.providers.embedder import Vectors
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.text import tokens
from tests.memory.test_episodes import talk
from tests.outside import Raw, expire

SAID = (
    "We went hiking near Porto with Ana and her two dogs.",
    "The printer in the office is broken again.",
    "My sister plays the violin in an orchestra.",
    "I bought a new bicycle because the old one was stolen.",
    "Yesterday's soup had far too much garlic in it.",
)


async def tell(mem: AsyncTenant, *said: str, user_id: str = "ada") -> str:
    """A conversation in which a user says these things, all of it searchable."""
    conversation = await mem.create_conversation(user_id)
    for words in said:
        await mem.add_message(user_id, "user", words, conversation_id=conversation.id)
    await mem.digest(conversation.id)
    return conversation.id


async def test_a_sentence_is_found_by_its_meaning_and_says_where_it_is_from(
    mem: AsyncTenant,
) -> None:
    conversation_id = await tell(mem, *SAID)

    found = await mem.recall("ada", "Where did I go for a walk in the mountains?", kinds=["turn"])

    first = found.items[0]
    (message,) = [m for m in (await mem.get_messages(conversation_id)) if m.content == SAID[0]]
    assert (first.kind, first.text, first.message_ids) == ("turn", SAID[0], (message.id,))
    assert (first.conversation_id, first.turn_start, first.turn_end) == (conversation_id, 1, 1)
    assert (first.said_at, first.speaker) == (message.created_at, "user")
    assert first.why[0].startswith("meaning ")
    assert 0 < first.score <= 1
    assert found.turns == found.items
    assert {"total", "embed", "meaning", "words", "rank"} <= found.timings_ms.keys()


async def test_what_was_just_said_is_found_by_its_words_before_it_is_indexed(
    mem: AsyncTenant,
) -> None:
    await tell(mem, *SAID)
    await mem.add_message("ada", "user", "The locksmith comes on Thursday at nine.")

    found = await mem.recall("ada", "When does the locksmith come?")

    assert found.turns[0].text == "The locksmith comes on Thursday at nine."
    assert "words: locksmith, come" in found.turns[0].why


async def test_important_and_pinned_facts_are_in_the_context_of_every_query(
    mem: AsyncTenant,
) -> None:
    """e6: no search stands between a stored name and the prompt."""
    await tell(mem, "My name is Alexander.", "I am vegan.", "Always answer in French.", *SAID)
    small = await mem.add_fact("ada", "Once owned a canary", importance=0.1)
    await mem.pin_fact("ada", small.id)
    hidden = await mem.add_fact("ada", "Dislikes beige", importance=0.2)

    for query in ("?", "printer", "Welche Farbe hat der Himmel?", "x" * 5000):
        found = await mem.recall("ada", query)
        for words in ("Alexander", "vegan", "French", "canary"):
            assert words in found.stable_prefix
        assert hidden.content not in found.stable_prefix
        assert "pinned" in next(item.why for item in found.facts if item.id == small.id)


async def test_the_stable_prefix_changes_when_a_fact_changes_and_only_then(
    mem: AsyncTenant,
) -> None:
    """c5"""
    await tell(mem, "My name is Alexander.", *SAID)
    fact = (await mem.get_active_facts("ada"))[0]

    first = await mem.recall("ada", "What do you call me?")
    second = await mem.recall("ada", "What about the printer?")
    await mem.update_fact("ada", fact.id, content="Alexandra")
    third = await mem.recall("ada", "What do you call me?")

    assert first.stable_prefix == second.stable_prefix
    assert first.turn_tail != second.turn_tail
    assert first.stable_prefix != third.stable_prefix
    assert "Alexandra" in third.stable_prefix
    assert first.text == f"{first.stable_prefix}\n\n{first.turn_tail}"


@pytest.mark.parametrize("budget", [0, 1, 30, 60, 100, 150, 300, 1000, 2000])
async def test_the_budget_is_kept_to_the_token(mem: AsyncTenant, budget: int) -> None:
    """e6"""
    long = "The committee met and talked about bicycles, lamps and the budget. " * 30
    conversation_id = await tell(mem, "My name is Alexander.", *SAID, long)

    for conversation in (None, conversation_id):
        found = await mem.recall(
            "ada", "What about the bicycle?", budget_tokens=budget, conversation_id=conversation
        )
        assert tokens.count(found.text) == found.tokens <= budget


async def test_a_long_message_is_shown_by_the_part_that_bears_on_the_question(
    mem: AsyncTenant,
) -> None:
    filler = "The weather was neither good nor bad that day, and nobody minded. "
    await tell(mem, filler * 40 + "My passport number is in the blue drawer. " + filler * 40)

    found = await mem.recall("ada", "Where is my passport?", budget_tokens=300)

    assert "blue drawer" in found.turns[0].text
    assert found.turns[0].text.startswith("…")
    assert found.turns[0].tokens <= 300


async def test_filters_leave_out_what_is_outside_of_them(mem: AsyncTenant) -> None:
    first = await tell(mem, "I like the red bicycle.")
    second = await tell(mem, "I like the blue bicycle.")
    old = datetime(2020, 5, 1, tzinfo=UTC)
    await mem.add_message(
        "ada", "user", "I like the green bicycle.", conversation_id=first, created_at=old
    )
    await mem.digest(first)
    cut = old + timedelta(days=1)

    async def bicycles(**filters: object) -> set[str]:
        found = await mem.recall("ada", "bicycle", **filters)  # pyright: ignore[reportArgumentType]
        return {item.text for item in found.items if item.kind == "turn"}

    assert len(await bicycles()) == 3
    assert await bicycles(before=cut) == {"I like the green bicycle."}
    assert "I like the green bicycle." not in await bicycles(after=cut)
    assert await bicycles(conversation_id=second) == {"I like the blue bicycle."}
    assert await bicycles(kinds=["fact"]) == set()


async def test_as_of_is_what_was_known_then(mem: AsyncTenant) -> None:
    """§3 time: what did you know about me on 1 March?"""
    conversation = await mem.create_conversation("ada")
    march, june = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    for at, city in ((march, "Rome"), (june, "Oslo")):
        await mem.add_message(
            "ada", "user", f"I live in {city}.", conversation_id=conversation.id, created_at=at
        )
    await mem.digest(conversation.id)

    then = await mem.recall("ada", "Where do I live?", as_of=march + timedelta(days=9))
    now = await mem.recall("ada", "Where do I live?")

    assert "Rome" in then.stable_prefix
    assert "Oslo" not in then.text
    assert "Oslo" in now.stable_prefix


async def test_a_turn_that_is_waited_for_is_found_or_said_to_be_missing(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int
) -> None:
    conversation = await mem.create_conversation("ada")
    for number in range(3):
        await mem.add_message("ada", "user", f"{SAID[number]}", conversation_id=conversation.id)
    away = AsyncTenant(embedding(runtime.parts, _Gone()), Scope(tenant_id))

    missing = await away.recall("ada", "dogs", conversation_id=conversation.id, min_turn=3)
    there = await mem.recall("ada", "dogs", conversation_id=conversation.id, min_turn=3)
    ahead = await mem.recall("ada", "dogs", conversation_id=conversation.id, min_turn=4)

    assert (missing.stale, there.stale, ahead.stale) == (True, False, True)
    assert there.items[0].why[0].startswith("meaning")
    with pytest.raises(InvalidInputError, match="conversation_id"):
        await mem.recall("ada", "dogs", min_turn=1)


class _Gone(ScriptedEmbedder):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise ModelGoneError(f"{len(texts)} texts for nobody")


def embedding(parts: Parts, embedder: ScriptedEmbedder) -> Parts:
    return replace(parts, embedders=Embedders(embedder, lambda _: embedder))


async def test_without_its_embedder_recall_finds_by_words_and_says_so(
    mem: AsyncTenant, runtime: Runtime, tenant_id: int
) -> None:
    await tell(mem, *SAID)
    away = AsyncTenant(embedding(runtime.parts, _Gone()), Scope(tenant_id))

    found = await away.recall("ada", "Who plays the violin?")

    assert found.degraded
    assert found.turns[0].text == SAID[2]


async def test_references_to_the_last_turns_are_resolved_before_the_search(
    mem: AsyncTenant,
) -> None:
    """b6"""
    await tell(mem, *SAID)
    conversation = await mem.create_conversation("ada")
    exchange = (
        ("user", "Tell me about the stolen bicycle."),
        ("assistant", "It was stolen in May, and you bought another one."),
    )
    for role, words in exchange:
        await mem.add_message("ada", role, words, conversation_id=conversation.id)

    found = await mem.recall("ada", "How much was it?", conversation_id=conversation.id)

    assert "bicycle" in found.resolved_query
    assert found.query == "How much was it?"
    assert [item.text for item in found.window] == [words for _, words in exchange]


async def test_a_user_who_is_not_active_is_told_nothing(mem: AsyncTenant) -> None:
    """a4"""
    await tell(mem, "My name is Alexander.")
    await mem.set_user_state("ada", "halted")

    found = await mem.recall("ada", "What do you call me?")

    assert (found.items, found.text, found.tokens) == ((), "", 0)


async def test_what_says_the_same_is_there_once_and_what_was_close_is_told(
    mem: AsyncTenant,
) -> None:
    await tell(mem, *[f"{SAID[0]}", f"{SAID[0]} "], *SAID[1:])

    found = await mem.recall("ada", "hiking near Porto", limit=2, kinds=["turn"])

    assert [item.text.strip() for item in found.items].count(SAID[0]) == 1
    reasons = {left.because for left in found.left_out}
    assert reasons == {"another one says the same", "others are nearer"}


async def test_an_episode_is_found_when_it_is_near(mem: AsyncTenant) -> None:
    """e3: below a distance of .4, three at most."""
    conversation_id = await talk(mem, 60)
    await mem.digest(conversation_id)

    near = await mem.recall(
        "ada", "Let me tell you more about the trip to Norway", kinds=["episode"]
    )
    far = await mem.recall("ada", "quantum chromodynamics lecture notes", kinds=["episode"])

    assert 1 <= len(near.episodes) <= 3
    assert "Norway" in near.episodes[0].text
    assert far.episodes == ()


async def test_the_use_of_a_fact_is_counted_beside_the_answer(
    mem: AsyncTenant, runtime: Runtime
) -> None:
    """d7"""
    await tell(mem, "My name is Alexander.")

    for _ in range(3):
        await mem.recall("ada", "What do you call me?")
    await runtime.parts.aside.finish()

    (fact,) = await mem.get_active_facts("ada")
    assert fact.access_count == 3
    assert fact.last_accessed_at is not None


async def test_nothing_that_was_put_away_comes_back(mem: AsyncTenant, raw: Raw) -> None:
    kept = await tell(mem, "The kept unicorn.")
    archived = await tell(mem, "The archived unicorn.")
    expired = await tell(mem, "The expired unicorn.")
    await tell(mem, "Bob's unicorn.", user_id="bob")
    await mem.update_conversation("ada", archived, archived=True)
    await expire(raw, expired)
    fact = await mem.add_fact("ada", "Forgotten unicorn")
    put_away = await mem.add_fact("ada", "Hidden unicorn")
    await mem.embed("ada")
    await mem.deactivate_fact("ada", fact.id)
    await mem.update_fact("ada", put_away.id, archived=True)

    found = await mem.recall("ada", "unicorn")

    assert {item.text for item in found.items} == {"The kept unicorn."}
    assert found.items[0].conversation_id == kept
    assert "Forgotten" not in found.text
    assert "Hidden" not in found.text


async def test_an_answer_without_words_is_not_recalled(mem: AsyncTenant) -> None:
    """An answer that only calls tools tells nothing, before it is indexed as little as after."""
    await mem.add_message("ada", "user", "Peanuts make me ill")
    await mem.add_message("ada", "assistant", "", tool_calls=[])

    found = await mem.recall("ada", "What can't I eat?")

    assert [item.text for item in found.items] == ["Peanuts make me ill"]
