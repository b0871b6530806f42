"""LlamaIndex' memory over a conversation."""

from collections.abc import Callable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM

from longterm import AsyncTenant, Tenant
from longterm.adapters.llama_index import LongtermMemory

MESSAGES = [
    ChatMessage(role="user", content="What is this?"),
    ChatMessage(
        role="assistant", content="", additional_kwargs={"tool_calls": [{"id": "c1", "name": "x"}]}
    ),
    ChatMessage(role="tool", content="A cat.", additional_kwargs={"tool_call_id": "c1"}),
    ChatMessage(
        role="user", blocks=[TextBlock(text="And this?"), ImageBlock(image=b"AA==", detail="low")]
    ),
]


def of(mem: AsyncTenant, user_id: str = "ada", newest: int = 50) -> LongtermMemory:
    """A memory that recalls nothing: what it gives is its conversation."""
    return LongtermMemory(mem, user_id, "trip", newest=newest, recall_tokens=0)


async def test_every_kind_of_message_comes_back_unchanged(mem: AsyncTenant) -> None:
    memory = of(mem)
    await memory.aput_messages(MESSAGES[:3])
    await memory.aput(MESSAGES[3])

    assert await memory.aget_all() == MESSAGES
    assert await memory.aget() == MESSAGES
    await memory.areset()
    assert await memory.aget_all() == []


async def test_setting_the_history_adds_what_is_new_and_replaces_what_differs(
    mem: AsyncTenant,
) -> None:
    memory = of(mem)
    await memory.aset(MESSAGES[:2])
    (first, _) = await mem.get_recent_messages("ada")
    await memory.aset(MESSAGES)
    kept = await mem.get_recent_messages("ada")
    await memory.aset(MESSAGES[2:])

    assert kept[0].id == first.id
    assert len(kept) == 4
    assert await memory.aget_all() == MESSAGES[2:]


async def test_handing_back_the_newest_part_loses_nothing_of_the_beginning(
    mem: AsyncTenant,
) -> None:
    memory = of(mem, newest=3)
    await memory.aput_messages(MESSAGES)
    more = ChatMessage(role="user", content="And then?")

    await memory.aset([*await memory.aget(), more])

    assert await memory.aget_all() == [*MESSAGES, more]


async def test_the_newest_part_begins_with_the_user(mem: AsyncTenant) -> None:
    await of(mem).aput_messages(MESSAGES)

    assert await of(mem, newest=3).aget() == MESSAGES[3:]
    assert await of(mem, newest=2).aget_all() == MESSAGES


async def test_what_is_recalled_stands_in_front(mem: AsyncTenant) -> None:
    await mem.add_fact("ada", "The user is allergic to peanuts")
    memory = LongtermMemory.from_defaults(tenant=mem, user_id="ada", session_id="trip")
    by_input = await memory.aget("What must I not eat?")
    await memory.aput(MESSAGES[0])

    by_question = await memory.aget()

    for recalled in (by_input[0], by_question[0]):
        assert recalled.role == MessageRole.SYSTEM
        assert "peanuts" in (recalled.content or "")
    assert (by_input[1:], by_question[1:]) == ([], MESSAGES[:1])


async def test_what_was_recalled_is_not_stored_when_a_history_is_handed_back(
    mem: AsyncTenant,
) -> None:
    await mem.add_fact("ada", "The user is allergic to peanuts")
    memory = LongtermMemory(mem, "ada", "trip")
    await memory.aput_messages(MESSAGES[:2])
    (first, _) = await mem.get_recent_messages("ada")

    shown = await memory.aget("What must I not eat?")
    await memory.aset([*shown, MESSAGES[3]])
    await memory.aput(shown[0])

    assert "peanuts" in (shown[0].content or "")
    assert await memory.aget_all() == [*MESSAGES[:2], MESSAGES[3]]
    assert (await mem.get_recent_messages("ada"))[0].id == first.id


def test_a_chat_engine_has_its_history(tenant: Tenant) -> None:
    for question in ("I'm Ada", "Who am I?"):
        engine: Any = SimpleChatEngine.from_defaults(
            llm=MockLLM(), memory=LongtermMemory(tenant, "ada", "trip")
        )
        answer = engine.chat(question)

    assert "I'm Ada" in answer.response
    assert [one.role for one in engine.chat_history] == ["user", "assistant"] * 2
    assert [one.role for one in tenant.get_recent_messages("ada")] == ["user", "assistant"] * 2
    engine.reset()
    assert tenant.count_messages("ada") == 0


async def test_two_users_and_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    mem, foreign = new_tenant(), new_tenant()
    await of(mem).aput_messages(MESSAGES)

    for elsewhere, user_id in ((mem, "bob"), (foreign, "ada")):
        memory = LongtermMemory(elsewhere, user_id, "trip")
        assert await memory.aget("What is this?") == []
