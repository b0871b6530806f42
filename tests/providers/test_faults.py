"""What vendors do wrong becomes one of two errors, and tells nothing of what was sent."""

import logging
import socket
import traceback
from collections.abc import Iterator, Mapping

import pytest

from longterm.errors import LongtermError, ModelGoneError, ModelRefusedError
from longterm.providers.guard import Guarded
from longterm.providers.model import ChatModel
from tests.providers.shapes import Says
from tests.providers.stages import (
    KEY,
    SHORT_S,
    VENDORS,
    WORDS,
    a_guard,
    a_prompt,
    a_vendor,
    an_embedder,
)
from tests.providers.vendor_server import (
    Behaviour,
    Body,
    Cut,
    CutAtOnce,
    EndsEarly,
    Pause,
    Status,
    VendorServer,
)

GONE: dict[str, Behaviour] = {
    "time-out status": Status(408),
    "conflict": Status(409),
    "too many": Status(429),
    "server error": Status(500),
    "bad gateway": Status(502),
    "overloaded": Status(529),
    "cut": Cut(),
    "cut at once": CutAtOnce(),
    "not JSON": Body("<html>Welcome</html>", kind="text/html"),
    "half of JSON": Body('{"id": "x", "choices": [{"index": 0, "mess'),
    "other JSON": Body('{"status": "fine"}'),
    "no choices": Body(
        '{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[]}'
    ),
    "a list": Body("[1, 2, 3]"),
    "null": Body("null"),
}
REFUSED: dict[str, Behaviour] = {
    str(code): Status(code) for code in (400, 401, 402, 403, 404, 413, 422)
}
FAULTS = [
    *((name, behaviour, ModelGoneError) for name, behaviour in GONE.items()),
    *((name, behaviour, ModelRefusedError) for name, behaviour in REFUSED.items()),
]
BY_NAME = pytest.mark.parametrize(
    ("behaviour", "expected"),
    [pytest.param(behaviour, expected, id=name) for name, behaviour, expected in FAULTS],
)


@pytest.fixture(params=VENDORS)
def model(request: pytest.FixtureRequest, vendors: Mapping[str, ChatModel]) -> ChatModel:
    return vendors[request.param]


@pytest.fixture
def nobody() -> Iterator[VendorServer]:
    """A port at which nobody listens, held so that nobody else is given it meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield VendorServer(port=held.getsockname()[1])


async def ask(model: ChatModel, *, streamed: bool) -> None:
    if streamed:
        await listen(model, [])
    else:
        await model.answer(a_prompt())


async def listen(model: ChatModel, said: list[object]) -> None:
    async for piece in model.stream(a_prompt()):
        said.append(piece)


def tells_nothing(error: BaseException, caplog: pytest.LogCaptureFixture) -> bool:
    told = "".join(traceback.format_exception(error)) + str(error) + repr(error) + caplog.text
    return not any(secret in told for secret in (KEY, WORDS, "zebra"))


@BY_NAME
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_fault_becomes_gone_or_refused_and_tells_nothing_of_what_was_sent(
    model: ChatModel,
    server: VendorServer,
    behaviour: Behaviour,
    expected: type[LongtermError],
    streamed: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.always = behaviour

    with caplog.at_level(logging.DEBUG), pytest.raises(LongtermError) as caught:
        await ask(model, streamed=streamed)

    assert type(caught.value) is expected
    assert model.name in str(caught.value)
    assert tells_nothing(caught.value, caplog)
    assert len(server.requests) == 1, "the SDKs must not retry by themselves"


async def test_a_good_call_logs_nothing_of_what_was_sent(
    model: ChatModel, server: VendorServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.always = Says(f"You said: {WORDS}")

    with caplog.at_level(logging.DEBUG):
        await ask(model, streamed=False)
        await ask(model, streamed=True)

    assert not any(secret in caplog.text for secret in (KEY, "zebra"))


async def test_a_stream_that_ends_too_early_is_gone(model: ChatModel, server: VendorServer) -> None:
    server.always = EndsEarly()

    with pytest.raises(ModelGoneError, match="broke off"):
        await ask(model, streamed=True)


async def test_a_broken_stream_has_said_what_came_before(
    model: ChatModel, server: VendorServer
) -> None:
    server.always = Cut()
    said: list[object] = []

    with pytest.raises(ModelGoneError):
        await listen(Guarded(model, a_guard()), said)

    assert said
    assert all(isinstance(piece, str) for piece in said)
    assert len(server.requests) == 1, "what was handed on cannot be taken back"


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("pause", [Pause(1), Pause(1, in_stream=True)], ids=["before", "within"])
async def test_a_pause_longer_than_the_limit_is_gone(
    vendor: str, pause: Pause, server: VendorServer
) -> None:
    server.always = pause
    model = await a_vendor(vendor, server, timeout_s=SHORT_S)

    with pytest.raises(ModelGoneError, match="in time"):
        await ask(model, streamed=True)

    await model.close()


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_refused_connection_is_gone(vendor: str, nobody: VendorServer) -> None:
    model = await a_vendor(vendor, nobody)

    with pytest.raises(ModelGoneError, match="connection"):
        await ask(model, streamed=False)
    with pytest.raises(ModelGoneError, match="connection"):
        await ask(model, streamed=True)

    await model.close()


async def test_how_long_to_wait_is_known_where_the_vendor_says_so(
    model: ChatModel, server: VendorServer
) -> None:
    server.always = Status(429, (("Retry-After", "7"),))

    with pytest.raises(ModelGoneError) as caught:
        await ask(model, streamed=False)

    assert caught.value.retry_after_s == 7


async def test_a_guarded_model_gets_over_a_fault_that_passes(
    model: ChatModel, server: VendorServer
) -> None:
    server.next.extend([Status(500), CutAtOnce()])

    answer = await Guarded(model, a_guard()).answer(a_prompt())

    assert answer.text == Says().text
    assert len(server.requests) == 3


@BY_NAME
async def test_an_embedder_has_the_same_two_errors(
    server: VendorServer,
    behaviour: Behaviour,
    expected: type[LongtermError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.always = behaviour
    embedder = await an_embedder("openai", server, a_guard(retries=1))

    with caplog.at_level(logging.DEBUG), pytest.raises(LongtermError) as caught:
        await embedder.embed([WORDS])

    assert type(caught.value) is expected
    assert tells_nothing(caught.value, caplog)
    assert len(server.requests) == (2 if expected is ModelGoneError else 1)
    await embedder.close()


@pytest.mark.parametrize(
    "body",
    [
        '{"data": []}',
        '{"data": [{"index": 0, "embedding": []}]}',
        '{"data": [{"index": 0, "embedding": [0, 0]}]}',
        '{"data": [{"index": 0, "embedding": [1e400, 1]}]}',
        '{"data": [{"index": 1, "embedding": [1, 1]}]}',
        '{"data": [{"index": 0, "embedding": [1, 1]}, {"index": 1, "embedding": [1, 1]}]}',
    ],
)
async def test_vectors_that_are_none_are_refused(body: str, server: VendorServer) -> None:
    server.always = Body(body)
    embedder = await an_embedder("openai", server, a_guard(retries=0))

    with pytest.raises(ModelGoneError, match="cannot be read"):
        await embedder.embed(["Ada"])

    await embedder.close()


async def test_an_embedder_that_pauses_is_gone(server: VendorServer) -> None:
    server.always = Pause(1)
    embedder = await an_embedder("openai", server, a_guard(retries=0, timeout_s=SHORT_S))

    with pytest.raises(ModelGoneError, match="in time"):
        await embedder.embed(["Ada"])

    await embedder.close()


async def test_an_embedder_without_a_server_is_gone(nobody: VendorServer) -> None:
    embedder = await an_embedder("openai", nobody, a_guard(retries=0))

    with pytest.raises(ModelGoneError, match="connection"):
        await embedder.embed(["Ada"])

    await embedder.close()
