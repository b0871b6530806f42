"""e7: the thousandth turn costs what the twentieth does: in statements, and in rows read."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime
from longterm.store.database import Conn
from longterm.store.reads import Reads

tenants = itertools.count(1_700_000_000)


class Bill:
    """What was asked of the database."""

    def __init__(self) -> None:
        self.statements = 0
        self.rows = 0

    def count(self, patch: pytest.MonkeyPatch) -> None:
        """Count what is asked from now on, inside of transactions and outside."""
        for kind, name, add in (
            (Reads, "all", self.add),
            (Reads, "values", self.add),
            (Reads, "first", self.add_one),
            (Reads, "value", self.add_one),
            (Conn, "run", self.add_one),
        ):
            patch.setattr(kind, name, _counted(getattr(kind, name), add))

    def add(self, found: list[Any]) -> list[Any]:
        self.statements += 1
        self.rows += len(found)
        return found

    def add_one(self, found: Any) -> Any:
        self.statements += 1
        self.rows += 1
        return found


def _counted(ask: Callable[..., Any], add: Callable[[Any], Any]) -> Callable[..., Any]:
    async def asked(*args: Any, **params: Any) -> Any:
        return add(await ask(*args, **params))

    return asked


async def talked(mem: AsyncTenant, turns: int) -> str:
    """A conversation of so many turns, of which everything was learned that there is to learn."""
    said = [
        ImportedMessage(role=role, content=f"{words} number {turn % 17}.")
        for turn in range(turns)
        for role, words in (("user", "I walked along path"), ("assistant", "You walked path"))
    ]
    await mem.import_messages("ada", [ImportedConversation(messages=said, title="walks")])
    conversation_id = (await mem.list_conversations("ada")).items[0].id
    await mem.digest(conversation_id)
    return conversation_id


async def cost_of_turn(number: int, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Bill:
    # The real embedder would take a minute over a thousand turns.
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    model = ScriptedModel(lambda _: "You like walking.")
    scope = Scope(next(tenants))
    offline = AsyncTenant(replace(runtime.parts, embedders=embedders), scope)
    conversation_id = await talked(offline, number - 2)
    mem = AsyncTenant(replace(runtime.parts, embedders=embedders, model=model), scope)
    # The first one tells the conversation what is known.
    await mem.chat("ada", "Which path was it?", conversation_id=conversation_id)
    bill = Bill()
    with monkeypatch.context() as patch:
        bill.count(patch)
        reply = await mem.chat("ada", "Where did I walk?", conversation_id=conversation_id)
    (newest, *_) = await mem.get_conversation_history("ada", limit=1)
    assert (reply.error, newest.turn) == (None, number)
    return bill


async def test_turn_1000_asks_the_database_for_no_more_than_turn_20(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    early, late, later = [
        await cost_of_turn(number, runtime, monkeypatch) for number in (20, 1000, 1200)
    ]

    assert early.statements > 5
    # One more looks up hits that only one of the two searches found: early on, both find all.
    assert late.statements <= early.statements + 1
    # And one may look meanwhile whether somebody was forgotten.
    assert later.statements <= late.statements + 1
    # A search takes its candidates from all there is, up to a number that does not grow.
    assert later.rows <= 1.1 * late.rows
