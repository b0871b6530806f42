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

tenants = itertools.count(1_800_000_000)


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


class Walks:
    """A conversation, of which everything was learned that there is to learn."""

    def __init__(self, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        # The real embedder would take a minute over a thousand turns.
        embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
        model = ScriptedModel(lambda _: "You like walking.")
        scope = Scope(next(tenants))
        self._patch = monkeypatch
        self._offline = AsyncTenant(replace(runtime.parts, embedders=embedders), scope)
        self._mem = AsyncTenant(replace(runtime.parts, embedders=embedders, model=model), scope)
        self._id = ""
        self._turns = 0

    async def go_on(self, through: int) -> None:
        """Let there be so many turns."""
        said = [
            ImportedMessage(role=role, content=f"{words} number {turn % 17}.")
            for turn in range(self._turns, through)
            for role, words in (("user", "I walked along path"), ("assistant", "You walked path"))
        ]
        if not self._id:
            talk = ImportedConversation(messages=said, title="walks")
            (self._id,) = (await self._mem.import_messages("ada", [talk])).conversation_ids
        else:
            told = [{"role": one.role, "content": one.content} for one in said]
            await self._mem.add_messages("ada", self._id, told)
        await self._offline.digest(self._id)
        self._turns = through

    async def cost_of_turn(self, number: int) -> Bill:
        await self.go_on(number - 2)
        # The first one tells the conversation what is known.
        await self._mem.chat("ada", "Which path was it?", conversation_id=self._id)
        bill = Bill()
        with self._patch.context() as patch:
            bill.count(patch)
            reply = await self._mem.chat("ada", "Where did I walk?", conversation_id=self._id)
        (newest, *_) = await self._mem.get_conversation_history("ada", limit=1)
        assert (reply.error, newest.turn) == (None, number)
        self._turns = number
        return bill


async def test_turn_1000_asks_the_database_for_no_more_than_turn_20(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = await Walks(runtime, monkeypatch).cost_of_turn(20)
    long = Walks(runtime, monkeypatch)
    late, later = [await long.cost_of_turn(number) for number in (1000, 1200)]

    assert early.statements > 5
    # One more looks up hits that only one of the two searches found: early on, both find all.
    assert late.statements <= early.statements + 1
    # And one may look meanwhile whether somebody was forgotten.
    assert later.statements <= late.statements + 1
    # A search takes its candidates from all there is, up to a number that does not grow.
    assert later.rows <= 1.1 * late.rows
