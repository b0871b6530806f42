"""d5, e5: titles by a model, and what stands against what was learned later."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.learn import extract
from longterm.observe.log import get_logger
from longterm.providers.scripted import ScriptedModel
from longterm.runtime import Runtime
from tests.memory.taught import by_purpose, fact, facts, taught
from tests.memory.test_digest import known, say

Row = tuple[Any, ...]


async def exchange(mem: AsyncTenant) -> str:
    conversation = await mem.create_conversation("ada")
    for role, words in (("user", "How do I bake bread?"), ("assistant", "With flour.")):
        await mem.add_message("ada", role, words, conversation_id=conversation.id)
    return conversation.id


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ('"Baking bread".', "Baking bread"),
        ("", "How do I bake bread?"),
        ("x" * 90, "How do I bake bread?"),
    ],
)
async def test_a_model_makes_the_title_from_the_first_exchange_once(
    runtime: Runtime, tenant_id: int, answer: str, title: str
) -> None:
    """d5"""
    model = ScriptedModel(by_purpose(title=answer, extract=facts()))
    mem = taught(runtime, tenant_id, model)
    conversation_id = await exchange(mem)

    await mem.digest(conversation_id)
    await mem.digest(conversation_id)

    assert (await mem.get_conversation("ada", conversation_id)).title == title
    assert [prompt.purpose for prompt in model.prompts].count("title") == 1


async def test_a_title_that_a_person_gave_is_never_overwritten(
    runtime: Runtime, tenant_id: int
) -> None:
    """d5"""
    mem = taught(runtime, tenant_id, by_purpose(title="Baking bread", extract=facts()))
    conversation_id = await exchange(mem)
    await mem.update_conversation("ada", conversation_id, title="Mine")

    await mem.digest(conversation_id)

    assert (await mem.get_conversation("ada", conversation_id)).title == "Mine"


async def test_what_a_person_set_is_not_overruled_by_a_later_extraction(
    runtime: Runtime, tenant_id: int
) -> None:
    """e5"""
    mem = taught(runtime, tenant_id, by_purpose(extract=facts(fact())))
    await mem.add_fact("ada", "Alexandra", category="identity", key="name", actor="user")

    await mem.digest(await say(mem, "My name is Alex"))

    assert await known(mem) == {"name": "Alexandra"}


def test_the_schema_that_models_get_is_valid_json() -> None:
    prompt = extract.prompt([], [])

    assert json.loads(json.dumps(prompt.answer_schema))["required"] == ["facts"]


async def test_secrets_are_masked_in_logs(caplog: pytest.LogCaptureFixture) -> None:
    """c7"""
    get_logger("longterm.test").warning("it was", said="My password is hunter2-Xy!")

    assert "hunter2" not in caplog.text


async def test_what_a_message_says_last_counts_whatever_order_a_model_has(
    runtime: Runtime, tenant_id: int
) -> None:
    items = [
        fact(value="Bob", quote="My name is Bob"),
        fact(value="Alex", quote="My name is Alex"),
    ]
    mem = taught(runtime, tenant_id, by_purpose(extract=facts(*items)))

    await mem.digest(await say(mem, "My name is Alex, sorry. My name is Bob"))

    assert await known(mem) == {"name": "Bob"}


async def test_who_likes_something_no_longer_dislikes_it(mem: AsyncTenant) -> None:
    conversation_id = await say(mem, "I like tea.", "I hate tea.")

    await mem.digest(conversation_id)

    assert [key for key in await known(mem) if "tea" in key] == ["dislikes:tea"]


async def test_a_clock_that_is_ahead_makes_a_fact_that_holds_now(mem: AsyncTenant) -> None:
    conversation = await mem.create_conversation("ada")
    ahead = datetime.now(UTC) + timedelta(hours=1)
    await mem.add_message(
        "ada", "user", "My name is Alex", conversation_id=conversation.id, created_at=ahead
    )
    await mem.digest(conversation.id)

    (one,) = await mem.list_facts("ada")
    changed = await mem.update_fact("ada", one.id, content="Alexander")

    assert changed.content == "Alexander"
    assert "Alexander" in (await mem.recall("ada", "Who am I?")).stable_prefix
