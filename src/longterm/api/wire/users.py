"""Key-value memory and state of a user as JSON."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from longterm.api.wire.shapes import In, Out, example
from longterm.errors import MemoryNotFoundError
from longterm.records.json import JsonObject
from longterm.records.state import ACTIVE, UserState


class NewValue(In):
    """A JSON object to keep beneath a key."""

    model_config = example(value={"language": "en", "expertise_level": "intermediate"})

    value: dict[str, Any]


class KeyValue(Out):
    """A key of a user, and the JSON object beneath it."""

    key: str
    value: dict[str, Any]


class KeptValue(KeyValue):
    """A key of a user that was set, with its number."""

    id: int


class UserMemory(KeyValue):
    """A key of a user with its JSON object, and when it was set."""

    id: int
    tenant_id: int | None
    user_id: str
    updated_at: datetime


class Deleted(Out):
    """How many went."""

    deleted: int


class NewState(In):
    """A mode for a user."""

    model_config = example(mode="halted")

    mode: Annotated[str, Field(min_length=1, max_length=255, examples=["active", "halted"])]


class State(Out):
    """The mode of a user; one for whom none was set counts as `active`."""

    tenant_id: int | None
    user_id: str
    mode: str
    updated_at: datetime | None


def beneath(key: str, value: JsonObject | None) -> KeyValue:
    """Translate what is beneath a key."""
    if value is None:
        raise MemoryNotFoundError("This user has no memory beneath that key.")
    return KeyValue(key=key, value=dict(value))


def state_of(tenant_id: int | None, user_id: str, state: UserState | None) -> State:
    """Translate a state, or that there is none."""
    if state is None:
        return State(tenant_id=tenant_id, user_id=user_id, mode=ACTIVE, updated_at=None)
    return State.of(state)
