"""SPEC 4: what the library refuses, a client refuses too, with the same kind of error."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from longterm import InvalidInputError
from longterm.client import AsyncClient
from tests.arguments import a_target, arguments, operations, parameters
from tests.contract.conftest import House
from tests.contract.test_client import methods
from tests.memory import bad, bad_made

# An agent's mistakes are answered and not raised.
ASKED = sorted((set(operations()) & methods(AsyncClient)) - {"manage_user_memory"})
# These take long to make; one of each is below.
LARGE = re.compile(r"MB|limit \+ 1|100,000|deep")


class _SentError(Exception):
    """It was sent: the server is the one to judge."""


class _Nowhere(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise _SentError(request.url)


def cases(operation: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Arguments with one that is bad: its name, what is bad about it, and all of them."""
    good = arguments(operation, a_target())
    for name in parameters(operation):
        for label, make in bad.makers(operation, name):
            if not LARGE.search(label):
                yield name, label, {**good, name: make()}


async def outcome(client: AsyncClient, operation: str, given: dict[str, Any]) -> type[Exception]:
    try:
        await getattr(client, operation)(**given)
    except Exception as error:  # noqa: BLE001
        return type(error)
    return type(None)  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize("operation", ASKED)
async def test_bad_input_is_refused_here_or_by_the_server_and_never_bursts(operation: str) -> None:
    async with AsyncClient(transport=_Nowhere()) as client:
        found = {
            (name, label): await outcome(client, operation, given)
            for name, label, given in cases(operation)
        }

    wrong = {
        place: kind.__name__
        for place, kind in found.items()
        if not issubclass(kind, InvalidInputError | _SentError)
    }
    assert wrong == {}


async def test_what_the_client_sends_the_server_refuses(house: House) -> None:
    nowhere = AsyncClient(transport=_Nowhere())
    seen: set[tuple[str, str]] = set()
    accepted: list[str] = []
    # Every third of them: the others take seconds, and other tests send them.
    turns = itertools.cycle((True, False, False))
    async with await house.client() as client:
        for operation in ASKED:
            for name, label, given in cases(operation):
                # Once for each: that every route refuses it is shown by tests/api.
                if (name, label) in seen:
                    continue
                if await outcome(nowhere, operation, given) is _SentError:
                    seen.add((name, label))
                    if not next(turns):
                        continue
                    kind = await outcome(client, operation, given)
                    accepted += (
                        []
                        if issubclass(kind, InvalidInputError)
                        else [f"{operation} {name} {label}: {kind.__name__}"]
                    )
    await nowhere.close()

    assert accepted == []
    assert len(seen) > 100


async def test_what_is_large_or_deep_is_refused(house: House) -> None:
    async with await house.client() as client:
        for call in (
            lambda: client.add_message("ada", "user", "x" * 10_000_000),
            lambda: client.set_memory("x" * 10**6, "key", {}),
            lambda: client.list_conversations("ada", search="x" * 50_000),
            lambda: client.set_memory("ada", "key", {"a": bad_made.deep(100_000)}),
            lambda: client.get_template(bad_made.deep(100_000)),
        ):
            with pytest.raises(InvalidInputError):
                await call()


@pytest.mark.parametrize("inner", [{1: 2}, {None: 2}, [{"a": {True: 1}}]])
async def test_what_json_would_change_on_its_way_is_not_sent(inner: Any) -> None:
    """a3: nested JSON keeps its types."""
    async with AsyncClient(transport=_Nowhere()) as client:
        for call in (
            lambda: client.set_memory("ada", "key", {"a": inner}),
            lambda: client.create_conversation("ada", metadata={"a": inner}),
            lambda: client.add_message("ada", "user", "words", custom_payload=inner),
            lambda: client.render_template("name", {"a": inner}),
        ):
            with pytest.raises(InvalidInputError):
                await call()


async def test_the_name_of_another_thing_is_no_id() -> None:
    """`/api/conversations/current` is there: it must not be taken for an id."""
    async with AsyncClient(transport=_Nowhere()) as client:
        for call in (
            lambda: client.get_conversation("ada", "current"),
            lambda: client.delete_message("trim"),  # pyright: ignore[reportArgumentType]
            lambda: client.delete_fact("ada", "document"),
            lambda: client.get_messages("../users"),
            lambda: client.revoke_key(""),
        ):
            with pytest.raises(InvalidInputError):
                await call()
