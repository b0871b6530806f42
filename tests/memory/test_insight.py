"""d8: how memory is doing, by day."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from longterm import AsyncTenant
from longterm.records.scope import Scope
from longterm.records.usage import Price
from longterm.runtime import Runtime
from tests.memory.taught import taught
from tests.memory.test_chat import model
from tests.outside import Raw

pytestmark = pytest.mark.usefixtures("one_day")


async def test_messages_and_facts_are_counted_by_day(mem: AsyncTenant) -> None:
    today = datetime.now(UTC)
    await mem.add_message("ada", "user", "long ago", created_at=today - timedelta(days=90))
    await mem.add_message("ada", "user", "lately", created_at=today - timedelta(days=3))
    await mem.add_message("bob", "user", "hello")
    kept = await mem.add_fact("ada", "lives in Lisbon", category="home", key="home")
    await mem.add_fact("ada", "lives in Porto", category="home", key="home")
    gone = await mem.add_fact("ada", "likes jazz")
    await mem.delete_fact("ada", gone.id)

    ada, everybody = await mem.get_insight("ada"), await mem.get_insight()

    assert [(day.user, day.assistant) for day in ada.messages_per_day] == [(1, 0)]
    assert sum(day.user for day in everybody.messages_per_day) == 2
    (day,) = ada.memory_per_day
    assert (day.day, day.total, day.replaced, day.deleted) == (today.date(), 1, 1, 1)
    assert day.added >= 1
    assert kept.version == 1
    assert ada.queue.queued >= 1
    assert ada.queue.failures == ()
    assert ada.hygiene == {"duplicates": 0, "stale": 0, "unused": 0, "refused": 0, "unread": 2}


async def test_a_day_is_one_of_utc_for_a_user_and_for_everybody(mem: AsyncTenant) -> None:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for minutes in (-1, 0):
        said_at = midnight + timedelta(minutes=minutes)
        await mem.add_message("ada", "user", "hello", created_at=said_at)

    ada, everybody = await mem.get_insight("ada", 2), await mem.get_insight(days=2)

    days = [(midnight - timedelta(days=1)).date(), midnight.date()]
    assert [(day.day, day.user, day.assistant) for day in ada.messages_per_day] == [
        (day, 1, 0) for day in days
    ]
    assert everybody.messages_per_day == ada.messages_per_day


async def test_recall_and_models_are_told_from_the_answers(
    runtime: Runtime, tenant_id: int
) -> None:
    mem = taught(runtime, tenant_id, model("One.", "Two."))
    await mem.add_fact("ada", "likes jazz")
    await mem.chat("ada", "Hello")
    await mem.chat("ada", "Do I like jazz?")

    ada, everybody = await mem.get_insight("ada"), await mem.get_insight()

    stages = {stage.stage: stage for stage in ada.stages}
    assert stages["total"].n == 2
    assert 0 < stages["total"].p50_ms <= stages["total"].p95_ms
    (usage,) = [day for day in ada.usage if day.purpose == "chat"]
    assert (usage.model, usage.calls, usage.cost) == ("scripted:model", 2, None)
    assert usage.prompt_tokens > 0
    assert sum(day.calls for day in everybody.usage) >= 2
    assert everybody.stages


async def test_what_models_cost_is_told_exactly_where_they_have_a_price(
    runtime: Runtime, tenant_id: int
) -> None:
    price = Price(prompt=Decimal("0.1"), answer=Decimal("0.7"))
    rules = replace(runtime.parts.rules, model_prices={"scripted:model": price})
    parts = replace(runtime.parts, model=model("One."), rules=rules)
    mem = AsyncTenant(parts, Scope(tenant_id))
    await mem.chat("ada", "Hello")

    ada, everybody = await mem.get_insight("ada"), await mem.get_insight()

    (usage,) = ada.usage
    assert usage.cost is not None
    assert usage.cost * 10_000_000 == usage.prompt_tokens + 7 * usage.answer_tokens
    assert [day.cost for day in everybody.usage if day.purpose == "chat"] == [usage.cost]


async def test_what_failed_is_told(mem: AsyncTenant, raw: Raw, tenant_id: int) -> None:
    await mem.add_message("ada", "user", "hello")
    await raw.execute(
        "UPDATE jobs SET state = 'dead', last_error = 'It broke.' WHERE tenant_id = %s", [tenant_id]
    )

    found = await mem.get_insight("ada")

    assert found.queue.dead >= 1
    assert found.queue.failures[0].error == "It broke."
