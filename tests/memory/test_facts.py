"""c2, c6, c8, d3, e5: what is known about a user."""

import asyncio
import itertools
import logging
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from longterm import (
    AsyncTenant,
    ConflictError,
    InvalidInputError,
    MemoryNotFoundError,
    SecretRefusedError,
)


async def test_add_fact(mem: AsyncTenant) -> None:
    """c2"""
    conversation = await mem.create_conversation("ada")
    message_id = await mem.add_message("ada", "user", "I am vegetarian")

    fact = await mem.add_fact(
        "ada",
        "The user is vegetarian",
        type="constraint",
        source_conversation_id=conversation.id,
        source_message_id=message_id,
    )

    assert await mem.get_active_facts("ada") == [fact]
    assert (fact.content, fact.type, fact.version) == ("The user is vegetarian", "constraint", 1)
    assert fact.source_conversation_id == conversation.id
    assert fact.source_message_id == message_id
    assert fact.is_active
    assert fact.tokens == 4


async def test_deactivate_fact(mem: AsyncTenant) -> None:
    """c2"""
    fact = await mem.add_fact("ada", "lives in Seattle")

    assert await mem.deactivate_fact("ada", fact.id) is True
    assert await mem.deactivate_fact("ada", fact.id) is False
    assert await mem.deactivate_fact("ada", uuid4()) is False
    assert await mem.get_active_facts("ada") == []


async def test_the_same_fact_said_again_is_counted_and_not_stored_twice(mem: AsyncTenant) -> None:
    first = await mem.add_fact("ada", "Likes green tea")
    again = await mem.add_fact("ada", "likes green tea!")
    other = await mem.add_fact("ada", "likes black tea")

    assert again.id == first.id
    assert again.said_count == 2
    assert other.id != first.id


async def test_a_key_has_one_open_value_and_the_others_stay_as_closed_versions(
    mem: AsyncTenant,
) -> None:
    """e5"""
    name = {"type": "identity", "category": "identity", "key": "name"}
    await mem.add_fact("ada", "Alex", confidence=1.0, **name)  # pyright: ignore[reportArgumentType]
    ignored = await mem.add_fact("ada", "Al", confidence=0.6, **name)  # pyright: ignore[reportArgumentType]
    fact = await mem.add_fact("ada", "Alexander", confidence=0.95, **name)  # pyright: ignore[reportArgumentType]

    history = await mem.fact_history("ada", fact.id)

    assert ignored.content == "Alex"
    assert [(version.content, version.is_active) for version in history] == [
        ("Alex", False),
        ("Alexander", True),
    ]
    assert history[0].valid_to == history[1].valid_from
    assert history[0].closed == "replaced"
    assert [known.content for known in await mem.get_active_facts("ada")] == ["Alexander"]


async def test_eight_writers_on_one_key_leave_one_open_version_and_lose_none(
    mem: AsyncTenant,
) -> None:
    """e5, c3"""
    facts = await asyncio.gather(
        *(mem.add_fact("ada", f"city {n}", category="identity", key="home") for n in range(8))
    )

    history = await mem.fact_history("ada", facts[0].id)
    assert len({fact.id for fact in facts}) == 1
    assert {version.content for version in history} == {f"city {n}" for n in range(8)}
    assert [version.is_active for version in history] == [False] * 7 + [True]
    for earlier, later in itertools.pairwise(history):
        assert earlier.valid_to == later.valid_from


async def test_what_was_known_at_an_earlier_time_can_be_asked(mem: AsyncTenant) -> None:
    """§3 time"""
    before = datetime.now(UTC)
    await mem.add_fact("ada", "Rome", category="identity", key="home")
    between = datetime.now(UTC)
    await mem.add_fact("ada", "Lyon", category="identity", key="home")

    async def home(as_of: datetime | None) -> list[str]:
        return [fact.content for fact in await mem.list_facts("ada", as_of=as_of)]

    assert await home(before) == []
    assert await home(between) == ["Rome"]
    assert await home(None) == ["Lyon"]


async def test_a_persons_edit_makes_a_version_and_wins(mem: AsyncTenant) -> None:
    fact = await mem.add_fact("ada", "Rome", category="identity", key="home", actor="extractor")

    edited = await mem.update_fact("ada", fact.id, content="Lyon")
    later = await mem.add_fact("ada", "Oslo", category="identity", key="home", actor="extractor")

    assert (edited.id, edited.version, edited.origin) == (fact.id, 2, "person")
    assert later.content == "Lyon"


async def test_marks_are_changed_without_a_new_version(mem: AsyncTenant) -> None:
    fact = await mem.add_fact("ada", "likes tea")

    pinned = await mem.pin_fact("ada", fact.id)
    archived = await mem.update_fact("ada", fact.id, archived=True, importance=0.1)

    assert (pinned.pinned, pinned.version) == (True, 1)
    assert (archived.archived, archived.importance, archived.version) == (True, 0.1, 1)
    assert await mem.list_facts("ada") == []
    assert await mem.list_facts("ada", archived=True) == [archived]


async def test_facts_are_found_by_type_category_pin_and_words(mem: AsyncTenant) -> None:
    """d3"""
    tea = await mem.add_fact("ada", "likes 100% green tea", type="preference", category="food")
    job = await mem.add_fact("ada", "builds rockets", type="project", category="work")
    await mem.pin_fact("ada", job.id)

    async def found(**by: object) -> list[str]:
        return [fact.id for fact in await mem.list_facts("ada", **by)]  # pyright: ignore[reportArgumentType]

    assert await found(type="preference") == [tea.id]
    assert await found(category="work") == [job.id]
    assert await found(pinned=True) == [job.id]
    assert await found(text="GREEN") == [tea.id]
    assert await found(text="100% green") == [tea.id]
    assert await found(text="100_") == []


async def test_a_deleted_fact_leaves_nothing_but_that_it_was_deleted(
    mem: AsyncTenant, raw: psycopg.AsyncConnection, tenant_id: int
) -> None:
    fact = await mem.add_fact("ada", "a thing to forget")
    await mem.update_fact("ada", fact.id, content="a thing to forget soon")

    assert await mem.delete_fact("ada", fact.id) is True
    assert await mem.delete_fact("ada", fact.id) is False

    cursor = await raw.execute(
        "SELECT action, before::text, after::text FROM audit WHERE tenant_id = %s", [tenant_id]
    )
    assert await cursor.fetchall() == [("delete fact", None, None)]
    with pytest.raises(MemoryNotFoundError):
        await mem.fact_history("ada", fact.id)


async def test_every_change_is_in_the_audit_trail(mem: AsyncTenant) -> None:
    """c8"""
    said = await mem.add_message("ada", "user", "I live in Rome.")
    fact = await mem.add_fact("ada", "lives in Rome", actor="agent", source_message_id=said)
    await mem.update_fact("ada", fact.id, content="lives in Lyon")
    await mem.deactivate_fact("ada", fact.id)

    trail = (await mem.list_audit("ada")).items[::-1]

    assert [(entry.actor, entry.action) for entry in trail] == [
        ("agent", "insert fact"),
        ("user", "update fact"),
        ("api", "deactivate fact"),
    ]
    assert trail[0].source_message_id == said
    assert isinstance(trail[1].before, dict)
    assert isinstance(trail[1].after, dict)
    assert trail[1].before["content"] == "lives in Rome"
    assert trail[1].after["content"] == "lives in Lyon"


@pytest.mark.parametrize("content", ["", " ", "x" * 501, "NUL \0", None, 7])
async def test_a_fact_has_1_to_500_characters(mem: AsyncTenant, content: object) -> None:
    with pytest.raises(InvalidInputError):
        await mem.add_fact("ada", content)  # pyright: ignore[reportArgumentType]

    assert await mem.get_active_facts("ada") == []


async def test_a_secret_is_refused_with_its_kind(mem: AsyncTenant) -> None:
    """c7"""
    fact = await mem.add_fact("ada", "harmless")
    secret = "my password is " + "hunter2!x"

    with pytest.raises(SecretRefusedError, match="password"):
        await mem.add_fact("ada", secret)
    with pytest.raises(SecretRefusedError):
        await mem.update_fact("ada", fact.id, content=secret)
    with pytest.raises(SecretRefusedError):
        await mem.add_poi("ada", "home", "Home", secret)
    with pytest.raises(SecretRefusedError):
        await mem.set_memory("ada", "login", {"deep": [{"note": secret}]})
    with pytest.raises(SecretRefusedError):
        await mem.set_memory("ada", "login", {"password": "hunter2!x"})
    await mem.set_memory("ada", "order", {"number": 4_398_046_511_105, "password": "forgotten"})


async def test_the_memory_stays_under_its_limit(
    mem: AsyncTenant, caplog: pytest.LogCaptureFixture
) -> None:
    """c6"""
    words = " ".join(["word"] * 95)
    first = await mem.add_fact("ada", f"first {words}")
    pinned = await mem.add_fact("ada", f"pinned {words}")
    inactive = await mem.add_fact("ada", f"inactive {words}")
    await mem.pin_fact("ada", pinned.id)
    await mem.deactivate_fact("ada", inactive.id)
    with caplog.at_level(logging.WARNING):
        for number in range(120):
            await mem.add_fact("ada", f"{number} {words}")

    document = await mem.get_user_memory("ada")
    ids = [fact.id for fact in document.facts]
    assert document.metadata.token_count <= 10_000
    assert pinned.id in ids
    assert first.id not in ids
    assert inactive.id not in ids
    assert [version.closed for version in await mem.fact_history("ada", first.id)] == ["evicted"]
    assert first.id in caplog.text


async def test_what_is_pinned_is_never_evicted(mem: AsyncTenant) -> None:
    """c6"""
    words = " ".join(["word"] * 95)

    async def fill() -> None:
        for number in range(200):
            fact = await mem.add_fact("ada", f"{number} {words}")
            await mem.pin_fact("ada", fact.id)

    with pytest.raises(ConflictError, match="pinned"):
        await fill()

    assert (await mem.get_user_memory("ada")).metadata.token_count <= 10_000


async def test_a_fact_of_another_user_is_not_there(mem: AsyncTenant) -> None:
    fact = await mem.add_fact("ada", "likes tea")

    with pytest.raises(MemoryNotFoundError):
        await mem.update_fact("bob", fact.id, content="likes coffee")
    with pytest.raises(MemoryNotFoundError):
        await mem.fact_history("bob", fact.id)
    assert await mem.deactivate_fact("bob", fact.id) is False
    assert await mem.delete_fact("bob", fact.id) is False


async def test_old_news_goes_into_the_history_in_order(mem: AsyncTenant) -> None:
    """e5: ordered by when it was said, so a late retry never overwrites newer truth."""
    conversation = await mem.create_conversation("ada")
    now = datetime.now(UTC)
    for days, city in ((10, "Rome"), (2, "Oslo"), (5, "Lyon")):
        await mem.add_message(
            "ada",
            "user",
            f"I live in {city}.",
            conversation_id=conversation.id,
            created_at=now - timedelta(days=days),
        )
    await mem.digest(conversation.id)

    (fact,) = await mem.list_facts("ada")
    history = await mem.fact_history("ada", fact.id)

    assert fact.content == "Oslo"
    assert [version.content for version in history] == ["Rome", "Lyon", "Oslo"]
    for earlier, later in itertools.pairwise(history):
        assert earlier.valid_to == later.valid_from


async def test_who_vouches_for_a_fact_makes_it_theirs(mem: AsyncTenant) -> None:
    """e5: a person's word is not overruled by a later guess."""
    conversation = await mem.create_conversation("ada")
    await mem.add_message("ada", "user", "My name is Alex", conversation_id=conversation.id)
    await mem.digest(conversation.id)
    (guess,) = await mem.get_active_facts("ada")

    await mem.add_fact("ada", "Alex", category="identity", key="name", actor="user")
    await mem.add_message("ada", "user", "My name is Bob", conversation_id=conversation.id)
    await mem.digest(conversation.id)

    (fact,) = await mem.get_active_facts("ada")
    assert (guess.origin, fact.origin, fact.content) == ("rules", "person", "Alex")
    assert "confirm fact" in {entry.action for entry in (await mem.list_audit("ada")).items}


@pytest.mark.parametrize("where", ["key", "category"])
async def test_a_secret_is_refused_in_a_name_too(mem: AsyncTenant, where: str) -> None:
    """c7"""
    secret = "sk-proj-abcdEFGH1234567890abcdEFGH1234567890"
    named: dict[str, Any] = {"category": "identity", "key": "name", where: secret}

    with pytest.raises(SecretRefusedError):
        await mem.add_fact("ada", "Alex", **named)
    with pytest.raises(SecretRefusedError):
        await mem.set_memory("ada", secret, {})
    with pytest.raises(SecretRefusedError):
        await mem.create_conversation("ada", secret)


async def test_an_agent_finds_facts_by_any_of_their_words_and_its_corrections_have_a_source(
    mem: AsyncTenant,
) -> None:
    """c4, c8"""
    fact = await mem.add_fact("ada", "The user is allergic to peanuts")
    for query in ("peanuts allergic", "allergic", "food with peanuts"):
        found = await mem.manage_user_memory("ada", "search", query=query)
        assert [one["fact_id"] for one in found["facts"]] == [fact.id]

    message = await mem.add_message("ada", "user", "It is walnuts.")
    await mem.manage_user_memory(
        "ada", "update_fact", fact_id=fact.id, content="allergic to walnuts", message_id=message
    )

    (after,) = await mem.get_active_facts("ada")
    assert after.source_message_id == message


async def test_facts_are_listed_by_their_key_and_got_by_their_id(mem: AsyncTenant) -> None:
    home = await mem.add_fact("ada", "Ada lives in Porto", category="identity", key="home")
    await mem.add_fact("ada", "Ada is called Ada", category="identity", key="name")
    await mem.deactivate_fact("ada", home.id)

    assert [fact.key for fact in await mem.list_facts("ada", key="name")] == ["name"]
    assert (await mem.get_fact("ada", home.id)).closed == "deactivated"
    with pytest.raises(MemoryNotFoundError):
        await mem.get_fact("eve", home.id)


async def test_the_trail_of_a_tenant_is_listed_page_by_page(mem: AsyncTenant) -> None:
    """c8"""
    for user_id in ("ada", "eve", "ada"):
        await mem.add_fact(user_id, f"{user_id} likes tea")
    (newest,) = (await mem.list_audit(limit=1)).items

    first = await mem.list_audit(limit=2)
    then = await mem.list_audit(limit=2, cursor=first.next_cursor)
    of_eve = await mem.list_audit("eve")

    assert [entry.user_id for entry in (*first.items, *then.items)] == ["ada", "eve", "ada"]
    assert then.next_cursor is None
    assert [entry.user_id for entry in of_eve.items] == ["eve"]
    assert (await mem.list_audit(after=newest.at)).items == ()
    assert len((await mem.list_audit(after=newest.at - timedelta(days=1))).items) == 3
