"""e7: the thousandth turn costs what the twentieth does: in statements, and in rows read."""

import itertools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, cast

import pytest

from longterm import AsyncTenant
from longterm.postgres.transaction import Conn
from longterm.providers.embedders import Embedders
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime

tenants = itertools.count(1_800_000_000)


class Bill:
    """What was asked of the database."""

    def __init__(self) -> None:
        self.statements = 0
        self.rows = 0

    @contextmanager
    def count(self, patch: pytest.MonkeyPatch) -> Generator[None]:
        """Count what is asked here, inside of transactions and outside, and by tasks begun here."""
        for kind, name in (
            (Conn, "all"),
            (Conn, "values"),
            (Conn, "first"),
            (Conn, "value"),
            (Conn, "run"),
        ):
            patch.setattr(kind, name, _counted(getattr(kind, name)))
        token = paying.set(self)
        yield
        paying.reset(token)

    def add(self, found: Any) -> None:
        self.statements += 1
        self.rows += len(cast("list[Any]", found)) if isinstance(found, list) else 1


# Tasks of the process that look after other things meanwhile were begun without it.
paying: ContextVar[Bill | None] = ContextVar("paying", default=None)


def _counted(ask: Callable[..., Any]) -> Callable[..., Any]:
    async def asked(*args: Any, **params: Any) -> Any:
        found = await ask(*args, **params)
        if bill := paying.get():
            bill.add(found)
        return found

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
        """The least of three turns up to this one: a slow answer is stored more than once."""
        await self.go_on(number - 4)
        # The first one tells the conversation what is known.
        await self._mem.chat("ada", "Which path was it?", conversation_id=self._id)
        bills = [await self._bill() for _ in range(3)]
        (newest, *_) = await self._mem.get_conversation_history("ada", limit=1)
        assert newest.turn == number
        self._turns = number
        return min(bills, key=lambda bill: bill.statements)

    async def _bill(self) -> Bill:
        bill = Bill()
        with self._patch.context() as patch, bill.count(patch):
            reply = await self._mem.chat("ada", "Where did I walk?", conversation_id=self._id)
        assert reply.error is None
        return bill


async def test_turn_1000_asks_the_database_for_no_more_than_turn_20(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = await Walks(runtime, monkeypatch).cost_of_turn(20)
    long = Walks(runtime, monkeypatch)
    late, later = [await long.cost_of_turn(number) for number in (1000, 1200)]

    assert early.statements > 5
    # One more looks up hits that only one of the two searches found.
    assert late.statements <= early.statements + 1
    assert later.statements <= early.statements + 1
    # A search takes its candidates from all there is, up to a number that does not grow.
    assert later.rows <= 1.1 * late.rows
