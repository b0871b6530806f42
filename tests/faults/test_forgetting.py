"""§3 Yours: whoever is forgotten while a worker learns from them does not come back."""

import asyncio
import itertools
import json
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import pytest

from longterm import AsyncTenant
from longterm.postgres import pool
from longterm.postgres.transaction import Conn
from longterm.providers.embedders import Embedders
from longterm.providers.model import Prompt, ToolCall
from longterm.providers.scripted import Line, ScriptedEmbedder, ScriptedModel
from longterm.records.scope import Scope
from longterm.records.transfer import ImportedConversation, ImportedMessage
from longterm.runtime import Runtime
from tests.outside import Raw, rows_of, somebody_waits

WAYS = [("user", 1), ("message", 1), ("rewind", 1), ("user", 24), ("rewind", 24), ("message", 24)]
tenants = itertools.count(1_700_000_000)
# Others look after their own now and then, beside which nothing else is to happen.
_working: ContextVar[bool] = ContextVar("working", default=False)


class Interruption:
    """Begins something at one step of the worker, and lets the worker go on a moment later."""

    def __init__(self, at: int, raw: Raw) -> None:
        self.at = at
        self._raw = raw
        self.steps = 0
        self.begin: Any = None
        self.begun: asyncio.Task[Any] | None = None
        self.counts = True

    async def step(self) -> None:
        if asyncio.current_task() is self.begun or not self.counts or not _working.get():
            return
        self.steps += 1
        if self.steps == self.at:
            self.begun = asyncio.create_task(self.begin())
            # It is done then, or waits for the transaction that the worker is in.
            while not self.begun.done() and not await somebody_waits(self._raw):
                await asyncio.wait([self.begun], timeout=0.002)


def interrupted(by: Interruption) -> type[Conn]:
    """A connection that something else happens beside."""

    class Beside(Conn):
        async def all(self, *args: Any, **params: Any) -> Any:
            await by.step()
            return await super().all(*args, **params)

        async def first(self, *args: Any, **params: Any) -> Any:
            await by.step()
            return await super().first(*args, **params)

        async def value(self, *args: Any, **params: Any) -> Any:
            await by.step()
            return await super().value(*args, **params)

        async def values(self, *args: Any, **params: Any) -> Any:
            await by.step()
            return await super().values(*args, **params)

        async def run(self, *args: Any, **params: Any) -> Any:
            await by.step()
            return await super().run(*args, **params)

    return Beside


def repeating(prompt: Prompt) -> str:
    """A model that repeats what it reads: whatever is made of it holds the secret."""
    told = prompt.messages[0].text
    secret = "Zqsecret" if "Zqsecret" in told else "nothing"
    if prompt.purpose == "summarise":
        return json.dumps({"summary": f"Of {secret}.", "rolling": f"Of {secret} too."})
    if prompt.purpose == "title":
        return f"About {secret}"
    found: list[dict[str, Any]] = []
    for line in told.splitlines():
        if line.endswith("My name is Zqsecret."):
            found.append(
                {"message": int(line[1 : line.index("]")]), "category": "identity", "key": "name",
                 "value": "Zqsecret", "quote": "My name is Zqsecret.", "confidence": 1,
                 "importance": 1}
            )  # fmt: skip
    return json.dumps({"facts": found})


@pytest.mark.parametrize(("what", "turns"), WAYS)
async def test_a_worker_in_the_middle_of_learning_brings_nothing_back(
    runtime: Runtime, raw: Raw, monkeypatch: pytest.MonkeyPatch, what: str, turns: int
) -> None:
    embedders = Embedders(ScriptedEmbedder(), lambda name: ScriptedEmbedder(name=name))
    parts = replace(runtime.parts, model=ScriptedModel(repeating), embedders=embedders)

    async def one_life(at: int) -> int:
        tenant_id = next(tenants)
        mem = AsyncTenant(parts, Scope(tenant_id))
        said = [
            ImportedMessage(role=role, content=words, name="Zqsecret" if turn == 0 else None)
            for turn in range(turns)
            for role, words in (
                ("user", "My name is Zqsecret." if turn == 0 else f"Turn {turn}."),
                ("assistant", "I see."),
            )
        ]
        made = await mem.import_messages("zqada", [ImportedConversation(messages=said)])
        (id_,) = made.conversation_ids
        first = (await mem.get_messages(id_, 1000)).items[0].id
        if what == "message":
            # The assistant's name of the same turn is the secret as well.
            await mem.forget_message("zqada", (await mem.get_messages(id_, 1000)).items[1].id)

        async def forget() -> None:
            if what == "user":
                await mem.forget_user("zqada")
            elif what == "message":
                await mem.forget_message("zqada", first)
            else:
                await mem.rewind("zqada", first)

        interruption = Interruption(at, raw)
        interruption.begin = forget
        with monkeypatch.context() as patch:
            patch.setattr(pool, "Conn", interrupted(interruption))
            token = _working.set(True)
            await asyncio.wait([asyncio.create_task(mem.digest(id_))])
            _working.reset(token)
        if interruption.begun is None:
            return 0
        await interruption.begun
        # What failed because of it is tried again.
        await mem.digest(id_)
        left = {table: rows for table, rows in (await rows_of(raw, tenant_id)).items() if rows}
        assert "secret" not in repr(left), f"forgotten at step {at}"
        if what == "user":
            assert left.keys() <= {"forgettings", "generations", "tenants", "usage"}
        return interruption.steps

    # Not every step, but other ones for each: all of them would take minutes.
    every = 4 if turns == 1 else 11
    at = 1 + WAYS.index((what, turns)) % every
    while await one_life(at):
        at += every
    assert at > 12


CALLS: dict[str, dict[str, str]] = {
    "message": {"operation": "add_fact", "content": "is called Zqsecret"},
    "user": {"operation": "add_poi", "place_id": "Zqsecret", "place_name": "Zqsecret"},
    "conversation": {"operation": "update_fact", "content": "is called Zqsecret"},
}


@pytest.mark.parametrize("what", CALLS)
async def test_a_model_that_writes_at_this_moment_brings_nothing_back(
    runtime: Runtime, raw: Raw, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Whether its question is there is asked in the transaction that writes."""
    written: list[bool] = []

    async def one_life(at: int) -> int:
        tenant_id, interruption = next(tenants), Interruption(at, raw)
        interruption.counts = False
        known = await AsyncTenant(runtime.parts, Scope(tenant_id)).add_fact("zqada", "is a person")
        call = json.dumps({**CALLS[what], **({"fact_id": known.id} if "con" in what else {})})

        def answer(prompt: Prompt) -> Line:
            # Only what the tool does is interrupted: the first answer asks for it.
            interruption.counts = prompt.messages[-1].by == "user"
            if not interruption.counts:
                return Line(text="Done.")
            name = "manage_user_memory"
            return Line(tool_calls=(ToolCall(id="1", name=name, arguments=call),))

        mem = AsyncTenant(replace(runtime.parts, model=ScriptedModel(answer)), Scope(tenant_id))
        place = (await mem.create_conversation("zqada")).id

        async def forget() -> None:
            if what == "user":
                await mem.forget_user("zqada")
            elif what == "conversation":
                await mem.forget_conversation("zqada", place)
            else:
                # With its answer, which on a slow machine may be stored before the question is locked.
                asked = (await mem.get_messages(place)).items[0]
                await mem.rewind("zqada", asked.id)

        interruption.begin = forget
        with monkeypatch.context() as patch:
            patch.setattr(pool, "Conn", interrupted(interruption))
            token = _working.set(True)
            reply = await mem.chat("zqada", "Do you remember?", conversation_id=place)
            _working.reset(token)
        written.append(reply.tools[0].result["ok"] is True)
        if interruption.begun is None:
            return 0
        await interruption.begun
        left = {table: rows for table, rows in (await rows_of(raw, tenant_id)).items() if rows}
        assert "secret" not in repr(left), f"forgotten at step {at}"
        return interruption.steps

    at = 1
    while await one_life(at):
        at += 1
    # Some were refused, some were written and went with the question.
    assert at > 4
    assert set(written) == {True, False}
