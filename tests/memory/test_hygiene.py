"""How clean memory is, and what a rebuild makes of the log."""

from datetime import UTC, datetime, timedelta

import pytest

from longterm import AsyncTenant
from longterm.errors import ModelGoneError
from longterm.providers.model import Prompt
from longterm.records.fact import Fact
from longterm.records.hygiene import FLAWS
from longterm.runtime import Runtime
from tests.memory.taught import by_purpose, fact, facts, taught
from tests.memory.test_digest import known, say
from tests.outside import Raw


async def change(raw: Raw, one: Fact, column: str, value: object) -> None:
    query = f"UPDATE facts SET {column} = %s WHERE id = %s"
    await raw.execute(query.encode(), [value, one.id])


async def learned(mem: AsyncTenant, words: str) -> Fact:
    await mem.digest(await say(mem, words))
    return (await mem.get_active_facts("ada"))[-1]


async def test_a_clean_memory_has_no_flaws(mem: AsyncTenant) -> None:
    await learned(mem, "My name is Alex and I live in Rome.")

    audit = await mem.audit_memory("ada")

    assert audit.facts == 2
    assert {flaw: audit.flaws[flaw] for flaw in FLAWS} == dict.fromkeys(FLAWS, ())


async def test_two_facts_of_one_meaning_are_duplicates(mem: AsyncTenant) -> None:
    first = await mem.add_fact("ada", "The user has a dog named Rex")
    second = await mem.add_fact("ada", "The user's dog is named Rex")
    await mem.add_fact("ada", "The user works as a nurse")

    audit = await mem.audit_memory("ada")

    assert audit.flaws["duplicate"] == (second.id,)
    assert first.id not in audit.flaws["duplicate"]
    assert audit.rate("duplicate") == pytest.approx(1 / 3)


async def test_what_was_learned_from_an_answer_is_an_echo(mem: AsyncTenant, raw: Raw) -> None:
    one = await learned(mem, "My name is Alex")
    answer = await mem.add_message("ada", "assistant", "My name is Alex")
    await change(raw, one, "source_message_id", answer)

    assert (await mem.audit_memory("ada")).flaws["echo"] == (one.id,)


async def test_words_that_the_source_does_not_have_are_ungrounded(
    mem: AsyncTenant, raw: Raw
) -> None:
    one = await learned(mem, "My name is Alex")
    await change(raw, one, "content", "Roberta")

    assert (await mem.audit_memory("ada")).flaws["ungrounded"] == (one.id,)


async def test_a_date_that_is_over_is_stale_and_a_birthday_is_not(
    mem: AsyncTenant, raw: Raw
) -> None:
    past = (datetime.now(UTC) - timedelta(days=60)).isoformat()
    day = (datetime.now(UTC) - timedelta(days=30)).date().isoformat()
    over = await mem.add_fact("ada", f"exam on {day}")
    every_year = await mem.add_fact("ada", day, category="identity", key="birthday")
    for one in (over, every_year):
        await change(raw, one, "said_at", past)
    forgotten = await mem.add_fact("ada", "likes tea")
    await change(raw, forgotten, "said_at", "2020-01-01+00")

    audit = await mem.audit_memory("ada")

    assert set(audit.flaws["stale"]) == {over.id, forgotten.id}
    assert set(audit.flaws["unused"]) == {over.id, every_year.id, forgotten.id}


async def test_what_looks_like_a_secret_is_told(mem: AsyncTenant, raw: Raw) -> None:
    one = await mem.add_fact("ada", "likes tea")
    await change(raw, one, "content", "password is hunter2-Xy!")

    assert (await mem.audit_memory("ada")).flaws["secret"] == (one.id,)


async def test_the_audit_of_a_tenant_is_that_of_all_its_users(mem: AsyncTenant) -> None:
    for user_id in ("ada", "bob"):
        await mem.add_fact(user_id, "likes tea")

    assert (await mem.audit_memory()).facts == 2


async def test_a_rebuild_shows_what_the_extractor_of_today_would_change(
    runtime: Runtime, tenant_id: int, mem: AsyncTenant
) -> None:
    await learned(mem, "My name is Alex and I live in Rome.")
    await mem.add_fact("ada", "Ada herself", category="identity", key="title", actor="user")
    better = taught(
        runtime,
        tenant_id,
        by_purpose(
            extract=facts(
                fact(value="Alex and I", quote="Alex and I"),
                fact(key="city", value="Rome", quote="Rome"),
            )
        ),
    )

    diff = await better.rebuild_memory("ada")
    before = await known(mem)
    await better.rebuild_memory("ada", apply=True)
    again = await better.rebuild_memory("ada")

    assert [new.key for new in diff.added] == ["city"]
    assert [(old.content, new.content) for old, new in diff.changed] == [("Alex", "Alex and I")]
    assert [old.key for old in diff.removed] == ["home"]
    assert before == {"name": "Alex", "home": "Rome", "title": "Ada herself"}
    assert await known(mem) == {"name": "Alex and I", "city": "Rome", "title": "Ada herself"}
    assert (again.added, again.changed, again.removed) == ((), (), ())


async def test_a_rebuild_with_the_same_extractor_changes_nothing(mem: AsyncTenant) -> None:
    await learned(mem, "My name is Alex. I like tea.")
    await learned(mem, "Actually, my name is Alexander. I no longer live in Rome.")

    diff = await mem.rebuild_memory("ada")

    assert (diff.added, diff.changed, diff.removed) == ((), (), ())


async def test_a_rebuild_leaves_alone_what_was_forgotten_and_whose_source_is_gone(
    mem: AsyncTenant,
) -> None:
    one = await learned(mem, "My name is Alex")
    await mem.deactivate_fact("ada", one.id)
    home = await learned(mem, "I live in Rome.")
    assert home.source_message_id is not None
    await mem.trim_history("ada", keep_last=0, archive=False)

    diff = await mem.rebuild_memory("ada", apply=True)

    assert (diff.added, diff.changed, diff.removed) == ((), (), ())
    assert await known(mem) == {"home": "Rome"}


async def test_a_rebuild_removes_nothing_that_the_model_gave_no_answer_to(
    runtime: Runtime, tenant_id: int, mem: AsyncTenant
) -> None:
    await learned(mem, "My name is Alex")
    confused = taught(runtime, tenant_id, by_purpose(extract="what?"))
    gone = taught(runtime, tenant_id, by_purpose(extract=ModelGoneError()))

    diff = await confused.rebuild_memory("ada", apply=True)
    with pytest.raises(ModelGoneError):
        await gone.rebuild_memory("ada", apply=True)

    assert (diff.removed, diff.failed) == ((), 1)
    assert await known(mem) == {"name": "Alex"}


async def test_a_rebuild_that_prefers_an_earlier_statement_loses_nothing(
    runtime: Runtime, tenant_id: int, mem: AsyncTenant
) -> None:
    def answer(prompt: Prompt) -> str:
        sascha = fact(value="Sascha", quote="people mostly say Sascha to me")
        return facts(sascha) if "Sascha" in prompt.messages[0].text else facts()

    first = taught(runtime, tenant_id, answer)
    await first.digest(await say(first, "My name is Alex"))
    await first.digest(await say(first, "people mostly say Sascha to me"))

    await mem.rebuild_memory("ada", apply=True)

    assert await known(mem) == {"name": "Alex"}
    (one,) = await mem.get_active_facts("ada")
    assert [version.content for version in await mem.fact_history("ada", one.id)] == [
        "Sascha",
        "Alex",
    ]


async def test_a_rebuild_does_not_bring_back_what_was_deleted(mem: AsyncTenant) -> None:
    one = await learned(mem, "My name is Alex")
    await mem.delete_fact("ada", one.id)

    await mem.rebuild_memory("ada", apply=True)

    assert await known(mem) == {}
