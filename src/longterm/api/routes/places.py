"""Places that matter to a user."""

from typing import Annotated

from fastapi import APIRouter, Path

from longterm.api.people import Anybody, UserOfQuery
from longterm.api.wire.places import NewMention, NewPlace, Place, PlaceId
from longterm.api.wire.shapes import Items, there

router = APIRouter(prefix="/api/places", tags=["places"])

Which = Annotated[str, Path(min_length=1, max_length=255, examples=["home"])]


@router.get("")
async def list_places(user: UserOfQuery) -> Items[Place]:
    """List the places of a user with their mentions, oldest first."""
    return Items[Place].all(await user.memory.list_places(user.id))


@router.post("", status_code=201)
async def create_place(new: NewPlace, asked: Anybody) -> PlaceId:
    """Remember a place, with its first mention, or correct one; secrets are refused."""
    user = asked.of(new.user_id)
    place_id = await user.memory.add_poi(
        user.id,
        new.place_id,
        new.place_name,
        new.notes,
        new.conversation_id,
        new.message_id,
        actor=new.actor,
    )
    return PlaceId(place_id=place_id)


@router.delete("/{place_id:path}", status_code=204)
async def delete_place(place_id: Which, user: UserOfQuery) -> None:
    """Delete a place with its mentions."""
    there(await user.memory.delete_poi(user.id, place_id))


@router.post("/{place_id:path}/mentions", status_code=201)
async def add_mention(
    place_id: Which,
    new: NewMention,
    asked: Anybody,
) -> PlaceId:
    """Note where a place was spoken of."""
    user = asked.of(new.user_id)
    there(await user.memory.add_poi_mention(user.id, place_id, new.conversation_id, new.message_id))
    return PlaceId(place_id=place_id)
