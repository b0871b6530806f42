"""c4, c5, d4, b8, b11: an exchange that always answers, and loses nothing."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest

from longterm import AsyncTenant, HaltedError, MemoryNotFoundError
from longterm.chat import offline
from longterm.errors import BudgetSpentError, ModelGoneError
from longterm.memory.aside import Aside
from longterm.providers.model import Answer, Prompt, ToolCall
from longterm.providers.scripted import Line, Reply, ScriptedModel
from longterm.records.chat import ChatEvent
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import facts, taught
from tests.outside import Raw, rows_of


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


async def test_facts_are_told_once_in_a_conversation_and_then_only_what_changed(
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

    told = [prompt.instructions for prompt in scripted.prompts if prompt.purpose == "chat"]
    assert all(text.count("name: Alex (") == 1 for text in told)
    assert "Changed since" not in told[1]
    assert "now: name: Alexandra" in told[2]
    assert "no longer hold" in told[3]
    prefixes = [text.partition("# Changed")[0].partition("It is ")[0] for text in told]
    assert len(set(prefixes)) == 1


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


async def test_over_its_budget_a_tenant_is_told_so(runtime: Runtime, tenant_id: int) -> None:
    mem = taught(runtime, tenant_id, model("One.", "Two."))
    await mem.update_settings(model_calls_per_day=1)

    first, second = await mem.chat("ada", "Hello"), await mem.chat("ada", "And again")

    assert first.answer == "One."
    assert second.error == str(BudgetSpentError())


async def test_who_stops_listening_does_not_stop_the_answer(
    runtime: Runtime, tenant_id: int
) -> None:
    aside = Aside()
    mem = taught(runtime, tenant_id, model("all of it"), aside=aside)

    stream = mem.stream("ada", "Tell me")
    first = await anext(stream)
    await stream.aclose()
    await aside.finish()

    followed = await all_of(mem.follow("ada", first.ids["message_id"], after=4))
    assert "".join(event.text for event in followed) == "of it"
    assert followed[-1].reply is not None
    assert followed[-1].reply.error is None


class Slow(ScriptedModel):
    """Says two words, and then waits until it is told to go on."""

    def __init__(self) -> None:
        super().__init__(lambda _: "Once upon a time")
        self.go_on = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        yield "Once"
        await asyncio.sleep(0.3)
        yield " upon"
        await self.go_on.wait()
        yield " a time"
        yield await self.answer(prompt)


async def test_an_answer_can_be_followed_from_another_process_while_it_is_made(
    runtime: Runtime, tenant_id: int
) -> None:
    slow = Slow()
    mem = taught(runtime, tenant_id, slow)
    elsewhere = runtime.tenant(Scope(tenant_id))
    stream = mem.stream("ada", "Tell me a story")
    first = await anext(stream)

    following = elsewhere.follow("ada", first.ids["message_id"])
    begun = await anext(following)
    slow.go_on.set()
    rest = await all_of(following)
    await all_of(stream)

    assert begun.text == "Once upon"
    assert "".join(event.text for event in rest) == " a time"
    with pytest.raises(MemoryNotFoundError):
        await anext(elsewhere.follow("bob", first.ids["message_id"]))


async def test_an_answer_is_stopped_also_from_another_process_and_what_had_come_is_kept(
    runtime: Runtime, tenant_id: int
) -> None:
    """d4"""
    mem = taught(runtime, tenant_id, Slow())
    elsewhere = runtime.tenant(Scope(tenant_id))
    stream = mem.stream("ada", "Tell me a story")
    asked = (await anext(stream)).ids
    question, conversation = asked["message_id"], asked["conversation_id"]

    under_way = await elsewhere.list_answering("ada", conversation)
    not_theirs = await elsewhere.stop_answer("bob", question)
    stopped = await elsewhere.stop_answer("ada", question)
    rest = await all_of(stream)

    assert (under_way, not_theirs, stopped) == ([question], False, True)
    assert rest[-1].kind == "error"
    assert rest[-1].reply is not None
    assert rest[-1].reply.error == "The answer was stopped."
    answer = (await mem.get_messages(conversation)).items[-1]
    assert "Once upon".startswith(answer.content)
    assert answer.status == "interrupted"
    assert await mem.list_answering("ada") == []
    assert await mem.stop_answer("ada", question) is False


async def test_an_answer_tells_what_it_was_made_from_and_nothing_of_what_was_forgotten(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    mem = taught(runtime, tenant_id, model("Sure."))
    kept = await mem.add_fact("ada", "Ada likes jazz")
    gone = await mem.add_fact("ada", "Ada likes xyzzy")
    reply = await mem.chat("ada", "Do I like jazz or xyzzy?")
    assert reply.answer_id is not None

    await mem.delete_fact("ada", gone.id)
    used = (await mem.get_used([reply.answer_id]))[reply.answer_id]
    memories = await mem.get_memories_used("ada", reply.answer_id)

    assert (used.count, used.model, used.error) == (2, "scripted:model", None)
    assert used.tokens > 0
    assert used.prompt_tokens > 0
    by_id = {item.id: item for item in memories.items}
    assert by_id[kept.id].text == "Ada likes jazz"
    assert by_id[kept.id].score > 0
    assert by_id[kept.id].why
    assert (by_id[gone.id].gone, by_id[gone.id].text) == (True, None)
    assert memories.timings_ms["total"] == used.milliseconds
    assert memories.resolved_query == "Do I like jazz or xyzzy?"
    found = await raw.execute(
        "SELECT metadata::text FROM messages WHERE tenant_id = %s AND id = %s",
        [tenant_id, reply.answer_id],
    )
    (stored,) = await found.fetchone() or ("",)
    assert "xyzzy" not in stored
    assert "jazz" not in stored
    with pytest.raises(MemoryNotFoundError):
        await mem.get_memories_used("bob", reply.answer_id)


async def test_an_answer_whose_maker_died_is_marked_as_interrupted(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    slow = Slow()
    aside = Aside()
    mem = taught(runtime, tenant_id, slow, aside=aside)
    stream = mem.stream("ada", "Tell me a story")
    question = (await anext(stream)).ids["message_id"]
    await asyncio.sleep(0.8)
    await aside.abandon()
    await raw.execute(
        "UPDATE answers SET seen_at = now() - interval '1 hour' WHERE tenant_id = %s", [tenant_id]
    )

    await mem.settle(question)

    followed = await all_of(mem.follow("ada", question))
    assert followed[-1].kind == "error"
    assert followed[0].text == "Once upon"
    (answer,) = [
        one for one in await mem.get_conversation_history("ada") if one.role == "assistant"
    ]
    assert (answer.content, answer.status) == ("Once upon", "interrupted")


async def test_a_temporary_conversation_leaves_nothing_behind(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """b11"""
    scripted = model("One.", "Two.")
    mem = taught(runtime, tenant_id, scripted)
    await mem.add_fact("ada", "Alex", category="identity", key="name")
    await mem.embed("ada")
    before = await rows_of(raw, tenant_id)

    first = await mem.chat("ada", "xyzzy", temporary=True)
    await mem.chat("ada", "Again", temporary=True, conversation_id=first.conversation_id)

    after = await rows_of(raw, tenant_id)
    for rows in (before, after):
        rows.pop("usage")
    assert after == before
    assert [said.text for said in scripted.prompts[-1].messages] == ["xyzzy", "One.", "Again"]
    assert scripted.prompts[-1].tools == ()


async def test_without_memory_nothing_is_remembered_and_nothing_is_kept(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """b11"""
    scripted = model("One.")
    mem = taught(runtime, tenant_id, scripted)
    await mem.add_fact("ada", "Alex", category="identity", key="name")
    await mem.embed("ada")
    before = await rows_of(raw, tenant_id)

    reply = await mem.chat("ada", "xyzzy", memory=False)

    after = await rows_of(raw, tenant_id)
    for rows in (before, after):
        rows.pop("usage")
    assert after == before
    assert reply.conversation_id is None
    assert "Alex" not in scripted.prompts[-1].instructions


async def test_a_halted_user_is_refused_before_anything_is_kept(mem: AsyncTenant) -> None:
    """a4"""
    await mem.set_user_state("ada", "halted")

    with pytest.raises(HaltedError):
        await mem.chat("ada", "Hello")

    assert await mem.count_messages("ada") == 0


async def test_another_users_conversation_is_not_there(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("bob")

    with pytest.raises(MemoryNotFoundError):
        await mem.chat("ada", "Hello", conversation_id=conversation.id)
