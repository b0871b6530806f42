"""b5: "which one?" is asked when a question fits several things, and resolved by the answer."""

import asyncio
from datetime import timedelta

import pytest

from longterm import AsyncTenant
from longterm.records.chat import ChatReply
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import taught
from tests.memory.test_chat import model
from tests.outside import Raw

DOGS = ("has a dog named Rex", "has a dog named Bella", "has a dog named Tom")


async def ask(mem: AsyncTenant) -> ChatReply:
    for dog in DOGS:
        await mem.add_fact("ada", dog)
    return await mem.chat("ada", "How old is my dog?")


async def test_a_question_that_fits_several_things_is_answered_with_numbered_options(
    mem: AsyncTenant,
) -> None:
    reply = await ask(mem)

    assert reply.options == DOGS
    assert "1. has a dog named Rex" in reply.answer
    stored = (await mem.get_messages(str(reply.conversation_id))).items[-1]
    assert stored.suggested_values == list(DOGS)


@pytest.mark.parametrize("answer", ["2", "the second", "Bella", "the one named bella please", "#2"])
async def test_the_next_message_resolves_it(runtime: Runtime, tenant_id: int, answer: str) -> None:
    scripted = model("She is four.")
    mem = taught(runtime, tenant_id, scripted)
    asked = await ask(mem)

    reply = await mem.chat("ada", answer, conversation_id=asked.conversation_id)

    assert reply.answer == "She is four."
    last = [prompt for prompt in scripted.prompts if prompt.purpose == "chat"][-1]
    assert last.messages[-1].text == "How old is my dog? (has a dog named Bella)"


async def test_it_can_be_resolved_through_another_process(
    runtime: Runtime, tenant_id: int, mem: AsyncTenant
) -> None:
    asked = await ask(mem)
    scripted = model("He is two.")

    reply = await taught(runtime, tenant_id, scripted).chat(
        "ada", "3", conversation_id=asked.conversation_id
    )

    assert reply.answer == "He is two."
    assert "Tom" in scripted.prompts[0].messages[-1].text


async def test_an_answer_that_leaves_it_open_is_asked_again(mem: AsyncTenant) -> None:
    asked = await ask(mem)

    again = await mem.chat("ada", "hmm, not sure", conversation_id=asked.conversation_id)

    assert again.options == DOGS


@pytest.mark.parametrize("message", ["What is the capital of France?", "never mind"])
async def test_it_is_dropped_when_the_user_changes_the_subject(
    runtime: Runtime, tenant_id: int, message: str
) -> None:
    scripted = model("Well.", "Well.")
    mem = taught(runtime, tenant_id, scripted)
    asked = await ask(mem)

    reply = await mem.chat("ada", message, conversation_id=asked.conversation_id)
    later = await mem.chat("ada", "2", conversation_id=asked.conversation_id)

    assert (reply.options, later.options) == ((), ())
    said = [prompt.messages[-1].text for prompt in scripted.prompts if prompt.purpose == "chat"]
    assert said == [message, "2"]


async def test_it_lives_for_five_minutes(runtime: Runtime, tenant_id: int, raw: Raw) -> None:
    scripted = model("Well.")
    mem = taught(runtime, tenant_id, scripted)
    (before,) = await (await raw.execute("SELECT now()")).fetchone() or (None,)
    asked = await ask(mem)
    cursor = await raw.execute(
        "SELECT expires_at - %s, expires_at - now() FROM clarifications WHERE tenant_id = %s",
        [before, tenant_id],
    )
    from_before, from_after = await cursor.fetchone() or (timedelta.min, timedelta.max)
    await raw.execute(
        "UPDATE clarifications SET expires_at = now() WHERE tenant_id = %s", [tenant_id]
    )

    await mem.chat("ada", "2", conversation_id=asked.conversation_id)

    assert from_after < timedelta(minutes=5) < from_before
    assert scripted.prompts[-1].messages[-1].text == "2"


async def test_of_two_answers_at_once_one_resolves_it(runtime: Runtime, tenant_id: int) -> None:
    scripted = model("One.", "Two.")
    mem = taught(runtime, tenant_id, scripted)
    asked = await ask(mem)
    other = taught(runtime, tenant_id, scripted)

    await asyncio.gather(
        *(one.chat("ada", "2", conversation_id=asked.conversation_id) for one in (mem, other))
    )

    said = [prompt.messages[-1].text for prompt in scripted.prompts if prompt.purpose == "chat"]
    assert sorted(said) == ["2", "How old is my dog? (has a dog named Bella)"]


@pytest.mark.parametrize(
    "query",
    [
        "How old is Rex, my dog?",
        "How old are my dogs?",
        "I walked my dog.",
        "How is my cat?",
        "What is a dog?",
    ],
)
async def test_nothing_is_asked_where_the_question_is_clear(mem: AsyncTenant, query: str) -> None:
    for dog in DOGS:
        await mem.add_fact("ada", dog)

    assert (await mem.chat("ada", query)).options == ()


async def test_it_does_not_reach_another_user(runtime: Runtime, tenant_id: int) -> None:
    mem = runtime.tenant(Scope(tenant_id))
    await ask(mem)
    for dog in DOGS:
        await mem.add_fact("bob", dog)

    reply = await mem.chat("bob", "2")

    assert reply.options == ()
