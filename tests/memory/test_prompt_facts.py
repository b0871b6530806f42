"""c5: a fact that was deleted, archived or replaced is in no later prompt as a fact."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from longterm import AsyncTenant, Settings
from longterm.providers.model import Prompt, ToolCall
from longterm.providers.scripted import Line, Reply, ScriptedModel
from longterm.records.fact import Fact
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import facts, taught
from tests.outside import Raw, expire

OLD, NEW = "Mathilda", "Brunhilde"
Change = Callable[[AsyncTenant, Fact], Awaitable[object]]


async def say_something_new(mem: AsyncTenant, _: Fact) -> None:
    """Correct the fact by a later message, in a conversation of its own."""
    there = (await mem.create_conversation("ada")).id
    await mem.add_message("ada", "user", f"Actually, my name is {NEW}.", conversation_id=there)
    await mem.learn(there)


async def forget_the_message(mem: AsyncTenant, fact: Fact) -> None:
    await mem.forget_message("ada", fact.source_message_id or 0)


CHANGES: dict[str, Change] = {
    "deleted": lambda mem, fact: mem.delete_fact("ada", fact.id),
    "archived": lambda mem, fact: mem.update_fact("ada", fact.id, archived=True),
    "deactivated": lambda mem, fact: mem.deactivate_fact("ada", fact.id),
    "updated": lambda mem, fact: mem.update_fact("ada", fact.id, content=NEW),
    "superseded": say_something_new,
    "forgotten": forget_the_message,
}


def says(*answers: Reply) -> ScriptedModel:
    """A model that answers in turn, and from which nothing is learned."""
    left = iter(answers)
    return ScriptedModel(
        lambda prompt: next(left, "Well.") if prompt.purpose == "chat" else facts()
    )


def chats(model: ScriptedModel) -> list[Prompt]:
    return [prompt for prompt in model.prompts if prompt.purpose == "chat"]


@pytest.fixture
async def other(conninfo: str) -> AsyncIterator[Runtime]:
    """Another process on the same database."""
    async with Runtime(Settings(database_url=conninfo, connect_timeout_s=60)) as running:
        yield running


async def learned(mem: AsyncTenant) -> Fact:
    """A fact that was learned from a message in another conversation."""
    there = (await mem.create_conversation("ada")).id
    await mem.add_message("ada", "user", f"My name is {OLD}.", conversation_id=there)
    await mem.digest(there)
    (fact,) = await mem.get_active_facts("ada")
    return fact


@pytest.mark.parametrize("change", CHANGES)
async def test_what_no_longer_holds_is_in_no_later_prompt(
    runtime: Runtime, other: Runtime, tenant_id: int, change: str
) -> None:
    plain = runtime.tenant(Scope(tenant_id))
    fact = await learned(plain)
    here, there = says(), says()
    mem, elsewhere = taught(runtime, tenant_id, here), taught(other, tenant_id, there)
    place = (await mem.create_conversation("ada")).id
    await mem.chat("ada", "Hello", conversation_id=place)
    await elsewhere.chat("ada", "Hello again", conversation_id=place)

    await CHANGES[change](plain, fact)
    await mem.chat("ada", "And now?", conversation_id=place)
    async for _ in mem.stream("ada", "And streamed?", conversation_id=place):
        pass
    await elsewhere.chat("ada", "And there?", conversation_id=place)

    before = [chats(here)[0], chats(there)[0]]
    after = [*chats(here)[1:], chats(there)[1]]
    assert all(f"name: {OLD}" in prompt.instructions for prompt in before)
    assert all(f"name: {OLD}" not in prompt.instructions for prompt in after)
    if change in ("updated", "superseded"):
        assert all(f"name: {NEW}" in prompt.instructions for prompt in after)


@pytest.mark.parametrize("change", CHANGES)
async def test_what_no_longer_holds_is_in_no_later_answer_without_a_model(
    mem: AsyncTenant, change: str
) -> None:
    fact = await learned(mem)
    place = (await mem.create_conversation("ada")).id
    before = await mem.chat("ada", "What is my name?", conversation_id=place)

    await CHANGES[change](mem, fact)
    after = await mem.chat("ada", "What is my name?", conversation_id=place)

    assert f"name: {OLD}" in before.answer
    assert f"name: {OLD}" not in after.answer


async def test_a_fact_that_the_model_deletes_is_not_in_the_prompt_of_the_next_round(
    runtime: Runtime, tenant_id: int
) -> None:
    fact = await learned(runtime.tenant(Scope(tenant_id)))
    arguments = json.dumps({"operation": "deactivate_fact", "fact_id": fact.id})
    call = ToolCall(id="1", name="manage_user_memory", arguments=arguments)
    model = says(Line(tool_calls=(call,)), "Done.")
    mem = taught(runtime, tenant_id, model)

    await mem.chat("ada", "Forget my name, please.")

    first, second = chats(model)
    assert f"name: {OLD}" in first.instructions
    assert f"name: {OLD}" not in second.instructions
    assert [said.by for said in second.messages[-3:]] == ["user", "assistant", "tool"]


async def test_a_fact_outlives_the_conversation_that_it_came_from(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """b4: expiry deletes the conversation and no fact."""
    model = says()
    mem = taught(runtime, tenant_id, model)
    fact = await learned(runtime.tenant(Scope(tenant_id)))
    place = (await mem.create_conversation("ada")).id
    await mem.chat("ada", "Hello", conversation_id=place)

    await expire(raw, str(fact.source_conversation_id))
    await mem.cleanup()
    await mem.chat("ada", "And now?", conversation_id=place)

    assert all(f"name: {OLD}" in prompt.instructions for prompt in chats(model))


async def test_a_deleted_fact_is_no_option_of_a_question_that_is_asked_again(
    mem: AsyncTenant,
) -> None:
    rex, _, _ = [
        await mem.add_fact("ada", f"has a dog named {name}") for name in ("Rex", "Bella", "Tom")
    ]
    asked = await mem.chat("ada", "How old is my dog?")

    await mem.delete_fact("ada", rex.id)
    again = await mem.chat("ada", "2 or 3", conversation_id=asked.conversation_id)

    assert asked.options[0] == "has a dog named Rex"
    assert "Rex" not in again.answer
