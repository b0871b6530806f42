"""Whatever a network, a proxy or another server answers becomes one clear error."""

import asyncio
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from longterm import (
    ClosedError,
    InvalidInputError,
    NotAllowedError,
    SetupError,
    UnavailableError,
    errors,
)
from longterm.api import problems
from longterm.client import AsyncClient, Client
from longterm.errors import LongtermError
from tests.contract.answering import CUT, answer, answering, problem
from tests.contract.conftest import House

TREE = [
    kind
    for kind in vars(errors).values()
    # A server that is closed is away for its clients, who are not closed themselves.
    if isinstance(kind, type) and issubclass(kind, LongtermError) and kind is not ClosedError
]
PROBLEM = "application/problem+json"
HTML = "<html><body>Bad Gateway</body></html>"


def as_told(error: LongtermError) -> bytes:
    """The very bytes with which the server tells of an error."""
    told = problems.answer(error)
    body = bytes(told.body).decode()
    return answer(body, f"{told.status_code} No", told.headers["content-type"])


async def test_every_error_of_the_library_arrives_as_itself() -> None:
    answers = [as_told(kind(f"Why {kind.__name__} is.")) for kind in TREE]
    async with answering(answers) as server, AsyncClient(server.url, attempts=1) as client:
        for kind in TREE:
            with pytest.raises(LongtermError) as caught:
                await client.count_messages("ada")
            assert (type(caught.value), str(caught.value)) == (kind, f"Why {kind.__name__} is.")

    assert len(TREE) > 12


@pytest.mark.parametrize(
    ("told", "error", "says"),
    [
        (answer(HTML, "502 Bad Gateway", "text/html"), UnavailableError, "status 502"),
        (answer(HTML, "503 Busy", "text/html", Retry_After="7"), UnavailableError, "status 503"),
        (answer("", "524 Too Slow", "text/html"), UnavailableError, "status 524"),
        (answer(HTML, "403 Forbidden", "text/html"), NotAllowedError, "proxy"),
        (answer(HTML, "413 Too Large", "text/html"), InvalidInputError, "too large"),
        (answer(HTML, "500 Oops", "text/html"), SetupError, "status 500"),
        (answer("", "301 Moved", Location="https://h/x"), SetupError, "to https://h/x"),
        (answer('{"detail": "Where?"}', "404 No", PROBLEM), SetupError, "Where"),
        (answer("[" * 100_000), SetupError, "as Longterm does"),
        (answer('{"count": '), SetupError, "as Longterm does"),
        (answer("[1, 2]"), SetupError, "as Longterm does"),
        (answer("", "204 No Content"), SetupError, "as Longterm does"),
        (answer("zip?", Content_Encoding="gzip"), SetupError, "as Longterm does"),
        (b"SSH-2.0-OpenSSH_9.9\r\n\r\n", UnavailableError, "does not answer"),
        (answer("[" * 100_000, "404 No", PROBLEM), SetupError, "status 404"),
    ],
    ids=lambda value: getattr(value, "__name__", "") if isinstance(value, type) else "",
)
async def test_an_answer_that_is_not_ours_is_one_clear_error(
    told: bytes, error: type[LongtermError], says: str
) -> None:
    async with answering([told] * 2) as server, AsyncClient(server.url, attempts=1) as client:
        with pytest.raises(error, match=says) as caught:
            await client.count_messages("ada")
        with Client(server.url, attempts=1) as blocking, pytest.raises(error, match=says):
            await asyncio.to_thread(blocking.count_messages, "ada")

    assert getattr(caught.value, "retry_after_s", None) == (7 if b"Retry" in told else None)


async def test_a_problem_may_name_its_characters() -> None:
    told = problem("409 Conflict", "halted").replace(
        b"problem+json", b"problem+json; charset=UTF-8"
    )
    async with answering([told]) as server, AsyncClient(server.url) as client:
        with pytest.raises(errors.HaltedError, match="Told so"):
            await client.chat("ada", "hello")


@pytest.mark.parametrize("end", ["", "/", "/longterm", "/longterm/", "/a%20b/"])
async def test_a_server_may_be_beneath_a_path(end: str) -> None:
    async with (
        answering([answer('{"count": 3}')]) as server,
        AsyncClient(server.url + end) as client,
    ):
        assert await client.count_messages("ada") == 3

    before = end.rstrip("/")
    assert server.asked[0].startswith(f"GET {before}/api/messages/count?user_id=ada HTTP/1.1")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"url": "http://host/?a=1"}, "url"),
        ({"url": "http://host/#top"}, "url"),
        ({"url": "http://ada:secret@host", "key": "lt_x"}, "password"),
        ({"url": b"http://host"}, "url"),
        ({"key": "lt_…"}, "key"),
        ({"key": "lt_x\nHost: elsewhere"}, "key"),
        ({"key": ""}, "key"),
        ({"key": b"lt_x"}, "key"),
        ({"user_id": 5}, "user_id"),
        ({"tenant": "7"}, "tenant"),
        ({"tenant": -1}, "tenant"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": None}, "timeout_s"),
        ({"attempts": 0}, "attempts"),
        ({"attempts": 1.5}, "attempts"),
    ],
)
def test_a_client_that_cannot_work_is_not_made(wrong: dict[str, object], says: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InvalidInputError, match=says) as caught:
            kind(**wrong)  # pyright: ignore[reportArgumentType]
        assert "lt_x" not in str(caught.value)
        assert "secret" not in str(caught.value)


async def test_a_client_that_was_closed_says_so() -> None:
    blocking, waiting = Client(), AsyncClient()
    for _ in range(2):
        blocking.close()
        await waiting.close()

    with pytest.raises(ClosedError, match="make a new one"):
        blocking.count_messages("ada")
    with pytest.raises(ClosedError, match="make a new one"):
        next(blocking.export_user("ada"))
    with pytest.raises(ClosedError, match="make a new one"):
        await waiting.count_messages("ada")
    with pytest.raises(ClosedError, match="make a new one"):
        await anext(waiting.stream("ada", "hello"))
    with pytest.raises(ClosedError, match="make a new one"):
        blocking.__enter__()


async def test_a_client_belongs_to_one_event_loop() -> None:
    async with answering([answer('{"count": 3}')]) as server, AsyncClient(server.url) as client:
        await client.count_messages("ada")

        with pytest.raises(ClosedError, match="another event loop"):
            await asyncio.to_thread(lambda: asyncio.run(client.count_messages("ada")))


async def test_many_threads_share_one_client(house: House) -> None:
    with Client(house.url, await house.key()) as client, ThreadPoolExecutor(8) as pool:

        def talk(user: str) -> list[str]:
            numbers = [client.add_message(user, "user", f"{user} {number}") for number in range(4)]
            told = client.get_recent_messages(user)
            assert [message.id for message in told] == numbers
            return [message.content for message in told]

        users = [f"user{number}" for number in range(8)]
        told = await asyncio.to_thread(lambda: list(pool.map(talk, users)))

    assert told == [[f"{user} {number}" for number in range(4)] for user in users]


@pytest.mark.parametrize(
    "user_id", ["ü 🦊", "a%2Fb", "100%", "?#&=+;", "..", ".", "a/b", "/", "a//../b/"]
)
async def test_any_user_has_a_place_in_a_path(house: House, user_id: str) -> None:
    """Over a real connection: what stands between might change the path."""
    async with AsyncClient(house.url, await house.key()) as client:
        await client.set_memory(user_id, "key", {"a": 1})
        header, *_, end = [record async for record in client.export_user(user_id)]
        theirs = await house.memory.get_memory(user_id, "key")
        gone = await client.forget_user(user_id)

    assert (header["user_id"], end["counts"]) == (user_id, {"user": 1, "memory": 1})
    assert (theirs, gone.user_id) == ({"a": 1}, user_id)
    assert await house.memory.get_memory(user_id, "key") is None


async def test_what_has_a_receipt_is_not_done_twice() -> None:
    # It was ended in the middle: nobody knows whether it was done.
    slow = problem("503 Service Unavailable", "too_slow", Retry_After="0")
    busy = problem("503 Service Unavailable", "database_busy", Retry_After="0")
    gateway = answer("<html>", "504 Gateway Timeout", "text/html")
    unknown = problem("503 Service Unavailable", "outcome_unknown", Retry_After="0")
    told = [CUT, slow, gateway, busy, slow, unknown]
    async with answering(told) as server, AsyncClient(server.url) as client:
        for asked in (1, 2, 3, 5, 6):
            with pytest.raises(UnavailableError):
                await client.forget_user("ada")
            assert len(server.asked) == asked


async def test_a_key_is_not_shown_by_what_shows_the_inside_of_a_program() -> None:
    async with (
        answering([CUT]) as server,
        AsyncClient(server.url, "lt_hidden", attempts=1) as client,
    ):
        with pytest.raises(UnavailableError) as caught:
            await client.count_messages("ada")

    # As a report of an error with its variables would; all but those of this test.
    cause = caught.value.__cause__
    assert cause is not None
    frames = [*traceback.walk_tb(caught.tb), *traceback.walk_tb(cause.__traceback__)]
    shown = [repr(value) for frame, _ in frames[1:] for value in frame.f_locals.values()]
    assert "lt_hidden" not in "".join(shown)
    assert "/api/messages/count" in "".join(shown)
