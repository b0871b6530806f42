"""How often a request waits for the database: what it asks for costs less than the waiting."""

import itertools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from longterm import AsyncTenant, Settings
from longterm.api.app import create_app
from longterm.memory import answering
from longterm.providers.scripted import ScriptedModel
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from tests.api.conftest import House

_tenants = itertools.count(1)
# Some look after what others do, now and then: only what the request sets off is counted.
_counted: ContextVar[list[None] | None] = ContextVar("counted", default=None)

Trips = Callable[[Coroutine[Any, Any, Any]], Coroutine[Any, Any, int]]


@pytest.fixture(scope="module")
async def own_app(new_database: Callable[[str], str]) -> AsyncIterator[FastAPI]:
    """An application of which nobody was refused anything.

    After a rollback a connection has to prepare everything anew: what other tests leave costs
    some round trips more.
    """
    settings = Settings(database_url=new_database("round_trips"), worker=False)
    made = create_app(Runtime(settings))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
def house(own_app: FastAPI) -> House:
    return House(own_app, next(_tenants))


@pytest.fixture
def trips(house: House, monkeypatch: pytest.MonkeyPatch) -> Trips:
    """Counts the waits of the driver, until what is done beside is done, too."""
    wait = psycopg.AsyncConnection[Any].wait

    async def counting(conn: psycopg.AsyncConnection[Any], *args: Any, **kwargs: Any) -> Any:
        if (seen := _counted.get()) is not None:
            seen.append(None)
        return await wait(conn, *args, **kwargs)

    async def count(asking: Coroutine[Any, Any, Any]) -> int:
        seen: list[None] = []
        token = _counted.set(seen)
        await asking
        _counted.reset(token)
        await house.runtime.parts.aside.finish()
        return len(seen)

    monkeypatch.setattr(psycopg.AsyncConnection, "wait", counting)
    # While an answer takes long, it is looked whether somebody wants it to stop.
    monkeypatch.setattr(answering, "_LOOK_EVERY_S", 3600.0)
    return count


@pytest.fixture
async def talk(house: House) -> str:
    """A conversation that is indexed, of somebody of whom something is known."""
    mem = house.memory
    talk = await mem.create_conversation("ada")
    said = [{"role": "user", "content": f"I walked along path {number}."} for number in range(12)]
    await mem.add_messages("ada", talk.id, said)
    await mem.add_fact("ada", "Ada likes walking.", importance=0.9)
    await mem.add_poi("ada", "cafe", "The café")
    await mem.digest(talk.id)
    await mem.embed("ada")
    return talk.id


async def test_a_request_waits_for_the_database_a_few_times(
    house: House, talk: str, trips: Trips
) -> None:
    body = {"user_id": "ada", "conversation_id": talk}
    async with await house.client("app") as http:
        requests = {
            # Seven transactions with their statements: the key, the question, what is known, both
            # searches, the answer, and in the background the use of facts.
            "/api/chat": (29, lambda: http.post("/api/chat", json={**body, "message": "Where?"})),
            # The key, the search by words, the search by meaning, the use of facts.
            "/api/recall": (18, lambda: http.post("/api/recall", json={**body, "query": "Where?"})),
            "/messages": (6, lambda: http.get(f"/api/conversations/{talk}/messages", params=body)),
        }
        for most, ask in requests.values():
            # What is new to a connection is prepared, and the key is known.
            await ask()
            assert await trips(_good(ask())) <= most


async def _good(asking: Coroutine[Any, Any, httpx.Response]) -> None:
    assert (await asking).status_code == 200


async def test_an_answer_of_a_model_takes_a_few_round_trips_more(
    house: House, talk: str, trips: Trips
) -> None:
    mem = answered_by(house, ScriptedModel(lambda _: "You walked along a path."))
    await mem.chat("ada", "Where?", conversation_id=talk)

    # Without the three of the key; three more transactions: the prompt, the budget, the usage.
    assert await trips(mem.chat("ada", "Where?", conversation_id=talk)) <= 29 + 10


async def test_what_has_come_of_an_answer_is_written_down_in_three_round_trips(
    house: House, talk: str, trips: Trips, monkeypatch: pytest.MonkeyPatch
) -> None:
    """d4"""
    # At every word.
    monkeypatch.setattr(answering, "_SAVE_EVERY_S", 0.0)
    mem = answered_by(
        house, ScriptedModel(["Hello!", "one two three four", "one two three four five"])
    )
    # The first one tells the conversation what is known.
    await mem.chat("ada", "Hello?", conversation_id=talk)

    four = await trips(mem.chat("ada", "Where?", conversation_id=talk))
    five = await trips(mem.chat("ada", "Where?", conversation_id=talk))

    assert five - four == 3


def answered_by(house: House, model: ScriptedModel) -> AsyncTenant:
    return AsyncTenant(replace(house.runtime.parts, model=model), Scope(house.tenant_id))
