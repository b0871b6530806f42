"""Records from the database are what their constructor makes, though it is not called."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.records.message import Message, ShownMessage
from longterm.records.used import Used


async def test_a_record_is_like_one_that_was_constructed(mem: AsyncTenant) -> None:
    reply = await mem.chat("ada", "Hello.")
    answer = (await mem.get_messages(reply.conversation_id or "")).items[-1]
    used = answer.used

    assert (type(answer), type(used)) == (ShownMessage, Used)
    assert used is not None
    members: dict[str, Any] = {**asdict(answer), "used": Used(**asdict(used))}
    constructed = ShownMessage(**members)
    assert (answer, repr(answer)) == (constructed, repr(constructed))
    assert replace(answer, name="Ada").name == "Ada"
    assert copy.deepcopy(answer) == pickle.loads(pickle.dumps(answer)) == answer


async def test_a_record_can_not_be_changed(mem: AsyncTenant) -> None:
    await mem.add_message("ada", "user", "Hello.")
    (message,) = await mem.get_recent_messages("ada")

    assert type(message) is Message
    with pytest.raises(FrozenInstanceError):
        setattr(message, "content", "Something else.")  # noqa: B010
    with pytest.raises(FrozenInstanceError):
        delattr(message, "content")
