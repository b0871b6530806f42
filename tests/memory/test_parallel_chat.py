"""SPEC 1: an answer belongs to its question, however many are asked at once."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator

import pytest

from longterm import AsyncTenant
from longterm.providers.model import Answer, Prompt
from longterm.providers.scripted import ScriptedModel
from longterm.runtime import Runtime
from tests.memory.taught import taught
from tests.outside import Raw
from tests.pairs import QUESTIONS, check_pairs, slow_echo

Hold = Callable[[str], tuple[ScriptedModel, asyncio.Event]]


@pytest.fixture
def hold() -> Iterator[Hold]:
    """A model that repeats the question, and one question that it answers only when it may."""
    events: list[asyncio.Event] = []

    def held(slow: str) -> tuple[ScriptedModel, asyncio.Event]:
        events.append(go_on := asyncio.Event())

        class Held(ScriptedModel):
            async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
                if prompt.messages[-1].text == slow:
                    await go_on.wait()
                async for piece in super().stream(prompt):
                    yield piece

        return Held(lambda prompt: f"echo: {prompt.messages[-1].text}"), go_on

    yield held
    # Also when a test fails: nobody waits for ever.
    for event in events:
        event.set()


async def asked(mem: AsyncTenant, text: str, conversation_id: str) -> None:
    """Begin to ask; the question is stored when this returns."""
    events = mem.stream("ada", text, conversation_id=conversation_id)
    assert (await anext(events)).kind == "start"
    await events.aclose()


async def pairs_of(mem: AsyncTenant, conversation_id: str) -> list[tuple[int, str, str]]:
    turns = await mem.get_session_history(conversation_id)
    return [(turn.turn_number, turn.query_text, turn.response_text) for turn in turns]


async def test_20_questions_at_once_have_their_own_answers(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, slow_echo())
    place = (await mem.create_conversation("ada")).id

    replies = await asyncio.gather(
        *(mem.chat("ada", text, conversation_id=place) for text in QUESTIONS)
    )

    assert [reply.answer for reply in replies] == [f"echo: {text}" for text in QUESTIONS]
    await check_pairs(mem, place)


async def test_20_questions_at_once_without_a_conversation_share_the_current_one(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, slow_echo())

    replies = await asyncio.gather(*(mem.chat("ada", text) for text in QUESTIONS))

    (place,) = {str(reply.conversation_id) for reply in replies}
    await check_pairs(mem, place)


async def test_a_late_answer_goes_to_the_turn_of_its_question(
    runtime: Runtime, tenant_id: int, hold: Hold
) -> None:
    model, go_on = hold("first")
    mem = taught(runtime, tenant_id, model)
    place = (await mem.create_conversation("ada")).id
    await asked(mem, "first", place)
    await mem.chat("ada", "second", conversation_id=place)

    go_on.set()
    await runtime.parts.aside.finish()
    await mem.chat("ada", "third", conversation_id=place)

    assert await pairs_of(mem, place) == [
        (1, "first", "echo: first"),
        (2, "second", "echo: second"),
        (3, "third", "echo: third"),
    ]
    window = [said.text for said in model.prompts[-1].messages]
    assert window == ["first", "echo: first", "second", "echo: second", "third"]


async def test_a_message_of_an_application_does_not_take_the_turn_of_an_answer_under_way(
    runtime: Runtime, tenant_id: int, hold: Hold
) -> None:
    model, go_on = hold("first")
    mem = taught(runtime, tenant_id, model)
    place = (await mem.create_conversation("ada")).id
    await asked(mem, "first", place)

    await mem.add_message("ada", "assistant", "By the way …", conversation_id=place)
    go_on.set()
    await runtime.parts.aside.finish()

    assert await pairs_of(mem, place) == [(1, "first", "echo: first"), (2, "", "By the way …")]


async def test_the_turn_of_a_question_that_no_model_answered_is_open(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, ScriptedModel([]))
    place = (await mem.create_conversation("ada")).id
    reply = await mem.chat("ada", "first", conversation_id=place)

    await mem.add_message("ada", "assistant", "Sorry.", conversation_id=place)

    assert reply.error is not None
    assert await pairs_of(mem, place) == [(1, "first", "Sorry.")]


async def test_a_late_answer_is_found_by_search(
    runtime: Runtime, tenant_id: int, hold: Hold
) -> None:
    model, go_on = hold("Which bird do I keep?")
    mem = taught(runtime, tenant_id, model)
    place = (await mem.create_conversation("ada")).id
    await asked(mem, "Which bird do I keep?", place)
    await mem.chat("ada", "And which tree is mine?", conversation_id=place)
    await mem.index(place)

    go_on.set()
    await runtime.parts.aside.finish()
    before = await mem.recall("ada", "echo: Which bird do I keep?", kinds=("turn",))
    await mem.index(place)
    after = await mem.recall("ada", "echo: Which bird do I keep?", kinds=("turn",))

    for found in (before, after):
        assert "echo: Which bird do I keep?" in [item.text for item in found.items]


async def test_forgetting_a_later_question_leaves_a_late_answer(
    runtime: Runtime, tenant_id: int, hold: Hold
) -> None:
    model, go_on = hold("first")
    mem = taught(runtime, tenant_id, model)
    place = (await mem.create_conversation("ada")).id
    await asked(mem, "first", place)
    second = await mem.chat("ada", "second", conversation_id=place)
    go_on.set()
    await runtime.parts.aside.finish()

    await mem.rewind("ada", second.message_id or 0)

    assert await pairs_of(mem, place) == [(1, "first", "echo: first")]


async def test_ids_rise_with_the_turns(runtime: Runtime, tenant_id: int, raw: Raw) -> None:
    mem = taught(runtime, tenant_id, slow_echo(seed=2))
    place = (await mem.create_conversation("ada")).id

    await asyncio.gather(*(mem.chat("ada", text, conversation_id=place) for text in QUESTIONS))

    cursor = await raw.execute(
        "SELECT turn, role FROM messages WHERE conversation_id = %s ORDER BY id", [place]
    )
    expected = [(turn, role) for turn in range(1, 21) for role in ("user", "assistant")]
    assert await cursor.fetchall() == expected
