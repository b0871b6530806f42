"""e2, d6: what leaves the window is in exactly one episode, at a cost that does not grow."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from longterm import AsyncTenant
from longterm.errors import ModelGoneError
from longterm.learn import summarise
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.episode import Episode
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime
from longterm.text import tokens
from tests.memory.taught import by_purpose, facts, taught


@pytest.fixture
def cheap_vectors(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an embedder that costs nothing: there are thousands of messages."""
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    monkeypatch.setattr(runtime, "_parts", replace(runtime.parts, embedders=embedders))


cheaply = pytest.mark.usefixtures("cheap_vectors")


BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TOPICS = ("the garden", "a trip to Norway", "the new job", "learning the cello", "the old car")


async def talk(mem: AsyncTenant, turns: int) -> str:
    """A conversation of so many turns."""
    said: list[ImportedMessage] = []
    for turn in range(turns):
        topic = TOPICS[turn // 7 % len(TOPICS)]
        at = BEGIN + timedelta(minutes=turn)
        said += [
            ImportedMessage(
                role="user",
                content=f"Let me tell you more about {topic}, part {turn}.",
                created_at=at,
            ),
            ImportedMessage(
                role="assistant", content=f"That is good to hear about {topic}.", created_at=at
            ),
        ]
    await mem.import_messages("ada", [ImportedConversation(messages=said)])
    return (await mem.list_conversations("ada")).items[0].id


def check_ranges(found: list[Episode], through: int) -> None:
    """Ranges begin at 1, touch, never overlap, and end there."""
    assert found[0].turn_start == 1
    assert all(one.turn_end + 1 == two.turn_start for one, two in pairwise(found))
    assert found[-1].turn_end == through


@cheaply
@pytest.mark.parametrize(("turns", "through"), [(20, 0), (21, 11), (25, 15), (31, 21)])
async def test_with_more_than_20_turns_outside_all_but_the_last_10_are_summed_up(
    mem: AsyncTenant, turns: int, through: int
) -> None:
    """e2"""
    conversation_id = await talk(mem, turns)

    await mem.digest(conversation_id)

    found = await mem.list_episodes(conversation_id)
    if through:
        check_ranges(found, through)
    else:
        assert found == []


@cheaply
async def test_of_1000_turns_each_but_the_last_ones_is_in_exactly_one_episode(
    runtime: Runtime, tenant_id: int
) -> None:
    """e2, e7: and no call to the model grows with the conversation."""
    answer = json.dumps({"summary": "They talked.", "rolling": "So far they talked."})
    model = ScriptedModel(by_purpose(summarise=answer, extract=facts()))
    mem = taught(runtime, tenant_id, model)
    conversation_id = await talk(mem, 1000)

    await mem.digest(conversation_id)

    found = await mem.list_episodes(conversation_id)
    check_ranges(found, 990)
    asked = [prompt for prompt in model.prompts if prompt.purpose == "summarise"]
    sizes = [tokens.count(prompt.messages[0].text) for prompt in asked]
    assert len(asked) == len(found) <= 99
    assert max(sizes[1:]) <= 1.3 * min(sizes[1:])


@cheaply
async def test_turn_by_turn_there_is_one_summary_for_ten_turns_and_the_window_stays_bounded(
    runtime: Runtime, tenant_id: int
) -> None:
    """e2: at most 20 turns are ever outside."""
    answer = json.dumps({"summary": "They talked.", "rolling": "So far they talked."})
    model = ScriptedModel(by_purpose(summarise=answer, extract=facts()))
    mem = taught(runtime, tenant_id, model)
    conversation = await mem.create_conversation("ada", "title")
    outside: list[int] = []
    for turn in range(60):
        await mem.add_message("ada", "user", f"Part {turn}", conversation_id=conversation.id)
        await mem.add_message("ada", "assistant", "I see.", conversation_id=conversation.id)
        await mem.digest(conversation.id)
        found = await mem.list_episodes(conversation.id)
        outside.append(turn + 1 - (found[-1].turn_end if found else 0))

    assert max(outside) == 20
    assert [prompt.purpose for prompt in model.prompts].count("summarise") == 4


@cheaply
async def test_two_workers_and_the_same_job_twice_make_each_episode_once(
    runtime: Runtime, tenant_id: int, mem: AsyncTenant
) -> None:
    """e2"""
    conversation_id = await talk(mem, 100)
    other = runtime.tenant(Scope(tenant_id))

    await asyncio.gather(*(one.digest(conversation_id) for one in (mem, other, mem, other)))
    await mem.digest(conversation_id)

    check_ranges(await mem.list_episodes(conversation_id), 90)


async def test_without_a_model_a_summary_is_made_of_sentences_that_were_said(
    mem: AsyncTenant,
) -> None:
    conversation_id = await talk(mem, 90)
    await mem.digest(conversation_id)

    found = await mem.list_episodes(conversation_id)
    said = {
        f"{message.role}: {message.content}"
        for page in (await mem.get_messages(conversation_id, limit=1000),)
        for message in page.items
    }
    for episode in found:
        assert episode.made_by == summarise.BY_SENTENCES
        assert set(episode.summary.splitlines()) <= said
        assert tokens.count(episode.summary) <= summarise.SUMMARY_TOKENS
        assert tokens.count(episode.rolling) <= summarise.ROLLING_TOKENS
    rolling = await mem.get_rolling_summary(conversation_id)
    assert rolling == found[-1].rolling
    assert sum(topic in rolling for topic in TOPICS) >= 3


@cheaply
async def test_a_summary_that_a_model_makes_carries_the_earlier_one_on(
    runtime: Runtime, tenant_id: int
) -> None:
    """d6"""
    answers = iter(
        json.dumps({"summary": f"part {number}", "rolling": f"all {number}"}) for number in range(9)
    )
    model = ScriptedModel(
        lambda prompt: next(answers) if prompt.purpose == "summarise" else facts()
    )
    mem = taught(runtime, tenant_id, model)
    conversation_id = await talk(mem, 50)

    await mem.digest(conversation_id)

    asked = [prompt.messages[0].text for prompt in model.prompts if prompt.purpose == "summarise"]
    found = await mem.list_episodes(conversation_id)
    assert [episode.summary for episode in found] == ["part 0", "part 1"]
    assert "<earlier>\nall 0\n</earlier>" in asked[1]
    assert await mem.get_rolling_summary(conversation_id) == "all 1"
    assert found[0].made_by == summarise.made_by("scripted:model")


@cheaply
async def test_nonsense_from_the_model_is_replaced_by_sentences(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, by_purpose(summarise="I'd rather not", extract=facts()))
    conversation_id = await talk(mem, 30)

    await mem.digest(conversation_id)

    (episode,) = await mem.list_episodes(conversation_id)
    assert episode.made_by == summarise.BY_SENTENCES


@cheaply
async def test_an_episode_waits_for_a_model_that_is_gone(runtime: Runtime, tenant_id: int) -> None:
    mem = taught(runtime, tenant_id, by_purpose(summarise=ModelGoneError(), extract=facts()))
    conversation_id = await talk(mem, 30)

    with pytest.raises(ModelGoneError):
        await mem.digest(conversation_id)
    before = await mem.list_episodes(conversation_id)
    await runtime.tenant(Scope(tenant_id)).digest(conversation_id)

    assert before == []
    check_ranges(await mem.list_episodes(conversation_id), 20)


@cheaply
async def test_episodes_go_with_their_conversation(mem: AsyncTenant) -> None:
    conversation_id = await talk(mem, 30)
    await mem.digest(conversation_id)

    await mem.delete_conversation("ada", conversation_id)

    assert await mem.list_episodes(conversation_id) == []
    assert await mem.get_rolling_summary(conversation_id) == ""
