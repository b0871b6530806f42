"""b8 over HTTP: the model hangs, refuses, fails or breaks off; nothing is lost, nobody waits for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import psycopg
import pytest

from tests.faults.talking import HANG_S, events
from tests.journeys.programs import StartServer, starting_servers
from tests.providers import vendor_server
from tests.providers.shapes import Says
from tests.providers.vendor_server import (
    Behaviour,
    Cut,
    CutAtOnce,
    Pause,
    Request,
    Status,
    VendorServer,
)
from tests.store.embedded_processes import only_linux

pytestmark = [only_linux, pytest.mark.xdist_group("heavy"), pytest.mark.timeout(600)]

# Long enough for others to be answered meanwhile, on however busy a machine.
PATIENCE_S = 10
HANGING = 12
FACTS = '{"facts": []}'
KEPT = "SELECT content FROM longterm.messages WHERE user_id = %s AND role = 'user' ORDER BY id"
WAITING = "SELECT count(*) FROM longterm.jobs WHERE task = 'learn'"


class Moods:
    """A vendor that behaves towards each message as the message asks for."""

    def __init__(self) -> None:
        self.is_away = False

    def choose(self, request: Request) -> Behaviour | None:
        chat = bool(request.body.get("stream"))
        if self.is_away:
            return Status(500)
        if not chat:
            return Says(text=FACTS)
        said = str(request.body["messages"][-1]["content"])
        for word, behaviour in MOODS.items():
            if word in said:
                return behaviour
        return None


MOODS: dict[str, Behaviour] = {
    "hang": Pause(600),
    "break off": Cut(),
    "refuse": CutAtOnce(),
    "fail": Status(500),
}


@pytest.fixture(scope="module")
async def vendor() -> AsyncIterator[VendorServer]:
    async with vendor_server.running() as running:
        yield running


@pytest.fixture(scope="module")
def database(new_database: Callable[[str], str]) -> str:
    return new_database("model_outage")


@pytest.fixture(scope="module")
def start() -> Iterator[StartServer]:
    yield from starting_servers()


@pytest.fixture(scope="module")
async def url(
    start: StartServer,
    vendor: VendorServer,
    database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    server = start(
        *("serve", "--port", "0", "--database-url", database),
        log=tmp_path_factory.mktemp("model") / "server.log",
        LONGTERM_LLM="openai-compatible:test",
        LONGTERM_LLM_BASE_URL=f"{vendor.url}/v1",
        LONGTERM_LLM_API_KEY="none",
        LONGTERM_LLM_TIMEOUT_S=str(PATIENCE_S),
        LONGTERM_LLM_PAUSE_S="0",
    )
    return await asyncio.to_thread(server.url)


@pytest.fixture
async def http(url: str) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=url, timeout=3 * HANG_S, limits=limits) as client:
        yield client


@pytest.fixture
def moods(vendor: VendorServer) -> Moods:
    made = Moods()
    vendor.choose = made.choose
    return made


async def ask(http: httpx.AsyncClient, user: str, message: str) -> dict[str, Any]:
    answer = await http.post("/api/chat", json={"user_id": user, "message": message})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def messages(
    http: httpx.AsyncClient, user: str, conversation_id: str
) -> list[dict[str, Any]]:
    path = f"/api/conversations/{conversation_id}/messages"
    return (await http.get(path, params={"user_id": user})).json()["items"]


async def test_a_model_that_hangs_for_some_keeps_nobody_else_waiting(
    http: httpx.AsyncClient, moods: Moods
) -> None:
    # What is loaded for the first of all keeps others waiting.
    await ask(http, "first", "hello")
    hanging = [
        asyncio.create_task(ask(http, f"patient {number}", "please hang"))
        for number in range(HANGING)
    ]
    others = await asyncio.gather(*(ask(http, f"other {number}", "hello") for number in range(10)))
    ended = sum(each.done() for each in hanging)
    replies = await asyncio.gather(*hanging)

    assert {each["answer"] for each in others} == {Says().text}
    assert ended == 0
    for number, reply in enumerate(replies):
        assert "did not answer in time" in reply["error"]
        assert "Your message is kept." in reply["answer"]
        assert reply["degraded"]
        (kept,) = await messages(http, f"patient {number}", reply["conversation_id"])
        assert kept["content"] == "please hang"


@pytest.mark.parametrize("mood", ["refuse", "fail"])
async def test_a_model_that_is_gone_is_told_and_the_message_kept(
    http: httpx.AsyncClient, moods: Moods, mood: str
) -> None:
    reply = await ask(http, mood, f"please {mood}")

    (kept,) = await messages(http, mood, reply["conversation_id"])
    assert kept["content"] == f"please {mood}"
    assert reply["error"]
    assert "Your message is kept." in reply["answer"]


async def test_an_answer_that_breaks_off_is_kept_as_far_as_it_came_and_marked(
    http: httpx.AsyncClient, moods: Moods
) -> None:
    """d4"""
    body = {"user_id": "listener", "message": "please break off"}
    answer = await http.post("/api/chat/stream", json=body)

    told = list(events(answer.text))
    words = "".join(data["text"] for kind, data in told if kind == "delta")
    kind, reply = told[-1]
    assert kind == "error"
    assert Says().text.startswith(words)
    assert words
    question, partial = await messages(http, "listener", reply["conversation_id"])
    assert question["content"] == "please break off"
    assert (partial["content"], partial["status"]) == (words, "interrupted")


async def test_what_could_not_be_learned_is_learned_when_the_model_is_back(
    http: httpx.AsyncClient, moods: Moods, vendor: VendorServer, database: str
) -> None:
    moods.is_away = True
    reply = await ask(http, "pupil", "My cat is called Ada")
    requests = len(vendor.requests)
    async with asyncio.timeout(HANG_S):
        # Background work has tried, in vain.
        while len(vendor.requests) < requests + 1:
            await asyncio.sleep(0.05)
    waiting = await one(database, WAITING)

    moods.is_away = False

    async with asyncio.timeout(2 * HANG_S):
        while await one(database, WAITING) > 0:
            await asyncio.sleep(0.1)
    assert waiting > 0
    assert await one(database, KEPT, "pupil") == "My cat is called Ada"
    assert reply["error"]


async def one(database: str, query: str, *params: str) -> Any:
    async with await psycopg.AsyncConnection.connect(database) as conn:
        row = await (await conn.execute(query.encode(), params)).fetchone()
    assert row is not None
    return row[0]
