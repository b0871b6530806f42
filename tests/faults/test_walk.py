"""A worker dies at every single step of learning: nothing is lost, nothing is there twice."""

import asyncio
import itertools
import json
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.memory.operations import Parts
from longterm.postgres import pool
from longterm.postgres.transaction import Conn
from longterm.providers.embedders import Embedders
from longterm.providers.model import Prompt
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime
from tests.outside import Raw

TURNS = 22
tenants = itertools.count(1_500_000_000)
# Others look after their own now and then, on connections that are mortal meanwhile, too.
_learning: ContextVar[bool] = ContextVar("learning", default=False)
STATED = ("My name is Alex.", "I live in Rome.", "I am allergic to peanuts.")


class Death(BaseException):
    """The process is gone; BaseException, because nothing in the product may catch it."""


class Fate:
    """Counts steps, and ends the process at one of them."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.steps = 0
        self._begun: set[int] = set()

    def begin(self) -> None:
        """A transaction, or a call of the model, begins with the next step."""
        if _learning.get():
            self._begun.add(self.steps + 1)

    def worth_dying_at(self) -> list[int]:
        """The first and the last step of each: in between a transaction leaves the same, nothing."""
        ends = {begun - 1 for begun in self._begun} | {self.steps}
        return sorted(step for step in self._begun | ends if 0 < step <= self.steps)

    def step(self) -> None:
        if not _learning.get():
            return
        self.steps += 1
        if self.steps == self.last:
            raise Death


def mortal(fate: Fate) -> type[Conn]:
    """A connection whose process can die before each statement, and so after each commit."""

    class Mortal(Conn):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            fate.begin()

        async def values(self, *args: Any, **params: Any) -> Any:
            fate.step()
            return await super().values(*args, **params)

        async def all(self, *args: Any, **params: Any) -> Any:
            fate.step()
            return await super().all(*args, **params)

        async def first(self, *args: Any, **params: Any) -> Any:
            fate.step()
            return await super().first(*args, **params)

        async def value(self, *args: Any, **params: Any) -> Any:
            fate.step()
            return await super().value(*args, **params)

        async def run(self, *args: Any, **params: Any) -> Any:
            fate.step()
            return await super().run(*args, **params)

    return Mortal


def model(fate: Fate) -> ScriptedModel:
    """A model that finds what is stated; the process can die while it is asked."""

    def answer(prompt: Prompt) -> str:
        fate.begin()
        fate.step()
        if prompt.purpose == "summarise":
            return json.dumps({"summary": "They talked.", "rolling": "They talked on."})
        found: list[dict[str, Any]] = []
        for line in prompt.messages[0].text.splitlines():
            for words, key in zip(STATED, ("name", "home", "allergy"), strict=True):
                if line.endswith(words):
                    number = int(line[1 : line.index("]")])
                    value = words.rstrip(".").split()[-1]
                    found.append(
                        {"message": number, "category": "identity", "key": key, "value": value,
                         "quote": words, "confidence": 1, "importance": 1}
                    )  # fmt: skip
        return json.dumps({"facts": found})

    return ScriptedModel(answer)


async def prepare(mem: AsyncTenant) -> str:
    said = [
        ImportedMessage(role=role, content=words)
        for turn in range(TURNS)
        for role, words in (
            ("user", STATED[turn % 3] if turn % 4 == 0 else f"Turn {turn} of a long talk."),
            ("assistant", "I see."),
        )
    ]
    conversations = [ImportedConversation(messages=said, title="title")]
    await mem.import_messages("ada", conversations)
    return (await mem.list_conversations("ada")).items[0].id


async def outcome(mem: AsyncTenant, raw: Raw, conversation_id: str) -> object:
    """Everything that learning leaves behind."""
    facts = sorted(
        (fact.key, fact.content, fact.said_count) for fact in await mem.list_facts("ada")
    )
    ranges = [(one.turn_start, one.turn_end) for one in await mem.list_episodes(conversation_id)]
    cursor = await raw.execute(
        "SELECT outcome, count(*) FROM ledger JOIN messages ON messages.id = message_id"
        " AND messages.tenant_id = ledger.tenant_id WHERE conversation_id = %s"
        " GROUP BY 1 ORDER BY 1",
        [conversation_id],
    )
    return facts, ranges, await cursor.fetchall()


@pytest.mark.parametrize("with_model", [True, False], ids=["model", "rules"])
async def test_a_worker_killed_at_any_step_leaves_nothing_undone_and_nothing_done_twice(
    runtime: Runtime,
    raw: Raw,
    monkeypatch: pytest.MonkeyPatch,
    with_model: bool,
) -> None:
    """§3, e2: nothing lost between the steps."""

    def parts(fate: Fate) -> Parts:
        # The real embedder would take minutes over all these lives.
        embedder = ScriptedEmbedder()
        return replace(
            runtime.parts,
            model=model(fate) if with_model else None,
            embedders=Embedders(embedder, lambda name: ScriptedEmbedder(name=name)),
        )

    async def learn(tenant_id: int, conversation_id: str, fate: Fate) -> None:
        worker = AsyncTenant(parts(fate), Scope(tenant_id))
        with monkeypatch.context() as patch:
            patch.setattr(pool, "Conn", mortal(fate))
            token = _learning.set(True)
            try:
                await worker.digest(conversation_id)
            finally:
                _learning.reset(token)

    async def one_life(last: int) -> tuple[object, Fate]:
        tenant_id = next(tenants)
        mem = runtime.tenant(Scope(tenant_id))
        conversation_id = await prepare(mem)
        fate = Fate(last)
        try:
            await learn(tenant_id, conversation_id, fate)
        except Death:
            await learn(tenant_id, conversation_id, Fate(0))
        return await outcome(mem, raw, conversation_id), fate

    expected, whole = await one_life(0)
    assert whole.steps > 20
    for last in whole.worth_dying_at():
        came, fate = await one_life(last)
        assert fate.steps >= last
        assert came == expected, f"killed at step {last} of {whole.steps}"


async def test_two_workers_that_race_at_every_step_do_the_work_once(
    runtime: Runtime, raw: Raw
) -> None:
    mem = runtime.tenant(Scope(next(tenants)))
    alone = await prepare(mem)
    await mem.digest(alone)
    expected = await outcome(mem, raw, alone)
    for delay in range(0, 8, 2):
        mem = runtime.tenant(Scope(next(tenants)))
        conversation_id = await prepare(mem)

        async def late(mem: AsyncTenant = mem, id_: str = conversation_id, by: int = delay) -> None:
            await asyncio.sleep(by / 100)
            await mem.digest(id_)

        await asyncio.gather(mem.digest(conversation_id), late())

        assert await outcome(mem, raw, conversation_id) == expected
