"""d4, b11: answers under way, and conversations that leave nothing behind."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from psycopg.sql import SQL, Identifier

from longterm import AsyncTenant, HaltedError, MemoryNotFoundError
from longterm.memory.aside import Aside
from longterm.providers.guard import Guarded
from longterm.providers.model import Answer, Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.memory.taught import taught
from tests.memory.test_chat import all_of, model
from tests.outside import Raw, rows_of


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
        # At once, so that they are written down only because nothing follows.
        yield "Once"
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


class Defective(ScriptedModel):
    """Breaks off with an error that nobody expects."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        yield "Once"
        await asyncio.sleep(0.3)
        yield " upon"
        raise KeyError(prompt.purpose)


async def test_a_defect_costs_the_answer_and_nobody_waits_for_ever(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, Defective(lambda _: ""))

    async with asyncio.timeout(30):
        reply = await mem.chat("ada", "Tell me a story")

    assert reply.error == "The answer could not be made."
    question, answer = (await mem.get_messages(reply.conversation_id or "")).items
    assert (question.content, answer.content) == ("Tell me a story", "Once upon")
    assert answer.status == "interrupted"
    assert await mem.list_answering("ada") == []


async def test_who_listens_to_an_answer_that_is_given_up_is_told(
    runtime: Runtime, tenant_id: int
) -> None:
    aside = Aside()
    mem = taught(runtime, tenant_id, Slow(), aside=aside)
    stream = mem.stream("ada", "Tell me a story")
    await anext(stream)

    await aside.abandon()
    async with asyncio.timeout(30):
        rest = await all_of(stream)

    assert rest[-1].reply is not None
    assert rest[-1].reply.error == "The answer was interrupted."


async def test_an_answer_is_stopped_also_from_another_process_and_what_had_come_is_kept(
    runtime: Runtime, tenant_id: int
) -> None:
    """d4"""
    mem = taught(runtime, tenant_id, Slow())
    elsewhere = runtime.tenant(Scope(tenant_id))
    stream = mem.stream("ada", "Tell me a story")
    asked = (await anext(stream)).ids
    question, conversation = asked["message_id"], asked["conversation_id"]
    # Of an answer that is stopped before its first word there is nothing to keep.
    said = await anext(stream)

    under_way = await elsewhere.list_answering("ada", conversation)
    not_theirs = await elsewhere.stop_answer("bob", question)
    stopped = await elsewhere.stop_answer("ada", question)
    rest = await all_of(stream)

    assert (under_way, not_theirs, stopped) == ([question], False, True)
    assert rest[-1].kind == "error"
    assert rest[-1].reply is not None
    assert rest[-1].reply.error == "The answer was stopped."
    answer = (await mem.get_messages(conversation)).items[-1]
    assert said.text == "Once"
    assert answer.content in ("Once", "Once upon")
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
    used = (await mem.get_messages(reply.conversation_id or "")).items[-1].used
    memories = await mem.get_memories_used("ada", reply.answer_id)

    assert used is not None
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


@pytest.mark.parametrize("forgets", ["used", "metadata"], ids=["metadata alone", "copy alone"])
async def test_what_an_answer_was_made_from_is_read_from_its_copy_or_from_its_metadata(
    runtime: Runtime, tenant_id: int, raw: Raw, forgets: str
) -> None:
    mem = taught(runtime, tenant_id, model("Sure."))
    reply = await mem.chat("ada", "Do I like jazz?")
    before = (await mem.get_messages(reply.conversation_id or "")).items[-1].used

    # As servers of an older version stored it, and as a page is meant to read it.
    await raw.execute(
        SQL("UPDATE messages SET {} = NULL WHERE id = %s").format(Identifier(forgets)),
        [reply.answer_id],
    )

    assert before is not None
    assert (await mem.get_messages(reply.conversation_id or "")).items[-1].used == before


async def test_an_answer_whose_maker_died_is_marked_as_interrupted(
    runtime: Runtime, tenant_id: int, raw: Raw
) -> None:
    """d4"""
    slow = Slow()
    aside = Aside()
    mem = taught(runtime, tenant_id, slow, aside=aside)
    stream = mem.stream("ada", "Tell me a story")
    question = (await anext(stream)).ids["message_id"]
    while "Once upon" not in repr((await rows_of(raw, tenant_id))["messages"]):
        await asyncio.sleep(0.02)
    await aside.abandon()
    await raw.execute(
        "UPDATE answers SET seen_at = now() - interval '1 hour' WHERE tenant_id = %s", [tenant_id]
    )

    # Somebody looks after it, whether or not its maker lives.
    assert f",settle,{question}," in repr((await rows_of(raw, tenant_id))["jobs"])
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


async def test_what_a_model_says_is_kept_without_what_no_table_can_hold(
    runtime: Runtime, tenant_id: int
) -> None:
    """d4: no answer is lost for a NUL, or for half a character."""
    mem = taught(runtime, tenant_id, Guarded(model("one\x00 two \ud83d three")))

    reply = await mem.chat("ada", "Count")

    assert (reply.error, reply.answer) == (None, "one two \ufffd three")
    (newest, *_) = await mem.get_conversation_history("ada", limit=1)
    assert newest.content == reply.answer


async def test_another_users_conversation_is_not_there(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("bob")

    with pytest.raises(MemoryNotFoundError):
        await mem.chat("ada", "Hello", conversation_id=conversation.id)


async def test_another_users_session_begins_a_new_one(mem: AsyncTenant) -> None:
    """b1: also where the database does not confine who asks to one user."""
    hers = await mem.chat_in_session("ada", "My name is Ada.")

    reply = await mem.chat_in_session("eve", "What is my name?", hers.conversation_id)

    assert reply.error is None
    assert reply.conversation_id != hers.conversation_id
    assert "Ada" not in reply.answer
    assert len(await mem.get_session_history(str(hers.conversation_id))) == 1
