"""Every error is a problem (RFC 9457), and none says too much."""

import logging

import httpx
import pytest
from fastapi import FastAPI

from longterm import (
    ConflictError,
    DatabaseBusyError,
    HaltedError,
    InvalidRoleError,
    LongtermError,
    MemoryNotFoundError,
    SetupError,
    TemplateError,
    errors,
)
from longterm.api.problems import status_of


def _check_problem(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json()["title"]


async def test_nothing_there(client: httpx.AsyncClient) -> None:
    answer = await client.get("/no/such/thing")

    _check_problem(answer, 404)
    assert answer.json()["detail"] == "There is nothing at /no/such/thing."


async def test_a_method_that_is_not_possible(client: httpx.AsyncClient) -> None:
    answer = await client.post("/healthz")

    _check_problem(answer, 405)
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.nip.io", ""]
)
async def test_another_host_is_refused(client: httpx.AsyncClient, host: str) -> None:
    answer = await client.get("/readyz", headers={"Host": host})

    _check_problem(answer, 421)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8765", "[::1]", "[::1]:8765"]
)
async def test_this_machine_is_answered_under_all_its_names(
    client: httpx.AsyncClient, host: str
) -> None:
    answer = await client.get("/healthz", headers={"Host": host})

    assert answer.status_code == 200


async def test_an_unexpected_error_tells_nothing_about_the_inside(
    app: FastAPI, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise ValueError("what Ada said")

    app.add_api_route("/fail", fail)

    with caplog.at_level(logging.ERROR):
        answer = await client.get("/fail")

    _check_problem(answer, 500)
    assert "Ada" not in answer.text
    assert "ValueError" in caplog.text
    assert "test_problems.py" in caplog.text
    assert "Ada" not in caplog.text


async def test_our_errors_say_what_is_wrong(app: FastAPI, client: httpx.AsyncClient) -> None:
    async def fail() -> None:
        raise DatabaseBusyError

    app.add_api_route("/fail", fail)

    answer = await client.get("/fail")

    _check_problem(answer, 503)
    assert answer.json()["detail"] == "The database is busy; try again shortly."
    assert answer.json()["code"] == "database_busy"
    assert answer.headers["retry-after"] == "1"


async def test_an_invalid_request_is_not_repeated(app: FastAPI, client: httpx.AsyncClient) -> None:
    async def take(number: int) -> int:
        return number

    app.add_api_route("/take", take)

    answer = await client.get("/take", params={"number": "secret"})

    _check_problem(answer, 422)
    assert answer.json()["errors"][0]["where"] == "query.number"
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidRoleError, 422),
        (TemplateError, 422),
        (MemoryNotFoundError, 404),
        (ConflictError, 409),
        (HaltedError, 409),
        (DatabaseBusyError, 503),
        (SetupError, 500),
    ],
)
def test_an_error_has_the_status_of_its_nearest_class(
    error: type[LongtermError], status: int
) -> None:
    assert status_of(error()) == status


def test_every_error_has_a_status() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]

    assert all(400 <= status_of(kind()) < 600 for kind in kinds)
