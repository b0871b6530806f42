"""c4, c5, d4, b8, b11: an exchange that always answers, and loses nothing."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.chat import offline
from longterm.errors import BudgetSpentError, ModelGoneError
from longterm.providers.model import Prompt, ToolCall
from longterm.providers.scripted import Line, Reply, ScriptedModel
from longterm.records.chat import ChatEvent
from longterm.runtime import Runtime
from tests.memory.taught import facts, taught


def model(*answers: Reply) -> ScriptedModel:
    """A model that says these in turn, and has nothing to learn."""
    left = iter(answers)

    def answer(prompt: Prompt) -> Reply:
        return next(left) if prompt.purpose == "chat" else facts()

    return ScriptedModel(answer)


def tool(**arguments: Any) -> Line:
    call = ToolCall(id="1", name="manage_user_memory", arguments=str(arguments).replace("'", '"'))
    return Line(tool_calls=(call,))


async def all_of(events: AsyncIterator[ChatEvent]) -> list[ChatEvent]:
    return [event async for event in events]


async def test_question_and_answer_are_kept_as_one_turn(runtime: Runtime, tenant_id: int) -> None:
    mem = taught(runtime, tenant_id, model("Hello!"))

    reply = await mem.chat("ada", "Hi there")

    said = (await mem.get_messages(str(reply.conversation_id))).items
    assert [(one.role, one.content, one.turn, one.status) for one in said] == [
        ("user", "Hi there", 1, "complete"),
        ("assistant", "Hello!", 1, "complete"),
    ]
    assert (reply.message_id, reply.answer_id) == (said[0].id, said[1].id)
    assert (reply.answer, reply.error, reply.degraded) == ("Hello!", None, False)


async def test_a_stream_begins_with_ids_and_ends_with_the_reply(
    runtime: Runtime, tenant_id: int
) -> None:
    """d4"""
    mem = taught(runtime, tenant_id, model("one two three"))

    events = await all_of(mem.stream("ada", "Count"))

    assert [event.kind for event in events] == ["start", "delta", "delta", "delta", "done"]
    assert "".join(event.text for event in events) == "one two three"
    reply = events[-1].reply
    assert reply is not None
    assert (reply.answer, reply.message_id) == ("one two three", events[0].ids["message_id"])


async def test_the_prompt_has_date_facts_summary_window_and_hits_as_data(
    runtime: Runtime, tenant_id: int
) -> None:
    """c5"""
    scripted = model("First.", "Second.")
    mem = taught(runtime, tenant_id, scripted)
    await mem.add_fact("ada", "Alex", category="identity", key="name")
    await mem.add_poi("ada", "cafe", "Café Luna", "good cake", "conversation", "message")
    other = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "We saw a heron in Porto.", conversation_id=other.id)
    await mem.digest(other.id)
    here = await mem.create_conversation("ada")

    await mem.chat("ada", "Hello", conversation_id=here.id)
    await mem.chat("ada", "Where was the heron?", conversation_id=here.id)

    first, second = [prompt for prompt in scripted.prompts if prompt.purpose == "chat"]
    for prompt in (first, second):
        assert "name: Alex" in prompt.instructions
        assert "Café Luna (1 conversation): good cake" in prompt.instructions
        assert "not instructions" in prompt.instructions
        assert "It is " in prompt.instructions
    assert "We saw a heron in Porto." in second.instructions
    assert [said.text for said in second.messages] == ["Hello", "First.", "Where was the heron?"]
    assert "Where was the heron?" not in second.instructions


async def test_the_system_prompt_begins_the_same_until_a_fact_changes(
    runtime: Runtime, tenant_id: int
) -> None:
    """c5"""
    scripted = model(*["Well."] * 4)
    mem = taught(runtime, tenant_id, scripted)
    fact = await mem.add_fact("ada", "Alex", category="identity", key="name")
    here = (await mem.create_conversation("ada")).id

    for change in (None, None, "Alexandra", "gone"):
        if change == "gone":
            await mem.deactivate_fact("ada", fact.id)
        elif change is not None:
            await mem.update_fact("ada", fact.id, content=change)
        await mem.chat("ada", "Hello", conversation_id=here)

    prompts = [prompt.instructions for prompt in scripted.prompts if prompt.purpose == "chat"]
    first, second, third, fourth = (text.partition("It is ")[0] for text in prompts)
    assert first == second
    assert first.count("name: Alex (") == 1
    assert third == first.replace("name: Alex (", "name: Alexandra (")
    assert "name:" not in fourth


async def test_the_models_tool_calls_are_run_kept_and_shown(
    runtime: Runtime, tenant_id: int
) -> None:
    """c4"""
    add = tool(operation="add_fact", content="likes jazz")
    mem = taught(runtime, tenant_id, model(add, "Noted."))

    events = await all_of(mem.stream("ada", "I like jazz"))

    reply = events[-1].reply
    assert reply is not None
    assert reply.answer == "Noted."
    assert [event.kind for event in events] == ["start", "tool", "delta", "done"]
    (fact,) = await mem.get_active_facts("ada")
    assert (fact.content, fact.origin, fact.source_message_id) == (
        "likes jazz",
        "agent",
        reply.message_id,
    )
    stored = (await mem.get_messages(str(reply.conversation_id))).items[-1]
    assert '"ok": true' in json.dumps(stored.tool_calls)


@pytest.mark.parametrize(
    "call",
    [
        tool(operation="add_fact", content="My password is hunter2-Xy!"),
        tool(operation="explode"),
        tool(content="no operation"),
        tool(operation="add_fact", content="x", user_id="bob"),
        Line(tool_calls=(ToolCall(id="1", name="manage_user_memory", arguments="{half"),)),
        Line(tool_calls=(ToolCall(id="1", name="rm", arguments="{}"),)),
    ],
)
async def test_what_a_model_may_not_do_with_its_tool_is_told_to_it(
    runtime: Runtime, tenant_id: int, call: Line
) -> None:
    """c4, c7"""
    scripted = model(call, "Sorry.")
    mem = taught(runtime, tenant_id, scripted)

    reply = await mem.chat("ada", "Do it")

    assert reply.answer == "Sorry."
    assert reply.tools[0].result["ok"] is False
    assert await mem.get_active_facts("ada") == []
    assert await mem.get_active_facts("bob") == []


async def test_without_a_model_the_answer_is_what_memory_has_and_how_to_get_one(
    mem: AsyncTenant,
) -> None:
    await mem.add_fact("ada", "Alex", category="identity", key="name")
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "We saw a heron.", conversation_id=conversation.id)
    await mem.digest(conversation.id)

    reply = await mem.chat("ada", "Where was the heron?")

    assert reply.model == "offline"
    assert "name: Alex" in reply.answer
    assert "We saw a heron." in reply.answer
    assert offline.HOW in reply.answer
    assert reply.answer_id is not None


async def test_an_answer_from_memory_is_not_remembered_in_its_turn(mem: AsyncTenant) -> None:
    await mem.chat("ada", "We went hiking near Porto.")
    at_once = await mem.recall("ada", "Where did we go hiking?")
    reply = await mem.chat("ada", "Where did we go hiking?")
    await mem.digest(str(reply.conversation_id))

    answer = (await mem.chat("ada", "Where did we hike?")).answer
    found = await mem.recall("ada", "Which language model is configured?")

    assert "We went hiking near Porto." in answer
    assert answer.count("No language model is configured") == 1
    assert [item.speaker for item in (*at_once.turns, *found.turns) if item.speaker != "user"] == []


async def test_a_model_that_is_gone_costs_the_answer_and_not_the_message(
    runtime: Runtime, tenant_id: int
) -> None:
    """b8"""
    mem = taught(runtime, tenant_id, model(ModelGoneError("It is away.")))

    reply = await mem.chat("ada", "Hello?")

    assert reply.answer == "It is away. Your message is kept."
    assert (reply.error, reply.degraded, reply.answer_id) == ("It is away.", True, None)
    assert await mem.count_messages("ada") == 1


async def test_a_stream_that_breaks_leaves_what_had_come_marked(
    runtime: Runtime, tenant_id: int
) -> None:
    """d4"""
    broken = Line(text="As I was saying", error=ModelGoneError("It broke off."))
    mem = taught(runtime, tenant_id, model(broken))

    reply = await mem.chat("ada", "Hello?")

    stored = (await mem.get_messages(str(reply.conversation_id))).items[-1]
    assert (stored.content, stored.status) == ("As I was saying", "interrupted")
    assert reply.error == "It broke off."


@pytest.mark.usefixtures("one_day")
async def test_over_its_budget_a_tenant_is_told_so(runtime: Runtime, tenant_id: int) -> None:
    mem = taught(runtime, tenant_id, model("One.", "Two."))
    await mem.update_settings(model_calls_per_day=1)

    first, second = await mem.chat("ada", "Hello"), await mem.chat("ada", "And again")

    assert first.answer == "One."
    assert second.error == str(BudgetSpentError())
