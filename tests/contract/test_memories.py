"""c, d: facts, places, the document, the tool and conversations, through every door."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from longterm import InvalidInputError, MemoryNotFoundError, SecretRefusedError
from longterm.client import AsyncClient
from tests.contract.conftest import House


async def test_a_fact_is_known_corrected_and_deleted(mem: AsyncClient, house: House) -> None:
    """c1, d3"""
    fact = await mem.add_fact(
        "ada", "Ada lives in Lisbon", type="identity", category="home", key="city", importance=0.5
    )
    corrected = await mem.update_fact("ada", fact.id, content="Ada lives in Porto")
    pinned = await mem.pin_fact("ada", fact.id)

    assert await mem.get_active_facts("ada") == await house.memory.get_active_facts("ada")
    assert (fact.version, corrected.version, pinned.pinned) == (1, 2, True)
    history = await mem.fact_history("ada", fact.id)
    assert history == await house.memory.fact_history("ada", fact.id)
    assert [one.content for one in history] == ["Ada lives in Lisbon", "Ada lives in Porto"]
    assert await mem.deactivate_fact("ada", fact.id) is True
    assert await mem.deactivate_fact("ada", fact.id) is False
    assert await mem.get_active_facts("ada") == []
    assert await mem.delete_fact("ada", fact.id) is True
    assert await mem.delete_fact("ada", fact.id) is False


async def test_facts_are_filtered(mem: AsyncClient) -> None:
    """d3"""
    liked = await mem.add_fact("ada", "Ada likes tea", type="preference")
    before = datetime.now(UTC)
    old = await mem.add_fact("ada", "Ada sails", category="sport")
    await mem.update_fact("ada", old.id, archived=True)

    async def found(**more: object) -> list[str]:
        return [fact.id for fact in await mem.list_facts("ada", **more)]  # pyright: ignore[reportArgumentType]

    assert await found() == [liked.id]
    assert await found(archived=True) == [old.id]
    assert await found(archived=None) == [liked.id, old.id]
    assert await found(type="preference", pinned=False, text="tea") == [liked.id]
    assert await found(archived=None, as_of=before) == [liked.id]
    assert await found(archived=None, category="sport") == [old.id]


async def test_a_fact_knows_where_it_was_said(mem: AsyncClient) -> None:
    """c1"""
    said = await mem.add_message("ada", "user", "I like tea.")
    conversation = await mem.current_conversation("ada")
    source = {"source_conversation_id": conversation.id, "source_message_id": said}
    fact = await mem.add_fact("ada", "Ada likes tea")

    corrected = await mem.update_fact("ada", fact.id, content="Ada loves tea", **source)  # pyright: ignore[reportArgumentType]

    assert (corrected.source_conversation_id, corrected.source_message_id) == (
        conversation.id,
        said,
    )


async def test_a_source_that_is_not_there_or_of_somebody_else_is_refused(
    mem: AsyncClient,
) -> None:
    """c2"""
    said = await mem.add_message("ada", "user", "I like tea.")
    here = (await mem.current_conversation("ada")).id
    elsewhere = (await mem.create_conversation("ada")).id
    theirs = await mem.add_message("bob", "user", "I like coffee.")
    their_conversation = (await mem.current_conversation("bob")).id
    fact = await mem.add_fact("ada", "Ada likes tea", source_message_id=said)
    refused: list[dict[str, Any]] = [
        {"source_message_id": 2**62},
        {"source_message_id": theirs},
        {"source_conversation_id": uuid4()},
        {"source_conversation_id": their_conversation},
        {"source_conversation_id": elsewhere, "source_message_id": said},
    ]

    for source in refused:
        with pytest.raises(MemoryNotFoundError, match="The source of a fact must be"):
            await mem.add_fact("ada", "Ada likes cake", **source)
        with pytest.raises(MemoryNotFoundError, match="The source of a fact must be"):
            await mem.update_fact("ada", fact.id, content="Ada likes cake", **source)
    answer = await mem.manage_user_memory(
        "ada", "add_fact", content="Ada likes cake", message_id=theirs
    )

    assert (answer["ok"], "source of a fact" in answer["error"]) == (False, True)
    assert [one.content for one in await mem.list_facts("ada")] == ["Ada likes tea"]
    assert fact.source_conversation_id == here


async def test_what_cannot_be_a_fact_is_refused(mem: AsyncClient) -> None:
    """c7"""
    with pytest.raises(SecretRefusedError, match="secret"):
        await mem.add_fact("ada", "My password is hunter2hunter2")
    with pytest.raises(InvalidInputError):
        await mem.add_fact("ada", "x" * 501)
    with pytest.raises(MemoryNotFoundError):
        await mem.update_fact("ada", uuid4(), content="x")
    with pytest.raises(MemoryNotFoundError):
        await mem.fact_history("ada", uuid4())


async def test_memories_are_extracted_on_demand(mem: AsyncClient, house: House) -> None:
    """d5"""
    await mem.add_message("ada", "user", "My name is Ada.")
    conversation = await mem.current_conversation("ada")

    learned = await mem.extract_memories(conversation.id)

    assert learned == await house.memory.extract_memories(conversation.id)
    assert [one.key for one in learned] == ["name"]
    with pytest.raises(MemoryNotFoundError):
        await mem.extract_memories(uuid4())


async def test_places_and_the_document(mem: AsyncClient, house: House) -> None:
    """c3, c4"""
    await mem.add_fact("ada", "Ada likes tea")
    assert await mem.add_poi("ada", "a/home", "Rua Augusta", "Lives there", "c1", 7) == "a/home"
    assert await mem.add_poi_mention("ada", "a/home", "c2", "8") is True
    assert await mem.add_poi_mention("ada", "nowhere", "c2", 8) is False

    assert await mem.add_poi("ada", "gone", "Gone") == "gone"
    assert await mem.delete_poi("ada", "gone") is True
    assert await mem.delete_poi("ada", "gone") is False

    places = await mem.list_places("ada")
    document = await mem.get_user_memory("ada")

    assert places == await house.memory.list_places("ada")
    assert [(place.place_id, place.conversations) for place in places] == [("a/home", 2)]
    assert document == await house.memory.get_user_memory("ada")
    assert list(document.placer_user_datapoints[0].mentioned_in) == ["c1", "c2"]


async def test_the_tool_does_what_an_agent_asks_for(mem: AsyncClient, house: House) -> None:
    """c5, c6"""
    added = await mem.manage_user_memory("ada", "add_fact", content="The user is vegetarian")
    wrong = await mem.manage_user_memory("ada", "update_fact", content="x")

    assert added["ok"] is True
    assert wrong["ok"] is False
    assert wrong["error"]
    assert await mem.manage_user_memory(
        "ada", "search", query="vegetarian"
    ) == await house.memory.manage_user_memory("ada", "search", query="vegetarian")
    for form in ("openai", "anthropic", "json"):
        assert await mem.tool_schema(form) == house.memory.tool_schema(form)


async def test_conversations_are_made_changed_and_deleted(mem: AsyncClient, house: House) -> None:
    """d1"""
    made = await mem.create_conversation(
        "ada", "Lisbon", retention=timedelta(days=2), metadata={"a": 1}
    )
    changed = await mem.update_conversation(
        "ada", made.id, title="Porto", pinned=True, retention="keep"
    )

    assert made.retention_hours == 48
    assert (changed.title, changed.pinned, changed.retention_hours) == ("Porto", True, None)
    assert await mem.get_conversation("ada", made.id) == changed
    assert await house.memory.get_conversation("ada", made.id) == changed
    assert await mem.current_conversation("ada") == changed
    assert await mem.list_episodes(made.id) == []
    assert await mem.delete_conversation("ada", made.id) is True
    assert await mem.delete_conversation("ada", made.id) is False
    assert await mem.list_episodes(made.id) == []
    with pytest.raises(MemoryNotFoundError):
        await mem.get_conversation("ada", made.id)
    with pytest.raises(InvalidInputError):
        await mem.get_conversation("ada", "no id")


async def test_a_conversation_may_have_an_id_that_the_application_chose(
    mem: AsyncClient, house: House
) -> None:
    """d1, a5"""
    chosen = str(uuid4())
    elsewhere = House(house.app, house.url, house.tenant_id + 1_000_000)
    await elsewhere.memory.create_conversation("ada", "theirs", conversation_id=chosen)
    bobs = await house.memory.create_conversation("bob", "his")

    made = await mem.create_conversation("ada", "mine", conversation_id=chosen)
    again = await mem.create_conversation("ada", "again", conversation_id=UUID(chosen))

    assert (made.id, made.title) == (chosen, "mine")
    assert again == made
    with pytest.raises(MemoryNotFoundError, match="no such conversation"):
        await mem.create_conversation("ada", conversation_id=bobs.id)
    with pytest.raises(InvalidInputError, match="conversation_id"):
        await mem.create_conversation("ada", conversation_id="no id")
    assert await house.memory.get_conversation("bob", bobs.id) == bobs


async def test_conversations_come_in_pages(mem: AsyncClient, house: House) -> None:
    """d1"""
    made = [await mem.create_conversation("ada", f"Talk {number}") for number in range(3)]
    await mem.update_conversation("ada", made[0].id, archived=True)

    first = await mem.list_conversations("ada", limit=1)
    second = await mem.list_conversations("ada", limit=1, cursor=first.next_cursor)

    assert first == await house.memory.list_conversations("ada", limit=1)
    assert [first[0].id, second[0].id, second.next_cursor] == [made[2].id, made[1].id, None]
    archived = await mem.list_conversations("ada", archived=True)
    found = await mem.list_conversations("ada", archived=None, search="talk 0")
    assert [one.id for one in archived] == [made[0].id]
    assert found == await house.memory.list_conversations("ada", archived=None, search="talk 0")
    with pytest.raises(InvalidInputError):
        await mem.list_conversations("ada", cursor="nonsense")


async def test_messages_come_in_pages_both_ways(mem: AsyncClient, house: House) -> None:
    """d2"""
    conversation = await mem.create_conversation("ada")
    told = [{"role": "user", "content": str(number)} for number in range(5)]
    ids = await mem.add_messages("ada", conversation.id, told)

    newest = await mem.get_messages(conversation.id, 2)
    older = await mem.get_messages(conversation.id, 2, before=newest.next_cursor)
    newer = await mem.get_messages(conversation.id, 2, after=ids[0])
    around = await mem.get_messages(conversation.id, 3, around=ids[2])

    assert [one.id for one in (*older, *newest)] == ids[1:]
    assert [one.id for one in newer] == ids[1:3]
    assert [one.id for one in around] == ids[1:4]
    same = house.memory
    assert newest == await same.get_messages(conversation.id, 2)
    assert newer == await same.get_messages(conversation.id, 2, after=ids[0])
    assert around == await same.get_messages(conversation.id, 3, around=ids[2])
    with pytest.raises(InvalidInputError):
        await mem.get_messages(conversation.id, before=1, after=1)
    with pytest.raises(MemoryNotFoundError):
        await mem.get_messages(uuid4())
