"""a1–a4, b: history, key-value memory, state, templates and sessions, through every door."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from longterm import InvalidInputError, InvalidRoleError, MemoryNotFoundError, TemplateError
from longterm.client import AsyncClient
from longterm.recall.context import WINDOW
from longterm.text.prompt_data import block
from tests.contract.conftest import House


async def test_a_history_reads_as_it_was_said(mem: AsyncClient, house: House) -> None:
    """a1"""
    said_at = datetime(2026, 5, 1, 12, tzinfo=UTC)
    first = await mem.add_message("ada", "user", "Hello", name="Ada", created_at=said_at)
    second = await mem.add_message("ada", "assistant", "Hi", custom_payload={"a": [1, None]})

    history = await mem.get_conversation_history("ada")

    assert history == await house.memory.get_conversation_history("ada")
    assert [message.id for message in history] == [second, first]
    assert await mem.get_recent_messages("ada") == history[::-1]
    assert await mem.get_recent_messages("ada", 1) == history[:1]
    assert await mem.get_conversation_history("ada", limit=1, offset=1) == history[1:]
    assert (await mem.count_messages("ada"), await mem.count_messages("bob")) == (2, 0)
    assert (history[1].name, history[1].created_at) == ("Ada", said_at)
    assert history[0].custom_payload == {"a": [1, None]}


async def test_messages_go_one_by_one_or_all_at_once(mem: AsyncClient) -> None:
    """a1"""
    conversation = await mem.create_conversation("ada")
    ids = await mem.add_messages(
        "ada",
        conversation.id,
        [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}],
    )
    ids.append(await mem.add_message("ada", "user", "three", conversation_id=conversation.id))

    await mem.delete_message(ids[0])

    page = await mem.get_messages(conversation.id)
    assert [message.id for message in page] == ids[1:]
    assert await mem.trim_history("ada", keep_last=1, archive=False) == 1
    assert await mem.trim_history("ada", older_than=timedelta(days=1)) == 0
    assert await mem.clear_conversation_history("ada") == 1
    assert await mem.get_conversation_history("ada") == []


async def test_what_is_wrong_with_a_message_is_told_by_the_same_errors(mem: AsyncClient) -> None:
    with pytest.raises(InvalidRoleError):
        await mem.add_message("ada", "system", "Hello")
    with pytest.raises(InvalidInputError):
        await mem.add_message("ada", "user", "")
    with pytest.raises(InvalidInputError):
        await mem.add_message("ada", "user", "x", created_at=datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(InvalidInputError):
        await mem.add_message("ada", "user", "x", unknown=1)
    with pytest.raises(InvalidInputError):
        await mem.add_message("ada", "user", "x", custom_payload=object())
    with pytest.raises(InvalidInputError):
        await mem.add_message("  ", "user", "x")
    with pytest.raises(MemoryNotFoundError, match="no such conversation"):
        await mem.add_message("ada", "user", "x", conversation_id=uuid4())
    with pytest.raises(MemoryNotFoundError, match="There is no message"):
        await mem.delete_message(2**60)
    with pytest.raises(InvalidInputError, match="keep_last, or older_than"):
        await mem.trim_history("ada")
    with pytest.raises(InvalidInputError):
        await mem.trim_history("ada", older_than=timedelta(days=-1))


@pytest.mark.parametrize("key", ["a/b", "..", ".", "ü ?#%2F&=🦊", "memory"])
async def test_any_key_holds_an_object(mem: AsyncClient, house: House, key: str) -> None:
    """a2"""
    number = await mem.set_memory("ada", key, {"lang": "en", "deep": [{"x": None}]})

    assert await mem.get_memory("ada", key) == {"lang": "en", "deep": [{"x": None}]}
    every = await mem.get_all_memory("ada")
    assert every == await house.memory.get_all_memory("ada")
    assert [(one.id, one.key) for one in every] == [(number, key)]
    await mem.delete_memory("ada", key)
    assert await mem.get_memory("ada", key) is None
    with pytest.raises(MemoryNotFoundError):
        await mem.delete_memory("ada", key)


async def test_all_keys_are_cleared_at_once(mem: AsyncClient) -> None:
    """a2"""
    await mem.set_memory("ada", "a", {})
    await mem.set_memory("ada", "b", {})

    assert await mem.clear_all_memory("ada") == 2
    assert await mem.get_all_memory("ada") == []
    with pytest.raises(InvalidInputError):
        await mem.set_memory("ada", "a", {"x": float("nan")})


async def test_a_state_is_set_and_forgotten(mem: AsyncClient, house: House) -> None:
    """a3"""
    assert await mem.get_user_state("..") is None

    await mem.set_user_state("..", "halted")

    state = await mem.get_user_state("..")
    assert state == await house.memory.get_user_state("..")
    assert state is not None
    assert state.mode == "halted"
    await mem.delete_user_state("..")
    assert await mem.get_user_state("..") is None


async def test_templates_have_versions_and_are_filled_in(mem: AsyncClient) -> None:
    """a4"""
    await mem.set_template("a/greeting", "Hi")
    template = await mem.set_template("a/greeting", "Hello {{ name }}, {{ user_id }}")

    assert template.version == 2
    assert await mem.get_template("a/greeting") == template
    assert template in await mem.list_templates()
    rendered = await mem.render_template("a/greeting", {"name": "Ada"}, user_id="ada")
    assert rendered == "Hello Ada, ada"
    await mem.delete_template("a/greeting")
    with pytest.raises(MemoryNotFoundError):
        await mem.get_template("a/greeting")
    with pytest.raises(TemplateError):
        await mem.set_template("bad", "{% if %}")


async def test_a_session_has_turns(mem: AsyncClient, house: House) -> None:
    """b2"""
    session = await mem.create_session("ada")
    turn = await mem.store_turn(session, "ada", "Where?", "In Lisbon.", {"lang": "en"})

    assert await mem.get_session_history(session) == [turn]
    assert await house.memory.get_session_history(session) == [turn]
    context = await mem.get_context_for_query(session, "And now?")
    assert context == await house.memory.get_context_for_query(session, "And now?")
    assert context.turns == (turn,)
    assert context.text == block(WINDOW, ["- user: Where?", "- assistant: In Lisbon."])
    assert await mem.delete_session(session) == 1


async def test_a_session_that_is_not_there_is_empty(mem: AsyncClient) -> None:
    """b2"""
    assert await mem.get_session_history(uuid4()) == []
    assert await mem.delete_session(uuid4()) == 0
    with pytest.raises(InvalidInputError):
        await mem.get_session_history("no id")
    with pytest.raises(InvalidInputError):
        await mem.get_session_history(uuid4(), limit=51)
