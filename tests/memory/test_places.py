"""c2, c3: places that matter to a user, and the document over facts and places."""

import asyncio
import json

import pytest

from longterm import AsyncTenant, InvalidInputError


async def test_add_poi(mem: AsyncTenant) -> None:
    """c2"""
    place_id = await mem.add_poi("ada", "home", "Home", "123 Main St", "conversation 1", "17")

    (place,) = await mem.list_places("ada")

    assert place_id == "home"
    assert (place.place_name, place.notes) == ("Home", "123 Main St")
    assert [(m.conversation_id, m.message_id) for m in place.mentions] == [("conversation 1", "17")]


async def test_add_poi_mention(mem: AsyncTenant) -> None:
    """c2"""
    await mem.add_poi("ada", "gym", "Gym")

    assert await mem.add_poi_mention("ada", "gym", "c1", "m1") is True
    assert await mem.add_poi_mention("ada", "gym", "c1", "m1") is True
    assert await mem.add_poi_mention("ada", "gym", "c2", "m2") is True
    assert await mem.add_poi_mention("ada", "nowhere", "c1", "m1") is False
    assert await mem.add_poi_mention("bob", "gym", "c1", "m1") is False

    (place,) = await mem.list_places("ada")
    assert [m.message_id for m in place.mentions] == ["m1", "m2"]


async def test_a_place_is_corrected_and_keeps_its_mentions(mem: AsyncTenant) -> None:
    """d8"""
    await mem.add_poi("ada", "home", "Home", "123 Main St", "c1", "m1")

    await mem.add_poi("ada", "home", "Old home")
    (kept,) = await mem.list_places("ada")
    await mem.add_poi("ada", "home", "Old home", "")
    (emptied,) = await mem.list_places("ada")

    assert (kept.place_name, kept.notes) == ("Old home", "123 Main St")
    assert (emptied.notes, len(emptied.mentions)) == (None, 1)


async def test_a_deleted_place_leaves_nothing_but_that_it_was_deleted(mem: AsyncTenant) -> None:
    """d8"""
    await mem.add_poi("ada", "grandma's", "Grandma's house", "Elm St 5", "c1", "m1")
    await mem.add_poi("bob", "grandma's", "Grandma's house")

    assert await mem.delete_poi("ada", "grandma's") is True
    assert await mem.delete_poi("ada", "grandma's") is False

    assert await mem.list_places("ada") == []
    assert len(await mem.list_places("bob")) == 1
    (entry,) = await mem.list_audit("ada")
    assert entry.action == "delete place"
    assert "grandma" not in repr(entry).lower()


async def test_the_document_has_the_shape_of_schema_1_0(mem: AsyncTenant) -> None:
    """c2: get_memory"""
    kept = await mem.add_fact("ada", "The user likes tea")
    gone = await mem.add_fact("ada", "The user lives in Rome")
    await mem.deactivate_fact("ada", gone.id)
    await mem.add_poi("ada", "home", "Home", None, "c1", "m1")
    await mem.add_poi_mention("ada", "home", "c1", "m2")

    document = (await mem.get_user_memory("ada")).to_dict()

    assert json.loads(json.dumps(document))
    assert [(fact["id"], fact["is_active"]) for fact in document["facts"]] == [
        (kept.id, True),
        (gone.id, False),
    ]
    assert set(document["facts"][0]) == {
        "id",
        "content",
        "added_at",
        "source_conversation_id",
        "source_message_id",
        "source_gone",
        "is_active",
    }
    (place,) = document["placer_user_datapoints"]
    assert [message_id for message_id, _ in place["mentioned_in"]["c1"]] == ["m1", "m2"]
    metadata = document["metadata"]
    assert metadata["schema_version"] == "1.0"
    assert metadata["total_facts"] == 2
    assert metadata["total_active_facts"] == 1
    assert metadata["total_pois"] == 1
    assert metadata["token_count"] == kept.tokens + gone.tokens + 1
    assert metadata["last_updated"]


async def test_the_document_of_somebody_unknown_is_empty(mem: AsyncTenant) -> None:
    document = await mem.get_user_memory("nobody")

    assert document.facts == []
    assert document.placer_user_datapoints == []
    assert document.metadata.token_count == 0


async def test_two_writers_at_once_lose_nothing(mem: AsyncTenant) -> None:
    """c3"""
    await asyncio.gather(
        *(mem.add_fact("ada", f"fact {number}") for number in range(20)),
        *(mem.add_poi("ada", f"place {number}", "Place") for number in range(20)),
    )

    metadata = (await mem.get_user_memory("ada")).metadata
    assert (metadata.total_active_facts, metadata.total_pois) == (20, 20)


@pytest.mark.parametrize(("place_id", "name"), [("", "Home"), ("home", " "), ("x" * 256, "Home")])
async def test_a_place_needs_an_id_and_a_name(mem: AsyncTenant, place_id: str, name: str) -> None:
    with pytest.raises(InvalidInputError):
        await mem.add_poi("ada", place_id, name)
