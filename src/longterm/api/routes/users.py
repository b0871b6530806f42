"""Key-value memory and state of a user."""

from typing import Annotated

from fastapi import APIRouter, Path

from longterm.api.people import UserOfPath
from longterm.api.wire.shapes import Items
from longterm.api.wire.users import (
    Deleted,
    KeptValue,
    KeyValue,
    NewState,
    NewValue,
    State,
    UserMemory,
    beneath,
    state_of,
)

router = APIRouter(prefix="/api/users/{user_id}", tags=["users"])

Key = Annotated[str, Path(min_length=1, max_length=255, examples=["preferences"])]


@router.get("/memory")
async def list_user_memory(user: UserOfPath) -> Items[UserMemory]:
    """List every key of a user with its JSON object, by key."""
    return Items[UserMemory].all(await user.memory.get_all_memory(user.id))


@router.delete("/memory")
async def clear_user_memory(user: UserOfPath) -> Deleted:
    """Delete every key of a user."""
    return Deleted(deleted=await user.memory.clear_all_memory(user.id))


@router.get("/memory/{key:path}")
async def get_user_memory(key: Key, user: UserOfPath) -> KeyValue:
    """Return the JSON object beneath a key."""
    return beneath(key, await user.memory.get_memory(user.id, key))


@router.put("/memory/{key:path}")
async def set_user_memory(key: Key, new: NewValue, user: UserOfPath) -> KeptValue:
    """Keep a JSON object beneath a key, in place of the one that is there; secrets are refused."""
    id_ = await user.memory.set_memory(user.id, key, new.value)
    return KeptValue(id=id_, key=key, value=new.value)


@router.delete("/memory/{key:path}", status_code=204)
async def delete_user_memory(key: Key, user: UserOfPath) -> None:
    """Delete a key."""
    await user.memory.delete_memory(user.id, key)


@router.get("/state")
async def get_user_state(user: UserOfPath) -> State:
    """Return the mode of a user; one for whom none was set counts as `active`."""
    return state_of(user.tenant_id, user.id, await user.memory.get_user_state(user.id))


@router.put("/state")
async def set_user_state(new: NewState, user: UserOfPath) -> State:
    """Set the mode of a user, such as `active` or `halted`."""
    await user.memory.set_user_state(user.id, new.mode)
    return state_of(user.tenant_id, user.id, await user.memory.get_user_state(user.id))


@router.delete("/state", status_code=204)
async def delete_user_state(user: UserOfPath) -> None:
    """Delete the mode; the user counts as active again."""
    await user.memory.delete_user_state(user.id)
